"""What gathering context costs: scopes after a keystroke, blocks at a cursor, an index, a walk."""
