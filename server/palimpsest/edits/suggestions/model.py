"""One request to the engine for edits: which blocks are shown, and which of them may be edited.

In: a request, the document it is about (or a draft of it), blocks.  Out: what `from_replies.py` makes of the answer.
Keeps nothing.
"""

from collections.abc import Mapping, Sequence

from palimpsest.context.view import CursorView
from palimpsest.edits import selection
from palimpsest.edits.formats import FORMATS
from palimpsest.edits.shown import EDITING, ShownBlock, shown_blocks
from palimpsest.edits.suggestions import name_fixes, slip_fixes
from palimpsest.edits.suggestions.files import EditableFiles
from palimpsest.edits.suggestions.from_replies import Draft, Suggested, SuggestionPrompt, ranked
from palimpsest.edits.suggestions.proposals import SuggestionRequest
from palimpsest.edits.suggestions.requests import suggestion
from palimpsest.edits.validate import words_of
from palimpsest.errors import InvalidArgument
from palimpsest.providers.base.protocol import Engine
from palimpsest.text.snapshot import Snapshot
from palimpsest.types import Block
from palimpsest.window.services import Services


class SuggestionModel:
    """Asks the engine for edits, and ranks what comes."""

    def __init__(self, services: Services, files: EditableFiles) -> None:
        self._services = services
        self._files = files

    async def ask(
        self,
        engine: Engine,
        request: SuggestionRequest,
        view: CursorView,
        blocks: Sequence[Block],
        *,
        draft: Draft | None = None,
    ) -> Suggested:
        """`view` is of the document asked about, with the draft's changes where there is one.

        Raises EngineError when the engine cannot answer, InvalidArgument for a selection of nothing that is shown.
        """
        services, draft = self._services, draft or Draft()
        instructions = await self._with_instructions(engine)
        # A model that is told the format may edit other blocks, too; a small one keeps to the editing block.
        placed = [self._files.placed(block) for block in blocks] if instructions else []
        then = self._documents(view, placed, draft)
        blocks_shown = shown_blocks(view.editing, placed, {uri: snapshot.version for uri, snapshot in then.items()})
        instruction = request.instruction
        nameable: Mapping[str, ShownBlock] = blocks_shown
        if request.lines is not None:
            numbered = FORMATS[self._format(request)].text.numbered
            instruction, nameable = _selected(blocks_shown, request.lines, instruction, numbered)
        query = suggestion(
            services.requests,
            view,
            blocks,
            nameable.values(),
            instruction=instruction,
            instructions=instructions,
            n=request.n,
            format=request.format,
            round=request.round,
        )
        words = words_of(text for block in blocks for text in (block.name, block.text)) | view.cell_words
        fixes = list[str]()  # asked for first: the tail that is asked for again is that of the replies
        if not draft.changes:
            place, options = name_fixes.NameQuery(engine, view, blocks), services.settings.suggestion
            if _is_wanted(options.mend_names, instructions):
                fixes = await name_fixes.replies(services, place, request, blocks_shown[EDITING])
            if not fixes and _is_wanted(options.mend_slips, instructions):
                fixes = await slip_fixes.replies(services, place, request, blocks_shown[EDITING])
        answer = await services.generate(engine, query, blocks)
        prompt = SuggestionPrompt(request, blocks_shown, then, draft, words, view.cells_hide_names)
        return await ranked(services, self._files, prompt, answer.choices, fixes)

    def _documents(self, view: CursorView, blocks: Sequence[Block], draft: Draft) -> dict[str, Snapshot]:
        """Every document that may be edited, as it was shown.  One that the draft changes is shown nowhere but in the
        editing block: other blocks have its text as it is."""
        documents = dict[str, Snapshot]()
        for block in blocks:
            if block.editable and block.uri is not None and block.uri not in (*documents, *draft.changes):
                snapshot = self._files.now(block.uri)
                if snapshot is not None:
                    documents[block.uri] = snapshot
        documents[view.uri] = view.parsed.snapshot
        return documents

    def _format(self, request: SuggestionRequest) -> str:
        return request.format or self._services.settings.suggestion.format

    async def _with_instructions(self, engine: Engine) -> bool:
        choice = self._services.settings.suggestion.instructions
        if choice != "auto":
            return choice == "always"
        return (await engine.model()).chat_template


def _is_wanted(choice: str, instructions: bool) -> bool:
    """Whether fixes of ours are offered beside a model's replies."""
    return choice == "always" or (choice == "auto" and not instructions)


def _selected(
    blocks_shown: Mapping[str, ShownBlock], lines: range, instruction: str, numbered: bool
) -> tuple[str, Mapping[str, ShownBlock]]:
    if not selection.selected(blocks_shown[EDITING], lines):
        raise InvalidArgument("range", "none of its lines are in the block of code at the position.")
    sentence = selection.describe_selection(blocks_shown[EDITING], lines, numbered=numbered)
    return f"{instruction} {sentence}".strip(), selection.narrowed(blocks_shown, lines)
