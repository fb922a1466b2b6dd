"""What an editor is offered of completions."""
