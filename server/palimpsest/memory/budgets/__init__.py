"""What a conversation takes of the tokens that a model can read at once."""
