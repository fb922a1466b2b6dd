"""Sources of context, each a class derived from `source.Source`; `gatherer.py` asks them all."""
