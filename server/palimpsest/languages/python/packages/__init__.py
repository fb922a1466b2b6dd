"""What a Python module offers, read without running the workspace's code.

`environment.py` finds the interpreter and its folders, `finding.py` a module's file, `reading.py` reads it
statically (the only griffe), `inspecting.py` asks the interpreter about compiled modules, `library.py` puts these
together, `catalog.py` does so in the background, `modules.py` answers for the workspace and the interpreter.
"""
