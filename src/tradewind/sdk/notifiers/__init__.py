"""Notifiers that tell people what became of a task or a run: by e-mail, to any web address, to Slack.

Give one as a callback: `on_failure_callback=SmtpNotifier(to="team@example.org")`. Their class is `sdk/notifier.py`.
"""
