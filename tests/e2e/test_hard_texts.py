"""Documents that end a parser or keep it for ever: the server goes on."""

from __future__ import annotations

import pytest

from .conftest import Editor

RUSSIAN = "2026-11-25 12:00:01 ОШИБКА [главный] магазин.Корзина: {номер=7} не найден файл 'счёт'\n"
CHINESE = "2026-11-25 12:00:01 错误 [主] 商店.购物车: {编号=7} 找不到文件 '账单'\n"
ENDLESS = 'valR"(import <a"""EOF\''
"""With one of many a little different, tree-sitter looks at more ways to understand them than there is time for."""
DOCUMENTS = {
    "log.php": ("php", "<?php\n" + RUSSIAN * 620),
    "log-2.php": ("php", "<?php\n" + CHINESE * 2_200),
    "log.cs": ("csharp", CHINESE * 880),
    "names.cpp": ("cpp", "x = 'אבג'\n" * 2_500),
    "endless.cpp": ("cpp", ENDLESS * 84 + ENDLESS.replace('R"(', "# ") + ENDLESS * 75 + "\n"),
    "emoji.php": ("php", "<?php\n" + "😀🎉🍐 👩‍👩‍👧 🚀\n" * 900),
}


@pytest.mark.parametrize("name", DOCUMENTS)
async def test_a_key_in_a_hard_text_does_not_end_the_server(process_editor: Editor, name: str) -> None:
    language, text = DOCUMENTS[name]
    for _ in range(2):
        uri = process_editor.open(name, text, language=language)
        position = process_editor.edit(uri, "\n", "\nx$0")
        await process_editor.complete(uri, position, invoked=True)
        await process_editor.stats()
        assert process_editor.client.process.returncode is None
        process_editor.close(uri)
    uri = process_editor.open("small.py", "def add(a, b):\n    return ", language="python")
    assert await process_editor.complete(uri, process_editor.at(uri, "return "), invoked=True)
