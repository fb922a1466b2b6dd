"""What tells a secret besides being random: names, the beginnings of keys, and what stands around passwords.

Out: tables.  Pure data.  What looks random is masked without any of this (`randomness.py`).  With it, what is shorter
or no more random than a word is masked too, and a document that holds a key is known.
"""

from __future__ import annotations

import re


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


TOKEN, KEY, HASH = "an access token", "a private key", "a hashed password"
PREFIXES = _words("""
    ABIA ABSK ACCA AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1 AIK_CI_ AIK_CLIENT_ AIK_SECRET_ AIza AKCp AKIA API- AQ.Ab8RN6
    ASIA ATAT ATBB ATCTT3xFf AstraCS: BBDC- CCDB1_ CCIPAT_ CCIPRJ_ CFPAT- CLOJARS_ EAAA EAAC EAAM EZAK EZTK
    FLWPUBK_TEST- FLWSECK_TEST- FlyV1 GOCSPX- GR1348941 HRKU-AA IGQV NRAK- NRII- NRJS- NRRA- PMAK- SG. SWMKEY-1-
    SWMTKN-1- ZXlK access-development- access-production- access-sandbox- access_token$ aio_ api-token- api_live.
    api_live_ca. api_live_us. api_org_ apify_api_ apk_ bb_live_ bedrock-api-key- bkaa_ bkaj_ bkar_ bkct_ bkpat_ bkps_
    bkpt_ bkua_ cfat_ cfut_ cmVmd cnvca cog_ configcat-sdk-1/ csa_ csk- csk_ ctp_ dapi dbtc_ dbtu_ dckr_oat_ dckr_pat_
    ddp_ ddw_ doo_v1_ dop_v1_ dor_v1_ dp. dt0c01. dt0s01. dt0s16. duffel_live_ duffel_test_ dvc_client_ dvc_mobile_
    dvc_server_ e2b_ endr_ essu_ fc- figd_ figo_ fio-u- fo1_ fw_ gcntfy- gho_ ghp_ ghr_ ghs_ ghu_ github_pat_ glagent-
    glc_ glcbt- gldt- glffct- glft- glimt- gloas- glpat- glptt- glrt- glrtr- glsa_ glsoat- gsk_ hf_ hvb. hvr. hvs. ico-
    ion_ jina_ key- lin_api_ lin_oauth_ lip_ llx- ls__ lsv2_pt_ lsv2_sk_ mdb_sa_sk_ mercury_production_
    mergify_application_key_ mlsn. mob- napi_ nfc_ nfo_ nfp_ nfu_ npg_ npm_ nsec1 ntn_ nvapi- nyk_ ops_eyJ os_v2_app_
    os_v2_org_ p8e- pa- pat- pat-eu1- pat-na1- pat. pat_ pcsk_ pdl_live_apikey_ persona_production_ phc_ phx_ pina_
    pk-lf- pk_ pnu_ polar_at_ polar_oat_ polar_pat_ pplx- prf_ pscale_oauth_ pscale_pw_ pscale_tkn_ pul- pypi-Ag r8_
    ramp_sec_ rdme_ re_ rk_live_ rk_prod_ rk_test_ rnd_ rootly_ rpa_ rubygems_ rzp_live_ rzp_test_ s-s4t2af- s-s4t2ud-
    samsara_api_ sat. sb_secret_ sbp_ sdk- secret_ sgp_ sha256~ shippo_live_ shippo_test_ shpat_ shpca_ shppa_ shpss_
    shptka_ sk- sk-ant- sk-api- sk-lf- sk-proj- sk. sk_ sk_car_ sk_live_ sk_prod_ sk_test_ sl. sm_aat_ sm_pat_ sm_sat_
    sntrys_ sntryu_ sq0atp- sq0csp- sq0idp- sqa_ sqp_ squ_ tfp_ tgp_v1_ tk-us- tprv tskey- tss_ tvly- ucat_ unkey_ vca_
    vci_ vck_ vcp_ vcr_ vercel_blob_rw_ vtwn_ waka_ wandb_v1_ whsec_ wrka- xai- xapp- xkeysib- xnd_development_
    xnd_production_ xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xprv xsmtpsib- ya29. yprv zpka_ zprv
""")
"""What stands at the beginning of a token, as the issuers document it."""
SECRETS = _words("""
    key token secret cred auth bearer salt hmac jwt cookie signature webhook dsn schlüssel токен ключ 令牌 密钥
    トークン 토큰
""")
"""What is in names of secrets, which look random."""
PASSWORDS = (
    "identified by",
    *_words("""
    pass pwd requirepass sshpass clave senha contrase kennwort secret credential geheim wachtwoord lösenord losenord
    motdepasse mot_de_passe motpasse heslo hasło haslo parola parolă parool slaptažod slaptazod şifre sifre šifra
    zaporka lozinka geslo salasana salasõna jelszó jelszo adgangskode passord matkhau mật_khẩu kata_sandi palavra_passe
    лозинка пароль парола гасло секрет 密码 密碼 口令 秘密 密钥 令牌 パスワード 비밀번호 암호 סיסמה סיסמא κωδικ
    συνθηματικ كلمة_المرور كلمة_السر گذرواژه पासवर्ड รหัสผ่าน
"""),
)
"""What is in names of passwords, in the languages that people write them in: they need not look random."""
SHORT = _words("pw psk mdp pin otp pat")
"""These name passwords, too, where they are a whole word of a name."""
_B64 = "A-Za-z0-9+/"
_BEHIND = rf"[ \t]*(?:$|[\r\n])|\\+[nru]|&#|%0|[\"'`][\s,+\\bBrR]{{0,40}}[\"'`][{_B64}]{{24}}|[ \t]*[{_B64}]{{24}}"
FORMS = tuple(
    (kind, tuple(literals.split("|")), re.compile(pattern))
    for kind, literals, pattern in (
        (KEY, "PRIVATE KEY", rf"-----BEGIN [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----(?={_BEHIND})"),
        (KEY, "OpenVPN Static key", r"-----BEGIN OpenVPN Static key V\d-----"),
        (KEY, "BEGIN SSH2", r"---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----"),
        (KEY, "PuTTY-User-Key-File-", r"PuTTY-User-Key-File-\d: [a-z]"),
        (KEY, '"private_key"', r"\"private_key\"\s{0,20}:\s{0,20}\"[^\"\s<>${}]{16,4096}"),
        (KEY, "RW", rf"\bRW(?:RTY0Iy|RCSw|QAAEIy)[{_B64}]{{60,400}}={{0,2}}"),  # minisign's and signify's
        (KEY, "S", r"S(?<!\wS)[A-DNOUX][A-Z2-7]{54}(?:[A-Z2-7]{2})?\b"),  # of NATS and of Stellar
        (KEY, "LS0tLS1CRUdJTi", rf"LS0tLS1CRUdJTi(?!BDRVJU|BQVUJMSUM|BYNTA5)[{_B64}\n\r ]{{40,}}=?=?"),  # PEM in base64
        (KEY, '"kty', r"\\?\"(?:d|k|p|q|dp|dq|qi)\\?\"\s{0,20}:\s{0,20}\\?\"[\w\-]{20,2000}={0,2}(?=\\?\")"),
        (KEY, "$ANSIBLE_VAULT;", r"\A\s{0,100}\$ANSIBLE_VAULT;\d"),
        (
            TOKEN,  # of AWS
            "ret|RET",
            rf"(?i:secret_?(?:access_?)?key)[\"']?\s{{0,8}}(?:=>?|:=?|,)\s{{0,8}}[\"']?[{_B64}]{{40}}(?![{_B64}=])",
        ),
        (
            TOKEN,
            "hook",
            r"(?:hooks?\.(?:slack|zapier|[a-z0-9.]{0,12}make)|webhook\.office|discord(?:app)?)\.com/[^\s\"'`<>]{24,400}",
        ),
        (TOKEN, "Key=", rf"(?:Account|SharedAccess)Key=[{_B64}]{{32,100}}={{0,2}}"),
        (TOKEN, "sig=", r"[?&;]sig=[A-Za-z0-9%+/]{40,90}(?:%3[Dd]|=)"),
        (TOKEN, "T3BlbkFJ", r"\bsk-[\w\-]{20,100}T3BlbkFJ[\w\-]{20,100}"),
        (TOKEN, "JQQJ99", r"\b[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{20,40}"),
        (TOKEN, "Q~", r"(?<![\w\-.~])[\w~.]{3}\dQ~[\w\-.~]{31,34}"),
        (TOKEN, ":AA", r"(?<![\w\-])\d{8,10}:AA[\w\-]{33}(?![\w\-])"),  # Telegram's
        (TOKEN, ":APA91b", r"AAAA[\w\-]{7}:APA91b[\w\-]{100,200}"),
        (TOKEN, ".", r"[MNO](?<![\w\-.].)[\w\-]{23,27}\.[\w\-]{6}\.[\w\-]{27,40}"),  # Discord's
        (TOKEN, "eyJ", r"(?<![\w\-.])eyJ[\w\-]{10,4000}\.[\w\-]{10,4000}\.[\w\-]{16,4000}"),
        (
            TOKEN,
            ".atlasv1.|.acc",
            r"\.(?:atlasv1|acc[_\-][a-z0-9\-]{10,32})\.[\w\-+/=]{30,120}",
        ),
        (TOKEN, "-us|_mmk", r"\b(?:[0-9a-f]{32}-us\d{1,2}|[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)\b"),
        (
            TOKEN,
            "SK|cio|oy2|pat",
            r"\b(?:SK[0-9a-f]{32}|cio[A-Za-z0-9]{32}|oy2[a-z0-9]{43}|pat[A-Za-z0-9]{14}\.[0-9a-f]{64})\b",
        ),
        (TOKEN, "1//0", r"(?<![\w/])1//0[\w\-]{40,300}"),
        (TOKEN, "A3-", r"\bA3-[A-Z0-9]{6}-[A-Z0-9\-]{11,12}(?:-[A-Z0-9]{5}){3}"),
        (TOKEN, "v1.0-", r"\bv1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
        (HASH, "$", r"\$(?:[56y]|gy|[PH]|(?:apr)?1|2[abxy]?|argon2(?:id?|d))\$[./\w$=,+]{30,300}"),
        (
            HASH,
            "pbkdf2|scrypt",
            r"(?:pbkdf2|scrypt)[_:\-]?[a-z0-9_:]{0,20}\$(?:\d{1,9}\$)?[./+A-Za-z0-9]{6,64}\$[./+\w]{27,128}=?",
        ),
        (HASH, "{S|{M", rf"\{{S?(?:SHA|MD5)\d{{0,3}}\}}[{_B64}]{{22,160}}={{0,2}}"),
        (
            HASH,
            "SCRAM-SHA-",
            rf"SCRAM-SHA-\d{{1,3}}\$\d{{1,9}}:[{_B64}=]{{8,64}}\$[{_B64}=]{{20,100}}:[{_B64}=]{{20,100}}",
        ),
    )
)
"""A kind, what one of is always in it, and all of it."""
