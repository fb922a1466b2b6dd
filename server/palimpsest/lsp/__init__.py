"""The Language Server Protocol: the only pygls.

`server.py` is the connection, `window.py` its state, `protocol.py` and `inbox.py` what pygls leaves open.  A feature or
a group of commands is a file; `announced.py` says before they are imported that they are there.
"""
