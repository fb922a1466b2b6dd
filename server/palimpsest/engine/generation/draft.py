"""Prompt-lookup speculation: what may come next, read off the prompt itself.

In: the prompt's tokens, the answer's as they are chosen, how much of a draft was right.  Out: drafts.  Pure: a draft is
only ever verified, so nothing here bears on the answer; it bears on how many micro-batches the answer takes.

An edit mostly repeats the lines that it edits, in a frame that is the same in every reply.  The last tokens are looked
up in what the model was shown, in its earlier answers and in the answer so far, and what followed there is the draft.
A draft that fails costs the decoding of its tokens.  So a draft is as long as the agreement before it lets hope, a row
of failures is followed by a pause, and drafting ends where it never paid.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

LONGEST_MATCH = 4
"""Agreeing tokens beyond which more agreement tells nothing."""
PER_TOKEN = 2
"""Tokens drafted for each that agrees."""
PATIENCE, MAX_PAUSE = 4, 16
"""Drafts that may fail one after another before the first pause, and the longest pause, in steps."""
ON_TRIAL, LEAST_SHARE = 32, 0.15
"""Once so many tokens were drafted, the share that must have been right for drafting to go on."""
GAP = -1
"""Between pieces that do not continue each other; no token has this id."""


class Drafter:
    """One answer's.  `pieces`: token sequences that the answer may repeat, the last of them the text that it continues.
    `limit`: most tokens of a draft; `room`: most tokens of the answer."""

    def __init__(self, pieces: Iterable[Sequence[int]], *, limit: int, room: int) -> None:
        flat: list[int] = []
        for piece in pieces:
            flat += [GAP, *piece]
        self._tokens: npt.NDArray[np.int32] = np.empty(len(flat) + room, np.int32)
        self._tokens[: len(flat)] = flat
        self._n = self._n_prompt = len(flat)
        self._limit = limit
        self._n_failed = self._pause = 0
        self.drafted = self.accepted = 0

    def propose(self, answer: Sequence[int], most: int) -> list[int]:
        """At most `most` tokens that may follow `answer`, which only grows from call to call; [] when nothing like its
        end was found, or drafts do not pay at present."""
        new = answer[self._n - self._n_prompt :]
        self._tokens[self._n : self._n + len(new)] = new
        self._n += len(new)
        if self._pause > 0:
            self._pause -= 1
            return []
        if self.drafted >= ON_TRIAL and self.accepted < LEAST_SHARE * self.drafted:
            return []
        start, n_agreeing = self._place()
        return self._following(start, min(self._limit, most, PER_TOKEN * n_agreeing)) if n_agreeing else []

    def learn(self, n_drafted: int, n_accepted: int) -> None:
        """How much of the last draft was right."""
        self.drafted += n_drafted
        self.accepted += n_accepted
        self._n_failed = 0 if n_accepted else self._n_failed + 1
        self._pause = min(MAX_PAUSE, 2 ** (self._n_failed // PATIENCE) - 1)

    def _place(self) -> tuple[int, int]:
        """Where it goes on behind tokens that agree longest with the end, of several the last; how many agree."""
        tokens, end = self._tokens[: self._n], self._n - 1
        if end < 1 or tokens[end] == GAP:
            return 0, 0
        places = np.flatnonzero(tokens[:end] == tokens[end])
        n_agreeing = min(len(places), 1)
        while 0 < n_agreeing < min(LONGEST_MATCH, end + 1) and (before := tokens[end - n_agreeing]) != GAP:
            longer = places[places >= n_agreeing]
            longer = longer[tokens[longer - n_agreeing] == before]
            if not len(longer):
                break
            places, n_agreeing = longer, n_agreeing + 1
        return (int(places[-1]) + 1, n_agreeing) if n_agreeing else (0, 0)

    def _following(self, start: int, n: int) -> list[int]:
        if n <= 0:
            return []
        draft: list[int] = self._tokens[start : min(self._n, start + n)].tolist()
        if GAP in draft:
            return draft[: draft.index(GAP)]
        while len(draft) < n:  # it repeats itself: what follows the end is what follows the place
            draft += draft[: n - len(draft)]
        return draft
