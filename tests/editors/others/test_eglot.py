"""The documents' snippet for eglot, in Emacs."""

from __future__ import annotations

import pytest

from tests.documents import snippet
from tests.editors.others.conftest import StartEmacs
from tests.editors.others.emacs import Emacs

CONFIGURATION = snippet("elisp", "eglot-ensure")


@pytest.fixture
def emacs(start_emacs: StartEmacs) -> Emacs:
    made = start_emacs(CONFIGURATION)
    made.until("(and (fboundp 'eglot-managed-p) (eglot-managed-p) t)")
    return made


@pytest.mark.slow(part="editors")
def test_a_misspelt_name_is_mended(emacs: Emacs) -> None:
    assert "amount(totla)" in emacs.text
    emacs.lisp('(search-forward "(totla)")')
    emacs.keys("\x1bxeglot-code-actions\r\r")
    emacs.until('(save-excursion (goto-char (point-min)) (search-forward "amount(total)" nil t))')
    assert "rror" not in emacs.messages()
    emacs.keys("\x1f")
    emacs.until('(save-excursion (goto-char (point-min)) (search-forward "amount(totla)" nil t))')


@pytest.mark.slow(part="editors")
def test_the_engine_is_restarted(emacs: Emacs) -> None:
    emacs.lisp("(progn (setq answer (palimpsest-restart-engine)) t)")
    assert "rror" not in emacs.messages()
