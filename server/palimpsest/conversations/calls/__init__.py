"""Calls that a model writes into its replies."""
