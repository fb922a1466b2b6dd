"""What a model says, taken apart, in the forms that are in use: whole, and in pieces of any size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.chat_templates.frames import FramePart, opened_in
from palimpsest.chat_templates.spoken import MOST_ENDS, Spoken, heard, spoken
from palimpsest.wire import Choice, GenerateAnswer, ToolCall

DRAFT = '<suggestion name="editing">\nx = 1\n</suggestion>'
REAL = '<suggestion name="editing">\nx = 2\n</suggestion>'
SAID = {
    "<think>Perhaps.</think>Yes.": ("Perhaps.", "Yes."),
    "<think>\nPerhaps.\n</think>\n\nYes.": ("Perhaps.", "Yes."),
    "\n<thinking>Perhaps.</thinking>\nYes.": ("Perhaps.", "Yes."),
    "<thought>\nPerhaps.\n</thought>\nYes.": ("Perhaps.", "Yes."),
    "[THINK]Perhaps.[/THINK]Yes.": ("Perhaps.", "Yes."),
    "<seed:think>Perhaps.</seed:think>Yes.": ("Perhaps.", "Yes."),
    "◁think▷Perhaps.◁/think▷Yes.": ("Perhaps.", "Yes."),
    "<|channel>thought\nPerhaps.<channel|>Yes.": ("Perhaps.", "Yes."),
    "<|channel>thought\n<channel|>Yes.": ("", "Yes."),
    "<think>Perhaps.</think>\n<response>Yes.</response>": ("Perhaps.", "Yes."),
    "<|START_THINKING|>Perhaps.<|END_THINKING|><|START_RESPONSE|>Yes.<|END_RESPONSE|>": ("Perhaps.", "Yes."),
    "Here is my thought process:\n\nPerhaps.\n\nHere is my response:\n\nYes.": ("Perhaps.", "Yes."),
    "<think>Perhaps.</think><think>Or not.</think>Yes.": ("Perhaps.\n\nOr not.", "Yes."),
    "<think></think>\n\nYes.": ("", "Yes."),
    "<Think>Perhaps.</Think>Yes.": ("Perhaps.", "Yes."),
    "<think >Perhaps.</think\t>Yes.": ("Perhaps.", "Yes."),
    "\ufeff<think>Perhaps.</think>Yes.": ("Perhaps.", "Yes."),
    f"<scratchpad>{DRAFT}</scratchpad>\n{REAL}": (DRAFT, REAL),
    f"<think>\nWell.\n<think>\n{DRAFT}\n</think>\nNo.\n</think>\n{REAL}": (
        f"Well.\n<think>\n{DRAFT}\n</think>\nNo.",
        REAL,
    ),
    "<think>\n<think>\nPerhaps.\n</think>\nYes.": ("<think>\nPerhaps.", "Yes."),
    f"<THINKING>\n{DRAFT}\n</THINKING>\n{REAL}": (DRAFT, REAL),
    "[think]Perhaps.[/think]Yes.": ("Perhaps.", "Yes."),
    f"<think>\n{DRAFT}\n</thinking>\n{REAL}": (DRAFT, REAL),
    "<thoughts>Perhaps.</thoughts>Yes.": ("Perhaps.", "Yes."),
    "<mm:think>Perhaps.</mm:think>Yes.": ("Perhaps.", "Yes."),
    "<unused94>thought\nPerhaps.<unused95>Yes.": ("Perhaps.", "Yes."),
    "<|begin_of_thought|>Perhaps.<|end_of_thought|>\n<|begin_of_solution|>Yes.<|end_of_solution|>": (
        "Perhaps.",
        "Yes.",
    ),
    "Perhaps.\n</THINK>\n\nYes.": ("Perhaps.", "Yes."),
    "<think>Perhaps.": ("Perhaps.", ""),
    f"<think>{DRAFT}</think>\n{REAL}": (DRAFT, REAL),
    f"<think>{DRAFT.removesuffix('</suggestion>')}</think>\n{REAL}": (DRAFT.removesuffix("\n</suggestion>"), REAL),
    '<think>`</think>` ends it, and "</think>" too.</think>Yes.': ('`</think>` ends it, and "</think>" too.', "Yes."),
    '<think>So: "Yes."</think>Yes.': ('So: "Yes."', "Yes."),
    "<think>```\n</think>\n```\nno</think>Yes.": ("```\n</think>\n```\nno", "Yes."),
    "<think>```py\nx</think>Yes.\n```py\ny\n```": ("```py\nx", "Yes.\n```py\ny\n```"),
    # the template has opened it
    "Perhaps.\n</think>\n\nYes.": ("Perhaps.", "Yes."),
    "Perhaps.</think>\nYes.": ("Perhaps.", "Yes."),
    "Perhaps.[/THINK]\nYes.": ("Perhaps.", "Yes."),
    f"Perhaps\n{DRAFT}\n</think>\n\n{REAL}": (f"Perhaps\n{DRAFT}", REAL),
    # channels
    "<|channel|>analysis<|message|>Perhaps.<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>": (
        "Perhaps.",
        "Yes.",
    ),
    "<|channel|>analysis<|message|>Perhaps.": ("Perhaps.", ""),
    "<|channel|>final<|message|>Yes.": ("", "Yes."),
    "analysisPerhaps.assistantfinalYes.": ("Perhaps.", "Yes."),
}
REPLIES = [
    "Yes.",
    "  indented\n",
    "",
    "A model ends its thought with `</think>`.",
    "```jinja\n{{ x }}\n</think>\n```\nThat is the end.",
    'Split at it: text.split("</think>")[1]',
    "It begins with <think> and ends\n</think>\nwith that.",
    '<suggestion name="editing">\n</think>\n</suggestion>\n',
    "analysisResult is what you look for.",
    "The channel <|channel|> is a token.",
]


@pytest.mark.parametrize(("text", "found"), SAID.items())
def test_thought_and_reply_are_told_apart(text: str, found: tuple[str, str]) -> None:
    said = spoken(text)
    assert (said.thought, said.text) == found


@pytest.mark.parametrize("text", REPLIES)
def test_what_is_no_thought_stays_as_it_is(text: str) -> None:
    assert spoken(text) == Spoken(text)


@pytest.mark.parametrize(("text", "found"), SAID.items())
def test_of_a_thought_with_a_beginning_nothing_is_ever_in_the_reply(text: str, found: tuple[str, str]) -> None:
    begun = text.lstrip("\n\ufeff").startswith(("<", "[", "◁", "Here"))
    for n in range(len(text) + 1):
        said = spoken(text[:n], is_whole=False)
        if begun:
            assert found[1].startswith(said.text)
            assert found[0].startswith(said.thought) or said.thought.startswith(found[0])


@pytest.mark.parametrize("text", REPLIES)
def test_a_reply_grows_as_it_comes(text: str) -> None:
    assert all(text.startswith(spoken(text[:n], is_whole=False).text) for n in range(len(text) + 1))


PIECES = ["a", "`", "```", "\n", "<", "<think>", "</think>", "<|channel|>", "final", "<|message|>", "<suggestion"]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_is_read(text: str) -> None:
    for is_whole in (False, True):
        said = spoken(text, is_whole=is_whole)
        assert len(said.text) + len(said.thought) <= len(text) + 8


def test_a_call_in_a_channel_of_its_own_is_a_call() -> None:
    said = spoken(
        "<|channel|>analysis<|message|>I read it.<|end|><|start|>assistant<|channel|>commentary to=functions.read_fd "
        '<|constrain|>json<|message|>{"fd": "fd-1"}<|call|>'
    )
    assert said == Spoken("", "I read it.", (ToolCall("call-0", "read_fd", '{"fd": "fd-1"}'),))


def test_what_came_beside_the_text_is_the_thought() -> None:
    answer = heard(GenerateAnswer([Choice("Yes.", "end", 1, thought="Perhaps.\n")], 0, 0, 0, 0, 1, "text"))
    assert (answer.choices[0].text, answer.choices[0].thought) == ("Yes.", "Perhaps.")


def test_a_template_that_has_begun_the_thought_is_known_by_its_end() -> None:
    said = FramePart("Hi", is_frame=False)
    assert opened_in([said, FramePart("<|assistant|><think>\n", is_frame=True)]) == "<think>"
    assert opened_in([said, FramePart("<|assistant|><think>\n\n</think>\n\n", is_frame=True)]) == ""
    assert opened_in([FramePart("I end with <think>", is_frame=False)]) == ""


def test_of_many_ends_only_the_first_are_looked_at() -> None:
    """Complaint: a reply that went in circles over marks took seconds for each piece of it."""
    begins, ends = "<think>\n" * 3_000, "</think>\n" * 3_000
    said = spoken(f"{begins}{ends}")
    assert said.text.count("</think>") == 3_000 - MOST_ENDS
    assert said.thought.count("<think>") == 2_999
