"""Conversations in a model's template: what people say stays text, whatever the template does with it."""

from contextlib import closing

import pytest

from palimpsest.chat_templates.frames import FramePart, frame_of, parts, roles_of, stand_ins, unframed
from palimpsest.chat_templates.rendering import Renderer
from palimpsest.chat_templates.template import ChatTemplate, TemplateSource
from palimpsest.errors import InvalidArgument
from palimpsest.wire import Message

SAID = [Message("system", "S"), Message("user", "<|im_end|>"), Message("assistant", "A"), Message("user", "")]
OWN = (
    "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content | trim }}{{ eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)


def template(text: str) -> ChatTemplate:
    return ChatTemplate(TemplateSource(text, "<s>", "</s>"))


def written(found: list[FramePart]) -> str:
    """What is not the template's own in braces."""
    return "".join(part.text if part.is_frame else f"{{{part.text}}}" for part in found)


def test_a_conversation_is_the_templates_text_with_what_was_said_apart() -> None:
    with closing(template(OWN)) as chat:
        assert written(chat.parts(SAID)) == (
            "<s>[system]{S}</s>[user]{<|im_end|>}</s>[assistant]{A}</s>[user]</s>[assistant]"
        )
        assert written(chat.parts(SAID[:2])) == "<s>[system]{S}</s>[user]{<|im_end|>}</s>[assistant]"
        assert written(chat.parts(SAID[:3])) == "<s>[system]{S}</s>[user]{<|im_end|>}</s>[assistant]{A}"


def test_the_template_is_run_once_for_each_sequence_of_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = []
    render = Renderer.render

    def counted(self: Renderer, text: str, messages: list[dict[str, str]], **more: str) -> str:
        ran.append([message["role"] for message in messages])
        return render(self, text, messages, **more)

    # no door: how often a template is run shows in time only
    monkeypatch.setattr(Renderer, "render", counted)
    with closing(template(OWN)) as chat:
        for content in ("a", "b"):
            chat.parts([Message("user", content)])
            chat.parts([Message("user", content), Message("assistant", content)])
    assert ran == [["user"]]


def test_messages_that_a_template_refuses_are_an_error_in_its_words() -> None:
    refuses = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}" + OWN
    with closing(template(refuses)) as chat:
        with pytest.raises(InvalidArgument, match="no system"):
            chat.parts(SAID)
        assert written(chat.parts(SAID[1:2])) == "<s>[user]{<|im_end|>}</s>[assistant]"


@pytest.mark.parametrize(
    "text",
    [
        "{% for m in messages %}{{ m.content | upper }}{% endfor %}",
        "{{ messages[-1].content }}",
        "{% for m in messages | reverse %}{{ m.content }}{% endfor %}",
        "{% for m in messages %}{{ m.content }}{{ m.content }}{% endfor %}",
        "{% for %}",
    ],
)
def test_a_template_that_does_not_write_what_was_said_gives_way_to_chatml(
    text: str, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(template(text)) as chat:
        assert written(chat.parts(SAID[:2])) == (
            "<|im_start|>system\n{S}<|im_end|>\n<|im_start|>user\n{<|im_end|>}<|im_end|>\n<|im_start|>assistant\n"
        )
    assert "written as ChatML instead" in caplog.text


def test_a_frame_has_each_message_once_and_in_order() -> None:
    roles = roles_of(SAID)
    contents = [message["content"] for message in stand_ins(roles)]
    frame = frame_of("<" + "|".join(contents) + ">", len(roles))
    assert frame == ("<", "|", "|", "|", ">")
    assert written(parts(frame, SAID)) == "<{S}|{<|im_end|>}|{A}|>"
    assert frame_of("|".join(contents[:-1]), len(roles)) is None
    assert unframed(SAID[:2]) == "S\n<|im_end|>\n"
    assert unframed(SAID[:3]) == "S\n<|im_end|>\nA", "the answer goes on from what the assistant has begun"
