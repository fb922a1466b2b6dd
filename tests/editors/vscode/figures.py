"""From a keystroke to its ghost text in VS Code, in milliseconds, with the editor's own share apart.

    python -m tests.editors.vscode.figures [--keystrokes N] [--model GGUF]

In: a window on the sample, typed into one character after the other, each when the ghost text of the one before stands.
Out: JSON.  `total` begins as the browser hears of the key and ends with the frame that shows the ghost text behind it;
`server` is from the change on the wire to the answer on the wire; `editor` is the rest.  Keystrokes for which VS Code
asks nothing, since what it shows goes on, are counted as `shown` and have no `server`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from tests.editors.timings import print_measured, typed
from tests.editors.vscode.conftest import CART
from tests.editors.vscode.recording import Said
from tests.editors.vscode.starting import one_window
from tests.editors.vscode.window import GHOST, Window

ASK = "textDocument/inlineCompletion"
QUIET_MS = 3_000
"""As long as one waits for a ghost text: there is not always one."""
TIMED = """(quiet) => {
  const ghost = GHOST;
  window.frame = new Promise((resolve) => {
    let begun = 0, before = '';
    const hear = () => { begun = performance.now(); before = ghost(); };
    document.addEventListener('keydown', hear, {once: true, capture: true});
    const look = () => {
      const now = performance.now();
      const shown = ghost();
      if (begun && shown && shown !== before) requestAnimationFrame(() => resolve(performance.now() - begun));
      else if (begun && now - begun > quiet) resolve(0);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}""".replace("GHOST", GHOST)


def measure(keystrokes: int, model: str = "") -> dict[str, Any]:
    """Raises NotHere."""
    with one_window(CART, **({"palimpsest.model.path": model} if model else {})) as window:

        def line(text: str) -> Iterator[dict[str, float] | None]:
            window.restore(CART)
            window.at(CART, "total = self.subtotal()")
            window.key("Enter")
            yield from (_keystroke(window, key) for key in text)

        return typed(keystrokes, line)


def _keystroke(window: Window, key: str) -> dict[str, float] | None:
    recording, since = window.server.recording, window.server.recording.mark()
    window.page.evaluate(TIMED, QUIET_MS)
    begun = time.time()
    window.page.keyboard.type(key)
    total: float = window.page.evaluate("() => window.frame")
    if not total:
        return None
    change = next((s for s in recording.said(since) if s.method == "textDocument/didChange"), None)
    answer: Said | None = next((a.answer for a in reversed(recording.asked(ASK, since)) if a.answer), None)
    if change is None or answer is None or answer.at > begun + total / 1000 + 0.1:
        return {"total": total}
    server = (answer.at - change.at) * 1000
    return {"total": total, "server": server, "editor": total - server}


if __name__ == "__main__":
    print_measured(measure)
