"""What an editor is offered of documents and the `[[links]]` in them."""
