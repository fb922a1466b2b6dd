"""What a Python module offers, read without running the workspace's code.

`environment.py` finds the interpreter and its folders, `names.py` finds a module's file, `locations.py` asks the
interpreter about compiled modules, `library.py` parses files (the only use of griffe) and combines these,
`languages/catalog.py` does so in the background, and `python/modules.py` is the interface to the rest.
"""
