"""Secrets of the deployment: where variables and connections are looked up, how they are encrypted, what hides them.

Imports nothing but values and errors, so that every process may use it. Start reading at `chain`.
"""
