"""Words that say nothing of what a text is about, in the languages that documents are written in most.

Out: a set.  The words are in `stop_words.txt`.
"""

from palimpsest.text.word_lists import word_lists

STOP_WORDS = frozenset[str]().union(*word_lists("palimpsest.text", "stop_words.txt").values())
