"""`palimpsest acp`: a workspace's conversations, for editors that speak the Agent Client Protocol."""
