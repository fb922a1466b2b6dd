"""What a person is told before a model replies that was not made for conversations.

In: a model.  Out: a sentence, with the command that gets another one.  Pure.
"""

from palimpsest.models.known import KNOWN
from palimpsest.wire import ModelInfo

BETTER = min((known for known in KNOWN if known.instructed and known.is_free), key=lambda known: known.size_gb).name
"""The smallest one that follows instructions."""


def unfit(model: ModelInfo | None) -> str:
    """ "" for one that is fit, or not known yet."""
    if model is None or model.converses:
        return ""
    return (
        f"The model {model.name} was made to complete code and cannot hold a conversation; "
        f"`palimpsest model get {BETTER}` gets one that can."
    )
