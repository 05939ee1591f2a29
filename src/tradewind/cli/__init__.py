"""The command line: parse, call, print. No rule is written here.

One file per group of commands; `main.py` puts them together. Start reading there.
"""
