"""Operations on what is remembered, on the summary that stands for older turns, and on checkpoints."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from palimpsest.conversations.answers import Answer, answered, element, listed, time_written
from palimpsest.conversations.checkpoints import Checkpoint
from palimpsest.conversations.compaction.compactions import Compaction, Summary
from palimpsest.conversations.experiences import Experience
from palimpsest.conversations.operations.operation import (
    Operation,
    OperationCall,
    OperationParameter,
    of_programs,
    required,
)
from palimpsest.errors import Denied
from palimpsest.text.previews import preview

#: The person reads the text, since a model may have it from a comment or a document.
REMEMBER = "The model wants to remember in all conversations, not only in this one: {}"
FORGET = "The model wants to forget what is remembered in all conversations: {}"
_TOPICS = ("remember", "forget", "always", "never", "prefer", "experience", "memory", "lesson")
_GOING_BACK = ("checkpoint", "restore", "undo", "back", "snapshot", "recover")


async def remember(call: OperationCall) -> Answer:
    """Keep a fact; what a model says is for this conversation alone, unless the person agrees to more."""
    experience = await call.memory.writes.run(_remember, call, call.by == "model")
    question = REMEMBER.format(preview(experience.text))
    if experience.alone and await _others_have_it(call) and await _agrees(call, question, "Remember", "Only here"):
        experience = await call.memory.writes.run(_remember, call, False)
    return Answer(_written(experience), _fields(experience))


async def forget(call: OperationCall) -> Answer:
    memory, wanted, talk = call.memory, call.text("experience_id"), call.conversation_id
    if call.by == "model":
        known = await asyncio.to_thread(lambda: memory.experiences.list(_key(call), talk))
        experience = next((one for one in known if one.id == wanted and not one.alone), None)
        question = "" if experience is None else FORGET.format(preview(experience.text))
        if question and await _others_have_it(call) and not await _agrees(call, question, "Forget", "Keep it"):
            raise Denied("The person did not agree that it is forgotten.")
    gone = await memory.writes.run(lambda: memory.experiences.forget(_key(call), wanted, talk))
    return Answer(element("forgotten", {"id": gone.id}, gone.text), {"forgotten": gone.id})


def compact(call: OperationCall) -> Answer:
    """A model's summary is queued until its reply is done; for a program, `lsp/operations.py` does more."""
    return compacted(call.memory.compactions.queue(call.conversation_id, summary_of(call.arguments), "model"))


def inspect(call: OperationCall) -> Answer:
    memory, talk, key = call.memory, call.conversation_id, _key(call)
    known, current = memory.experiences.list(key, talk), memory.compactions.current(talk)
    summary = None if current is None else asdict(current.summary)
    is_pending = memory.compactions.pending(talk) is not None
    about = {"memory_key": key, "messages": len(memory.turns.branch(talk)), "has_pending_compaction": is_pending}
    rows = [_written(one) for one in known]
    if summary is not None:
        rows += [listed("summary", {}, [element(name, {}, _text(value)) for name, value in summary.items()])]
    more = {
        "experiences": [_fields(one) for one in known],
        "summary": summary,
        "memory_keys": memory.experiences.keys(),
    }
    return Answer(listed("context", about, rows), {**about, **more})


def set_memory_key(call: OperationCall) -> Answer:
    call.memory.conversations.set_memory_key(call.conversation_id, call.text("memory_key"))
    return inspect(call)


def summary_of(arguments: Mapping[str, Any]) -> Summary:
    """What was not given is empty."""
    kinds = {one.name: one.kind for one in COMPACT.told}
    values: dict[str, Any] = {name: [] if kind == "list of texts" else "" for name, kind in kinds.items()}
    values |= {name: list(value) if isinstance(value, tuple) else value for name, value in arguments.items()}
    return Summary(**values)


def _remember(call: OperationCall, alone: bool) -> Experience:
    return call.memory.experiences.remember(_key(call), call.text("text"), call.conversation_id, alone=alone)


def _key(call: OperationCall) -> str:
    return call.memory.conversations.get(call.conversation_id).memory_key


async def _others_have_it(call: OperationCall) -> bool:
    """Whether other conversations have it, too; they do not have what a fork has under its own key."""
    return not await asyncio.to_thread(lambda: call.memory.experiences.is_fork(_key(call)))


async def _agrees(call: OperationCall, question: str, yes: str, no: str) -> bool:
    return await call.outside.host.agrees(call.conversation_id, question, yes, no)


def compacted(one: Compaction) -> Answer:
    """Queued or, with a turn, applied."""
    status = "queued" if one.turn is None else "applied"
    message = "The conversation is compacted when the reply that is being written, with its calls, is done."
    if one.turn is not None:
        message = "A summary stands for older turns; they can still be read."
    xml = listed("compaction", {"status": status, "written_by": one.written_by}, [element("message", {}, message)])
    fields = {"status": status, "written_by": one.written_by, "turn": one.turn, "summary": asdict(one.summary)}
    return Answer(xml, fields)


def _fields(known: Experience) -> dict[str, Any]:
    return {"id": known.id, "text": known.text, **({"alone": True} if known.alone else {})}


def _written(known: Experience) -> str:
    alone = {"kept": "in this conversation"} if known.alone else {}
    return answered("exp", {"id": known.id, **alone}, known.text).xml


def _text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "\n".join(f"- {one}" for one in value)


COMPACT = Operation(
    "compact",
    "Replace the conversation so far by a summary, once the calls of this reply are done.",
    compact,
    (
        required("goal", "text", "what the person wants in the end", may_omit=True),
        required("instruction", "text", "the last request, word for word", may_omit=True),
        required(
            "discoveries", "list of texts", "what was found out, with names and paths; what failed too", may_omit=True
        ),
        required("completed", "list of texts", "what is done", may_omit=True),
        required("current_status", "text", "where things stand", may_omit=True),
        required("likely_next_work", "text", "what comes next", may_omit=True),
        required("relevant_files_directories", "list of texts", "files and folders that matter", may_omit=True),
        OperationParameter("remember", "list of texts", "facts to keep for good"),
        of_programs("target", "whole number", "the most tokens that the messages take then", least=1),
    ),
    'compact(goal="…", instruction="…", discoveries=["…"], completed=["…"], current_status="…", '
    'likely_next_work="…", relevant_files_directories=["…"], remember=["…"])',
    ("compact", "summarize", "summarise", "context", "shorten"),
    command="conversation.compact",
    does="a summary takes the place of older turns in what the model reads, written as `instruction` says, so that "
    "the messages take at most `target` tokens, or, with `goal`, by the caller for all turns so far; the turns "
    "themselves stay",
    slow="Compacting",
    also=("runtime.selfref.context.compact",),
)
OPERATIONS = (
    Operation(
        "remember",
        "Keep a fact or lesson for all later turns.",
        remember,
        (required("text", "text", "one fact", also=("experience",)),),
        'remember("Tests are run with make check")',
        _TOPICS,
        always=True,
        command="conversation.remember",
        does="keeps a sentence for later conversations, too",
        changes=True,
        also=("runtime.selfref.context.remember",),
    ),
    Operation(
        "forget",
        "Drop something that was remembered.",
        forget,
        (required("experience_id", "text", "its id", also=("id",)),),
        'forget("exp_001")',
        _TOPICS,
        command="conversation.forget",
        does="takes a sentence away that was kept",
        changes=True,
        also=("runtime.selfref.context.forget",),
    ),
    COMPACT,
    Operation(
        "inspect",
        "Show what is remembered, the summary, and how many turns there are.",
        inspect,
        (),
        "inspect()",
        (*_TOPICS, "inspect", "context", "summary"),
        command="conversation.inspect",
        does="what a conversation knows of earlier ones",
        also=("runtime.selfref.context.inspect",),
    ),
    Operation(
        "set_memory_key",
        "Give a conversation what is remembered under another key.",
        set_memory_key,
        (required("memory_key", "text", "the key"),),
        command="conversation.memory",
        does="gives a conversation what is remembered under another key; conversations have `main` unless told "
        "otherwise",
        changes=True,
        idle=True,
        stores=True,
    ),
)


def create_checkpoint(call: OperationCall) -> Answer:
    return answered("checkpoint", _described(call.memory.checkpoints.create(call.conversation_id, call.text("name"))))


def list_checkpoints(call: OperationCall) -> Answer:
    known = [_described(one) for one in call.memory.checkpoints.list(call.conversation_id)]
    rows = [element("checkpoint", one) for one in known]
    return Answer(listed("checkpoint_list", {"count": len(known)}, rows), {"count": len(known), "checkpoints": known})


def restore_checkpoint(call: OperationCall) -> Answer:
    """Only one of the conversation's own, by its id or name.  What is there now is kept as a checkpoint first."""
    id = call.text("checkpoint_id")
    before = call.memory.checkpoints.restore(call.conversation_id, id)
    about = {"checkpoint_id": id, "before": before.id}
    message = f"What was said since is kept as {before.id}."
    xml = listed("checkpoint_restored", about, [element("message", {}, message)])
    return Answer(xml, {**about, "restored": id})


def _described(one: Checkpoint) -> dict[str, Any]:
    return {
        "checkpoint_id": one.id,
        "name": one.name,
        "created": time_written(one.created),
        "automatic": one.automatic,
    }


CHECKPOINTS = (
    Operation(
        "create_checkpoint",
        "Keep the conversation as it is now, to come back to it.",
        create_checkpoint,
        (OperationParameter("name", "text", "what to call it"),),
        'create_checkpoint(name="before the rewrite")',
        _GOING_BACK,
        command="checkpoint.create",
        does="keeps a conversation as it is now: turns, experiences, refs, descriptors, forks",
        changes=True,
        stores=True,
        also=("checkpoint_process",),
    ),
    Operation(
        "restore_checkpoint",
        "Go back to a checkpoint.",
        restore_checkpoint,
        (required("checkpoint_id", "text", "its id", also=("id",)),),
        'restore_checkpoint("cp_12ab34cd")',
        _GOING_BACK,
        command="checkpoint.restore",
        does="goes back to a checkpoint; what is there now becomes one (`before`), and nothing is deleted",
        changes=True,
        idle=True,
        rewinds=True,
        stores=True,
        also=("restore_process",),
    ),
    Operation(
        "list_checkpoints",
        "List the checkpoints.",
        list_checkpoints,
        (),
        "list_checkpoints()",
        _GOING_BACK,
        command="checkpoint.list",
        does="a conversation's checkpoints, newest first",
    ),
)
