"""What a person is offered: completions, suggestions, next edits, commit messages.

In: what happens in a window (`shared/events.py`), its documents and engine (`shared/services.py`), and requests for a
position.  Out: checked text and edits.  Each owner keeps its own state and knows no LSP, no token and no prompt format.
"""
