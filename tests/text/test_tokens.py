"""What is found in a text: keys and tokens by their formats, and nothing in ordinary code."""

import random
import string

import pytest
from tests.sources import SERVER

from palimpsest.text.tokens import found, masked

BODY = "MIIEpAIBAAKCAQEA1c7+9z5Pad7OejecsQ0buxYfZP1mJFQ3Yk8Z4kGJm0m1Zr5y"
SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzKEYabc"
TOKENS = {
    "AWS access key": "AKIA" + "QYLPMN5HFIQR7XYA",
    "GitHub": "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "GitHub fine-grained": "github_pat_" + "11ABCDEFG0" + "a1B2c3D4e5" * 7 + "ab",
    "GitLab": "glpat-" + "a1B2c3D4e5F6g7H8i9J0",
    "Slack": "xoxb-" + "2444333222111-2444333222111-a1B2c3D4e5F6g7H8i9J0k1L2",
    "Stripe": "sk_live_" + "a1B2c3D4e5F6g7H8i9J0k1L2",
    "OpenAI": "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8a1B2c3D4e5F6",
    "Anthropic": "sk-ant-api03-" + "a1B2c3D4e5F6g7H8i9J0" * 5,
    "Google": "AIza" + "SyA1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q",
    "Hugging Face": "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH",
    "npm": "npm_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "PyPI": "pypi-AgEIcHlwaS5vcmc" + "a1B2c3D4e5" * 8,
    "SendGrid": "SG." + "a1B2c3D4e5F6g7H8i9J0k1" + "." + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8a1B2c3D",
    "JSON web token": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    "Telegram": "110201543" + ":AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
}
MIXED, HEX = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8" * 5, "0123456789abcdef" * 8
TOKENS |= {
    prefix: prefix + body
    for prefix, body in {
        "ABSK": MIXED[:132],
        "SharedAccessKey=": MIXED[:43] + "=",
        "https://a.blob.core.windows.net/b?sv=2022&sig=": MIXED[:43] + "%3D",
        "pcsk_": f"{MIXED[:6]}_{MIXED[:63]}",
        "lsv2_pt_": f"{HEX[:32]}_{HEX[:10]}",
        "sk-lf-": "01234567-89ab-cdef-0123-456789abcdef",
        "tvly-": MIXED[:32],
        "e2b_": HEX[:40],
        "re_": f"{MIXED[:8]}_{MIXED[:24]}",
        "xkeysib-": f"{HEX[:64]}-{MIXED[:16]}",
        "AKCp": MIXED[:69],
        "napi_": MIXED[:64],
        "phx_": MIXED[:43],
        "dt0c01.": f"{MIXED[:24].upper()}.{MIXED[:64].upper()}",
        "sqp_": HEX[:40],
        "pat-na1-": "01234567-89ab-cdef-0123-456789abcdef",
        "CFPAT-": MIXED[:43],
        "dbtc_": MIXED[:36],
        "pnu_": MIXED[:36],
        "pat": f"{MIXED[:14]}.{HEX[:64]}",
        "access-production-": "01234567-89ab-cdef-0123-456789abcdef",
        "sk.eyJ": f"{MIXED[:60]}.{MIXED[:22]}",
        "fw_": MIXED[:24],
        "LS0tLS1CRUdJTi": "BSU0EgUFJJVkFURSBLRVktLS0tLQ" + MIXED[:60],
        "access_token$production$": f"{HEX[:16]}${HEX[:32]}",
        "vercel_blob_rw_": f"{MIXED[:16]}_{MIXED[:32]}",
        "npg_": MIXED[:12],
        "CCIPRJ_": f"{MIXED[:22]}_{HEX[:40]}",
        "sk_": HEX[:48],
        "secret_": MIXED[:43],
        "sdk-": "01234567-89ab-cdef-0123-456789abcdef",
        f"{MIXED[:52]}JQQJ99": MIXED[:26],
        "oy2": MIXED[:43].lower(),
        "1//0": MIXED[:60],
        "AAAAa1B2c3D:APA91b": MIXED[:134],
        "pk_1234567_": MIXED[:32].upper(),
        "https://hooks.zapier.com/hooks/catch/1234567/": MIXED[:7],
        "SUA": "D2ABCDEFGHIJKLMNOPQRSTUVWXYZ234567ABCDEFGHIJKLMNOPQRSTU",
        "xprv9s21ZrQH143K": MIXED[:95].replace("0", "2").replace("I", "J").replace("O", "P"),
        "nsec1": "qpzry9x8gf2tvdw0s3jn54khce6mua7l" + "qpzry9x8gf2tvdw0s3jn54khce",
        "AGE-SECRET-KEY-PQ-1": MIXED[:58].upper(),
        "$y$j9T$": f"{MIXED[:22]}${MIXED[:43]}",
        "$P$B": MIXED[:30],
        "pbkdf2_sha256$600000$": f"{MIXED[:22]}${MIXED[:43]}=",
        "scrypt:32768:8:1$": f"{MIXED[:16]}${HEX[:128]}",
        "{SSHA}": MIXED[:32],
        "SCRAM-SHA-256$4096:": f"{MIXED[:22]}==${MIXED[:43]}=:{MIXED[:43]}=",
        "$6$": f"a1B2c3D4${MIXED[:86]}",
    }.items()
}


@pytest.mark.parametrize("around", ['TOKEN = "{}"', "token: {}\r\n", "# see {} there", "export T={}", '"""Use {}."""'])
def test_a_token_is_found_wherever_it_stands(around: str) -> None:
    texts = {name: around.format(token) for name, token in TOKENS.items()}
    assert [name for name, text in texts.items() if not found(text) or TOKENS[name] in masked(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----\n",
        f"-----BEGIN OPENSSH PRIVATE KEY-----\r\n{BODY}\r\n-----END OPENSSH PRIVATE KEY-----\r\n",
        f"key: |\n    -----BEGIN EC PRIVATE KEY-----\n    {BODY}\n",
        f'KEY = "-----BEGIN PRIVATE KEY-----\\n{BODY}\\n"\n',
        f'KEY = ("-----BEGIN PRIVATE KEY-----"\n       "{BODY}")\n',
        "-----BEGIN PGP PRIVATE KEY BLOCK-----",
        "-----BEGIN PRIVATE KEY-----\n",
        '{"type": "service_account", "private_key": "a1B2c3D4e5F6g7H8i9J0"}',
        f"[default]\naws_secret_access_key = {SECRET}\n",
        f'{{"SecretAccessKey": "{SECRET}"}}',
        f"AWS_SECRET_ACCESS_KEY={SECRET}\n",
        "PuTTY-User-Key-File-3: ssh-ed25519\n",
        f"untrusted comment: minisign encrypted secret key\nRWRTY0Iy{BODY * 2}\n",
        f"-----BEGIN OpenVPN Static key V1-----\n{BODY}\n-----END OpenVPN Static key V1-----\n",
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n",
        "$ANSIBLE_VAULT;1.1;AES256\n6262",
        "$2b$12$" + "R9h/cIPz0gi" * 4 + "R9h/cIPz0",
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$" + "Rdescudv" * 3,
        "bob:$apr1$rKcnVw6F$" + "Y2Hq3r5vD1z" * 2,
        '{"kty": "RSA", "n": "AQAB", "d": "' + "X4cTteJY_gn" * 3 + '"}',
    ],
)
def test_keys_are_found(text: str) -> None:
    assert found(text)
    assert BODY not in masked(text)
    assert SECRET not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        "def client(aws_access_key_id=None, aws_secret_access_key=None, aws_session_token=None): ...",
        "session = Session(aws_secret_access_key=credentials.secret_key)",
        "if text.startswith('-----BEGIN RSA PRIVATE KEY-----'):",
        "-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMIIB",
        'info = {"private_key": private_key, "token": token}',
        'KEYS = {"private_key": "${PRIVATE_KEY_OF_PRODUCTION}"}',
        "from transformers import hf_hub_download_everything_there_is",
        'os.environ["npm_config_user_agent_of_this_very_machine"]',
        'AWS_ACCESS_KEY_ID = "AKIAIOSFODNN7EXAMPLE"',
        'TOKEN = "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
        f'TOKEN = "{TOKENS["GitHub"]}"  # gitleaks:allow',
        f'TOKEN = "{TOKENS["GitHub"]}"  # pragma: allowlist secret',
        "token = secrets.token_hex(32)",
        "pa-2-column-layout-of-the-shop's-own-front-page, secret_of_the_shop_that_nobody_is_told_2026, hook.make.com",
        "persona_production_environment_2_settings, api_live.something.of_this_very_machine_2",
        "tss_connection_timeout_v2_in_seconds = prf_cli_first_timer_of_2026(dvc_client_settings)",
    ],
)
def test_ordinary_code_holds_none(text: str) -> None:
    assert found(text) == ""
    assert masked(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJkekNDQVIyZ0F3SUJBZ0lCQURBS0JnZ3Foa2pP",
        "untrusted comment: minisign public key\nRWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3",
        'public_key = "q7Zp3vK9xT2mW8rB4nL6"',
        "id: 8f14e45f-ceea-467f-a8a5-0d0f6b1c9e3b",
        "at commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904 of the shop",
    ],
)
def test_what_is_random_and_public_is_masked_and_its_document_is_no_secret(text: str) -> None:
    assert masked(text).split("...")[0] != text
    assert found(text) == ""


def test_our_own_code_holds_none() -> None:
    assert [path for path in SERVER.parent.rglob("*.py") if found(path.read_text(encoding="utf-8"))] == []


def test_a_part_of_a_token_is_found_where_that_is_asked() -> None:
    part = TOKENS["GitHub"][:15]
    assert not found(part)
    assert found(part, parts=True)
    assert not found("hf_transfer and npm_lifecycle_event_name", parts=True)
    assert not found("cog_level_2_results, waka_first_summary_2, sgp_4_orbits_of_today, ion_energies_v2", parts=True)


def test_what_stands_around_a_token_is_kept() -> None:
    key = f"-----BEGIN PRIVATE KEY-----\n{BODY}\n-----END PRIVATE KEY-----"
    text = f'A = 1\nTOKEN = "{TOKENS["GitHub"]}"\nKEY = """{key}"""\nB = 2\n'
    assert masked(text) == 'A = 1\nTOKEN = "..."\nKEY = """..."""\nB = 2\n'


@pytest.mark.parametrize(
    "piece",
    [
        "key=",
        "key: a ",
        "token='",
        'password="a1B2c3D4e5F6g7H8"',
        "secret: str",
        "://a:b",
        'token = {"a": "',
        "key=['",
        '"pass": """',
        "a:b@(",
        "-u a:",
        "$2b$10$",
        "$y$",
        "pbkdf2_",
        "scrypt:1$",
        "{SSHA}",
        "SCRAM-SHA-1$1:",
        "untrusted comment:",
        "hook.a.",
        "SA",
        "machine a login ",
        "dvc_client_",
        "$6$",
        "eyJ",
        "ghp_",
        "glpat-",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----BEGIN ",
        "AKIAIOSFODNN7EXAMPLE ",
        "aws_secret_access_key = ",
        "sk-",
        "M" * 24 + ".",
        '"private_key": "',
        "xoxb-1-",
        "a.eyJ",
        "dp.",
        "AccountKey=",
        "SG.a",
        "secret_access_key" + "a" * 39 + " ",
        "\\x41",
        "\\x41 a",
        "0x41, ",
        "41:",
        "41 ",
        "1, ",
        "1,",
        "%0A",
        "&#10;",
        "q7-",
        "q7Zp3/",
        "q7Zp3vK9xT2mW8rB4nL6 ",
        "sk-a",
        "token:\n  ",
        "  token:\n    - a: [\n",
        "pw",
        "pw ",
        "mysql -p",
        "zip -",
        "docker ",
        "docker login ",
        "-pass ",
        "auth",
        'auth=("a",',
        'login(  "',
        "S",
        "M.",
        "pat",
        "a" * 50,
        "hook.",
    ],
)
def test_time_is_linear(piece: str) -> None:
    """Anything else would take hours; the limit of time that every test has is the bound."""
    text = piece * (300_000 // len(piece))
    found(text, parts=True)
    assert len(masked(text)) > 0


def test_random_text_holds_none() -> None:
    source = random.Random(1)
    text = "".join(source.choices(string.ascii_letters + string.digits + " \n", k=300_000))
    assert found(text) == ""
