"""One editor window's features, put together by `building.py`."""
