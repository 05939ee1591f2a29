"""Who asks (`tokens.py`, `principal.py`) and what they may do (`access.py`)."""
