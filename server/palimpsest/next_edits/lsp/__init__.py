"""What an editor is offered of next edits."""
