"""The documents' snippet for lsp-mode, in Emacs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.documents import snippet
from tests.editors.conftest import until
from tests.editors.others.conftest import StartEmacs
from tests.editors.others.emacs import Emacs

PACKAGE = """
(load "lsp-mode-autoloads")
(setq lsp-auto-guess-root t lsp-disabled-clients '(ruff) lsp-enable-snippet nil)
"""
"""As the package manager does it; and none of the other servers that this machine happens to have."""
CONFIGURATION = PACKAGE + snippet("elisp", "make-lsp-client")
GHOST = """(and (boundp 'lsp-inline-completion--overlay) (overlayp lsp-inline-completion--overlay)
  (overlay-get lsp-inline-completion--overlay 'after-string))"""
KEY = """(progn (lsp-inline-completion--define-key lsp-inline-completion-active-map (kbd "C-t")
  #'lsp-inline-completion-accept 'keep) t)"""
"""A terminal has no `C-<return>`."""
LINE = "(buffer-substring-no-properties (line-beginning-position) (line-end-position))"


@pytest.fixture
def emacs(start_emacs: StartEmacs) -> Emacs:
    made = start_emacs(CONFIGURATION)
    made.until('(and (bound-and-true-p lsp-mode) (lsp-feature? "textDocument/inlineCompletion") t)')
    return made


@pytest.mark.slow(part="editors")
def test_a_completion_is_shown_and_accepted(emacs: Emacs) -> None:
    emacs.lisp('(search-forward "total = self.subtotal()")')
    emacs.keys("\rif self.dis")

    def ghost() -> Any:
        """Typed again for as long as the model is being loaded."""
        emacs.keys("c")
        for _ in range(5):
            if found := emacs.lisp(GHOST):
                return found
            emacs.screen()
        emacs.keys("\x7f")
        return None

    shown = until(ghost, lambda: emacs.screen() + emacs.messages())
    before = emacs.lisp(LINE)
    emacs.lisp(KEY)
    emacs.keys("\x14")
    until(lambda: emacs.lisp(LINE) == before + shown.splitlines()[0], emacs.screen)
    assert "rror" not in emacs.messages()


@pytest.mark.slow(part="editors")
def test_a_misspelt_name_is_mended(emacs: Emacs) -> None:
    emacs.lisp('(search-forward "(totla)")')
    emacs.keys("\x1bxlsp-execute-code-action\r")
    emacs.until('(save-excursion (goto-char (point-min)) (search-forward "amount(total)" nil t))')
    assert "rror" not in emacs.messages()
