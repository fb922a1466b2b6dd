"""How programs of this user reach the editor windows that are open: a private socket of each, lines of JSON.

The engine's door (`engine/http`) is for tokens; this one is for whoever works beside the person, such as an agent.
"""
