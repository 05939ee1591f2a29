"""One suite over every executor. A new one needs a `Place` in `places.py`, and a line in `conftest.py`."""
