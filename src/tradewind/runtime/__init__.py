"""What every process is built from: the clock, wake-up signals, and the shape of a service.

The only place that reads the time or sleeps. Imports `model` and `errors` only. Start reading at `service.py`.
"""
