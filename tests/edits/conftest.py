"""A vocabulary of bytes for llama.cpp's grammar sampler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from byte_grammar import Admits, byte_vocabulary

from palimpsest.engine.generation.grammar import check_gbnf
from palimpsest.engine.llama.library import library


@pytest.fixture(scope="session")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    api = library().api
    path = tmp_path_factory.mktemp("vocabulary") / "bytes.gguf"
    byte_vocabulary(path)
    parameters = api.llama_model_default_params()
    parameters.vocab_only = True
    model = api.llama_model_load_from_file(str(path).encode(), parameters)
    assert model
    yield api.llama_model_get_vocab(model)
    api.llama_model_free(model)


@pytest.fixture
def admits(vocabulary: Any) -> Iterator[Callable[[str], Admits]]:
    made = list[Admits]()

    def make(grammar: str) -> Admits:
        check_gbnf(grammar)  # the engine would refuse others
        made.append(Admits(vocabulary, grammar))
        return made[-1]

    yield make
    for one in made:
        one.close()
