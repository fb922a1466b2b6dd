"""`palimpsest mcp`: the windows of a workspace, for agents that speak the Model Context Protocol."""
