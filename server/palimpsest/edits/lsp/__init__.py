"""What an editor is offered of edits by the model: code actions, commands, and edits applied by the client."""
