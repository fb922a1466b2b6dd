"""Files that are no UTF-8 are read where their first lines say how."""

import pytest

from palimpsest.workspace.files import decoded


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("x = 'grün'\n".encode(), "x = 'grün'\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        ("# -*- coding: latin-1 -*-\nx = 'grün'\n".encode("latin-1"), "# -*- coding: latin-1 -*-\nx = 'grün'\n"),
        (
            "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '„'\n".encode("cp1252"),
            "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '„'\n",
        ),
        ("// 1\n// 2\n// coding: latin-1\n// grün\n".encode("latin-1"), None),
        ("x = 'grün'\n".encode("latin-1"), None),
        ("# coding: nonsense\nx = 'grün'\n".encode("latin-1"), None),
        ("# coding: rot13\nx = 'grün'\n".encode("latin-1"), None),
        (b"# coding: unicode_escape\nx = '\xfc'\n", None),
        (b"# coding: idna\nx = '\xfc'\n" + b"\xfc" * 900_000, None),
        (b"# coding: punycode\nx = '\xfc'\n", None),
        ("# coding: ascii\nx = 'grün'\n".encode("latin-1"), None),
        (b"# coding: latin-1\nx = '\xfc\0'\n", None),
    ],
)
def test_the_first_two_lines_may_name_an_encoding(data: bytes, text: str | None) -> None:
    assert decoded(data) == text
