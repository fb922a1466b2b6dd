"""A literal that looks random and is given to the name of a secret is masked, in any language; nothing else is."""

from __future__ import annotations

import codecs
import json
import sysconfig
from pathlib import Path

import pytest
from tests.sources import SERVER
from tests.text.planted_secrets import words_masked

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
        'headers = {{"Authorization": "Bearer {}"}}',
        'k = process.env.API_KEY ?? "{}"',
        'k = os.environ.get("API_KEY") or "{}"',
        'api_key: str = Field(default="{}")',
        'char api_key[32] = "{}";',
        'key := []byte("{}")',
        'let api_key = Some(String::from("{}"));',
        'key = b"{}"',
        'key = """{}"""',
        'let key = r#"{}"#;',
        "local api_key = [[{}]]",
        "api_key = (\n    '{}'\n)",
        'TOKENS = ["{0}", "{0}"]',
        'TOKENS = {{"a": "{0}", "b": "{0}"}}',
        '{{"name": "API_KEY", "value": "{}"}}',
        "- name: API_KEY\n  value: {}",
        '<add key="ApiKey" value="{}" />',
        "<key>APIKey</key>\n<string>{}</string>",
        "ENV SECRET_KEY {}",
        "run --token {}",
        "token: |\n  {}",
        'buildConfigField "String", "API_KEY", "\\"{}\\""',
        'author_api_key = "{}"',
        'keyboard.token = "{}"',
        'public_key, secret_key = "{}"',
        'salt = "{}"',
        'public string ApiKey {{ get; set; }} = "{}";',
        'requests.get(url, auth=("bob", "{}"))',
        'new HTTPBasicAuth("bob", "{}")',
        'key = "sk" + "{}"',
        'jwt.sign(payload, "{}")',
        'cookie = "{}"',
        'schlüssel = "{}"',
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
        'DB_PASS="{}"',
        'passcode = "{}"',
        'contraseña = "{}"',
        "clave: '{}'",
        'senha = "{}"',
        'пароль = "{}"',
        '密码 = "{}"',
        'パスワード = "{}"',
        '비밀번호 = "{}"',
        'hasło = "{}"',
        "CREATE USER b IDENTIFIED BY '{}'",
        'curl -u "bob:{}" https://shop',
        "bob:{}@tcp(localhost:3306)/db",
        "requirepass {}\n",
    ],
)
def test_a_password_is_masked(line: str) -> None:
    assert masked(line.format(PASSWORD)) == line.format("...")


@pytest.mark.parametrize(
    "line",
    [
        "DB_PASSWORD={}\n",
        'password: "{}"',
        "MYSQL_ROOT_PASSWORD: {}\n",
        'f(passwd="{}")',
        'requests.get(url, auth=("admin", "{}"))',
        'HTTPBasicAuth("admin", "{}")',
        "smtp.login('me@shop.example', '{}')",
        "docker login -u me -p {} registry.internal",
        "unzip -P {} all.zip",
        "7z x -p{} all.7z",
        "ldapsearch -D cn=admin -w {} -b dc=shop",
        "keytool -list -storepass {}",
        "tool --pass {} start",
        "The admin password of the shop is {}.",
        '"""Has password={}."""',
        "Is the password: {}?",
        "connect(password: str)\nset password={} there",
    ],
)
def test_so_is_one_of_letters_and_digits(line: str) -> None:
    assert masked(line.format("letmein" + "2024")) == line.format("...")


@pytest.mark.parametrize("value", [KEY + "%d", KEY + "...", f"two {KEY} words", KEY + "\\n", "${A}" + KEY])
def test_what_is_filled_in_hides_nothing_beside_it(value: str) -> None:
    assert KEY not in masked(f'api_key = "{value}"')


def test_a_password_in_an_address_may_be_escaped() -> None:
    for password in (f"p%40{KEY}", f"{KEY}%21", f"p@{KEY}"):
        assert masked(f"postgres://u:{password}@db/x") == "postgres://u:...@db/x"


@pytest.mark.parametrize("value", ["4810732955601842", "9f86d0" + "81884c7d65", "0x" + "9f86d0" * 4])
def test_digits_alone_are_a_key(value: str) -> None:
    assert masked(f'api_key = "{value}"') == 'api_key = "..."'


@pytest.mark.parametrize(
    "line",
    [
        'key = "user_preferences_of_the_shop"',
        "token = secrets.token_hex(32)",
        "private_key: PKCS12PrivateKeyTypes",
        'API_KEY = os.environ["SHOP_API_KEY_2026"]',
        "password: ${DB_PASSWORD_1}",
        'password = "hunter2"',
        'const passwordField = document.getElementById("password1")',
        "password2 = form.password2_confirmation",
        "https://user:password@example.org/",
        "postgres://{user}:{password}@{host}/shop",
        'KEYS = ("primary-key-2", "x25519-private-key")',
        'bypass("localhost.internal:8888")',
        'keyboard_layout = "de-latin1-nodeadkeys-v2"',
        'version_key = "2026.11.26-rc1+build5"',
        'login("user_name", "users/account_2")',
        "docker run -p 8080:8080 shop",
        "tool --pass --verbose2 --bypass something2",
        'authors = ("Ann Lee", "Ben Short")',
        f'api_key = "{KEY}"  # gitleaks:allow',
    ],
)
def test_names_and_what_is_filled_in_stay(line: str) -> None:
    assert masked(line) == line


def test_our_own_code_has_none_but_hashes_and_tables() -> None:
    of_hashes = {"known.py", "default_model.py"}
    texts = {path: path.read_text(encoding="utf-8") for path in SERVER.rglob("*.py") if path.name not in of_hashes}
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
    n_words, n_masked, _ = words_masked(
        Path(sysconfig.get_path("stdlib")), leave_out=("site-packages", "test", "tests")
    )
    assert n_masked <= 0.0005 * n_words
    assert n_words > 500_000


@pytest.mark.parametrize(
    "line",
    [
        "密码：{}",
        "パスワード：「{}」。",
        "гасло = '{}'",
        "haslo = '{}'",
        "كلمة_المرور = '{}'",
        "รหัสผ่าน: {}",
        "пароль: «{}»",
    ],
)
def test_a_password_is_masked_as_people_write_it_in_their_languages(line: str) -> None:
    assert PASSWORD not in masked(line.format(PASSWORD))


def test_a_key_of_unicode_escapes_is_masked() -> None:
    assert masked('key = "{}"'.format("".join(f"\\u{ord(char):04x}" for char in KEY))) == 'key = "..."'
    page = '{"a": "\\u003cdiv\\u003e\\u003cp\\u003ehello\\u003c/p\\u003e"}'
    assert masked(page) == page
