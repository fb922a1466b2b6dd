"""A literal that looks random and is given to the name of a secret is masked, in any language; nothing else is."""

from __future__ import annotations

import codecs
import json
import sysconfig
from pathlib import Path

import pytest
from tests.sources import SERVER

from palimpsest.text.assigned_secrets import assigned
from palimpsest.text.tokens import found, masked, masked_pieces

KEY = "q7Zp3" + "vK9xT2mW8rB4nL6"
PASSWORD = "kT7!" + "vq-Zx"


@pytest.mark.parametrize(
    "line",
    [
        'api_key = "{}"',
        "API_KEY={}",
        "export SHOP_TOKEN='{}'",
        'const apiSecret: string = "{}";',
        "var apiToken string = `{}`",
        'let key: &str = "{}";',
        'token := "{}"',
        '"secretKey" => "{}",',
        '{{"clientSecret": "{}"}}',
        "access_token: {}\n",
        ":secret => '{}'",
        'config["auth_token"] = "{}"',
        'System.setProperty("SHOP_TOKEN", "{}");',
        "<apiToken>{}</apiToken>",
        "Authorization: Bearer {}\n",
        "PrivateKey = {}\n",
        "//registry.npmjs.org/:_authToken={}\n",
        'f(api_key="{}", n=1)',
        "KEY ?= {}\n",
        "?key={}&n=1",
        '"config": "SHOP_TOKEN={}\\nDEBUG=1"',
    ],
)
def test_a_key_is_masked_in_any_languages_way_of_giving_it(line: str) -> None:
    text = f"a = 1\n{line.format(KEY)}\nb = 2\n"
    assert masked(text) == f"a = 1\n{line.format('...')}\nb = 2\n"
    assert not found(text), "the file stays useful"


@pytest.mark.parametrize(
    "line",
    [
        'password = "{}"',
        "PGPASSWORD={}\n",
        "postgres://shop:{}@db.internal:5432/shop",
        "Server=db;User Id=shop;Password={};Encrypt=true",
        "machine db.internal login shop password {}\n",
    ],
)
def test_a_password_is_masked(line: str) -> None:
    assert masked(line.format(PASSWORD)) == line.format("...")


@pytest.mark.parametrize(
    "line",
    [
        'key = "user_preferences_of_the_shop"',
        "token = secrets.token_hex(32)",
        "private_key: PKCS12PrivateKeyTypes",
        'API_KEY = os.environ["SHOP_API_KEY_2026"]',
        "password: ${DB_PASSWORD_1}",
        'password = "hunter2"',
        "https://user:password@example.org/",
        "postgres://{user}:{password}@{host}/shop",
        'KEYS = ("primary-key-2", "x25519-private-key")',
        'keyboard_layout = "de-latin1-nodeadkeys-v2"',
        'public_key = "q7Zp3vK9xT2mW8rB4nL6"',
        'sha256 = "ff682ac12bb140f2d72fba8d3506cf4e46817a0db27aae1683867629031d8d55"',
        'version_key = "2026.11.26-rc1+build5"',
        f'api_key = "{KEY}"  # gitleaks:allow',
    ],
)
def test_names_and_what_is_filled_in_stay(line: str) -> None:
    assert masked(line) == line


def test_our_own_code_has_none() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in SERVER.rglob("*.py")}
    assert [path for path, text in texts.items() if masked(text) != text] == []


def test_a_text_in_pieces_is_masked_as_a_whole_one() -> None:
    text = f"a = 1\ntoken = '{KEY}'\n" * 3 + f"key={KEY}"
    for n in (1, 7, 30, 1_000):
        assert "".join(masked_pieces(text[at : at + n] for at in range(0, len(text), n))) == masked(text)


@pytest.mark.slow(part="properties")
def test_another_scanner_finds_little_more() -> None:
    """In samples of its own rules, which are ROT13 for the scanners that look into this repository."""
    scanner = pytest.importorskip("betterleaks")
    lines = codecs.decode((Path(__file__).parent / "samples_of_a_scanner.txt").read_text(), "rot13").splitlines()
    told = [(text, one.secret) for text in map(json.loads, lines) for one in scanner.scan_string(text) if one.secret]
    missed = [text for text, secret in told if secret in masked(text)]
    assert len(told) > 300
    assert len(missed) <= 0.05 * len(told), missed


@pytest.mark.slow(part="properties")
def test_little_is_masked_in_pythons_standard_library() -> None:
    paths = [path for path in Path(sysconfig.get_path("stdlib")).rglob("*.py") if "site-packages" not in path.parts]
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in paths]
    n_lines = sum(text.count("\n") for text in texts)
    assert sum(len(set(assigned(text))) for text in texts) <= n_lines / 10_000
    assert n_lines > 100_000
