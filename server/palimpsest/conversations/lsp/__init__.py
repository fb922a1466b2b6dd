"""What an editor is offered of conversations: commands, answers about their documents, edits of these."""
