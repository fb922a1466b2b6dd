"""What agents start: `palimpsest mcp`, and `palimpsest acp` (`acp/`)."""
