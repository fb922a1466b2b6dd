"""What a model was asked to remember."""
