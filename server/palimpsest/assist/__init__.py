"""What a person is offered: completions, suggestions, and what follows from them.  Each owner keeps its own state.

In: a `services.Desk` (documents, blocks, the engine) and where the cursor is.  Out: checked text and edits.
Knows no LSP, no token and no prompt format.
"""
