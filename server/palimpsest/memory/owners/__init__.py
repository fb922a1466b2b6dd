"""Who keeps what, by name."""
