"""What can be done in a conversation: one table, from which models' tools, commands and agents' tools are made."""
