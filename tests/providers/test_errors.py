"""An error that crosses the wire is the same error on the other side."""

import pytest

from palimpsest import errors
from palimpsest.engine.core.engine_thread import error_object
from palimpsest.providers.base.errors import from_object


@pytest.mark.parametrize(
    "error",
    [
        errors.InvalidArgument("max_tokens", "expected int, got str", hint="Give a number."),
        errors.EngineUnavailable("The engine is stopping."),
        errors.EngineLoading("The model is being loaded."),
        errors.ModelError("The model file is truncated.", hint="Get it again."),
        errors.ContextTooLarge("It does not fit.", fitting=1234, hint="Use engine.n_ctx."),
        errors.DecodeError("llama_decode failed.", return_code=-3),
        errors.Cancelled("The request was replaced."),
    ],
    ids=lambda e: type(e).__name__,
)
def test_an_error_comes_back_as_it_went(error: errors.PalimpsestError) -> None:
    back = from_object(error_object(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)


@pytest.mark.parametrize(
    "data", [None, [], "no", {}, {"code": "of tomorrow"}, {"code": "context_too_large", "fitting": "x"}]
)
def test_whatever_comes_is_some_error_of_ours(data: object) -> None:
    assert isinstance(from_object(data), errors.EngineError)
