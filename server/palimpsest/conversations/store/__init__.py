"""The database itself: its file, its tables, its transactions."""
