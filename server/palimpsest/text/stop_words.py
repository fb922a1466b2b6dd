"""Words that say nothing of what a text is about, in the languages that documents are written in most.

Out: a set.  Words that mean something in another of these languages (`die`, `war`, `son`) are left out.
"""

from __future__ import annotations

_ENGLISH = """
    about after again all also am an and any are as at be because been before being both but by can could did do does
    doing done for from had has have having he her here hers him his how i if in into is it its just let
    like may me might more most much must my need no nor not now of off on once one only or other our ours out over own
    please same shall she should so some such than that the their them then there these they this those through to too
    under up us use used uses using very want was we were what when where which while who whom whose why will with would
    yes you your yours
"""
_OTHERS = """
    aber als auch auf aus bei bist da damit dann das dass dein dem den der des dich dir doch durch ein eine einem
    einen einer eines er es euch für gegen haben hatte ich ihm ihn ihr im ist ja jede jeder kann kein keine mein mich
    mir nach nicht noch nur ob oder ohne sehr sein seine sich sie sind soll über um und uns unter vom von vor weil
    wenn werden wie wir wird wo wurde zu zum zur zwischen
    au aux avec ce ces cette comme dans du elle est et être il ils je la le les leur lui mais même nous ont ou où par
    pas pour que qui sa se ses sont sur un une vous
    al como cuando de del el ella ellos en entre esta este está las lo los más muy para pero por porque
    qué sobre su sus también una y ya
"""
STOP_WORDS = frozenset(f"{_ENGLISH} {_OTHERS}".split())
