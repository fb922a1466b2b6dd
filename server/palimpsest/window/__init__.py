"""What every feature of one editor window works with: `services.py` has all of it."""
