"""Texts of any size, stored once each."""
