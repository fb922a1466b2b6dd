"""The Language Server Protocol: the only pygls but for what features have of it themselves.

`server.py` is the connection, `window.py` its state, `protocol.py` and `inbox.py` what pygls leaves open.  A group of
commands or methods is a file; `feature.py` says before they are imported that they are there, as that of any package
with a feature does, whose files for the protocol are in its own `lsp/`.
"""
