"""Recognise files of secrets, and the files of version control, by their paths.

In: paths.  Out: answers from names and folders alone; opens no file and follows no link.

The names are documented by the tools that store keys and passwords in them, or are on public lists of sensitive files
(GitHub's gitignore templates, the default rules of gitrob, trufflehog and gitleaks).  Source files (`secrets.py`) and
templates (`.env.example`) are judged by their content instead (`tokens.py`).
"""

from __future__ import annotations

import re
import unicodedata
from fnmatch import translate
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePath


def _words(text: str) -> list[str]:
    return text.split()


_NAMES = _words("""
    .env* .dev.vars* *.env *.env.* *.pem *.key *.p8 *.p12 *.pfx *.pkcs12 *.jks *.jceks *.bks *.keystore
    *.keychain *.keychain-db *.kdb *.kdbx *.ppk *.snk *.keytab krb5cc_* *.ovpn *.rdp *.agilekeychain *.1pif
    secring.* wallet.dat *.wallet id_rsa* id_dsa* id_ecdsa* id_ed25519* id_xmss* *_rsa *_dsa *_ecdsa *_ed25519
    ssh_host_*_key deploy_key* deploy-key* deploykey* *_deploy_key *-deploy-key .netrc _netrc .authinfo* .pgpass
    pgpass.conf .my.cnf .mylogin.cnf .pypirc .npmrc .htpasswd htpasswd .htdigest .git-credentials
    .gitcredentials .dockercfg kubeconfig* *.kubeconfig kube.config *.tfvars *.tfvars.json *.tfstate *.tfstate.*
    .terraformrc terraform.rc credentials.tfrc.json service-account*.json service_account*.json
    serviceaccount*.json *-service-account*.json *_service_account*.json *firebase-adminsdk*.json client_secret*
    client-secret* application_default_credentials.json access_tokens.db .vault-token .vault_pass* .vault-pass*
    vault_pass* vault-pass* .vault-password* vault-password* .s3cfg .boto .passwd-s3fs rclone.conf .rclone.conf
    .databrickscfg .snowsql .smbcredentials .ldaprc .muttrc .msmtprc .esmtprc .fetchmailrc .wgetrc .curlrc
    .ftpconfig .sftp-config.json sftp-config.json .remote-sync.json filezilla.xml sitemanager.xml
    recentservers.xml .dbeaver-data-sources.xml robomongo.json *.publishsettings local.settings.json auth.json
    keystore.properties key.properties wp-config.php localsettings.php .*_history key3.db key4.db logins.json
    signons.sqlite cookies.sqlite
    admin.conf super-admin.conf kubelet.conf controller-manager.conf scheduler.conf k3s.yaml rke2.yaml
    kube_config_* talosconfig *.kubeconfig.y*ml .yarnrc.yml .yarnrc nuget.config .condarc .mcp.json .claude.json
    claude_desktop_config.json mcp_config.json oauth_creds.json gha-creds-*.json kaggle.json firebase-tools.json
    google-services.json googleservice-info.plist *.nmconnection wpa_supplicant*.conf *.secrets
    sasl_passwd* *.psafe3 *.keyring *.kwl *.remmina *.mobileprovision *.pubxml.user *.rdg confcons.xml
    winscp.ini appsettings.*.json connectionstrings.config token.json tokens.txt token.txt token.pickle
    *_token.txt *-token.txt access_token access-token api_key* api-key* apikey* api_token* api-token* apitoken*
    keys.txt key.txt keys.json private_key* private-key* privatekey* keypair.json id.json mnemonic.txt seed.txt
    utc--* pg_service.conf .mongorc.js .odbc.ini odbc.ini .sentryclirc sentry.properties .twurlrc ngrok.yml
    tailscaled.state .xauthority .viminfo .lesshst .histfile .zhistory consolehost_history.txt ntds.dit
    sftp.json ftp-sync.json webservers.xml datasources.local.xml .cvspass .mailrc .mbsyncrc .offlineimaprc
    .bigqueryrc
    wg[-_0-9]*.conf wireguard*.conf
    key.json *-key.json *_key.json rootkey*.csv *accesskeys*.csv oauth.json oauth_token.json tokens.json mcp.json
    kube-config* talosconfig.y*ml web.config web.*.config *.jwt ssh_key* ssh-key* .ftppass .dockerconfigjson pip.conf
    pip.ini vault.yml vault.yaml vault.json *.session
    *.token *.secret *_key.txt *-key.txt *passwords.* seed-phrase* seed_phrase* seedphrase* mnemonic recovery-codes*
    recovery_codes* backup-codes* backup_codes* cookies.txt storagestate*.json storage-state*.json env.local
    env.production env.*.local .htpasswd.* htpasswd.txt .netrc.* master.passwd shadow gshadow .clasprc.json .modal.toml
    bitwarden_export*.json *_token *-token .*_token *_token.json *-token.json
""")
_NAME = re.compile("|".join(translate(pattern) for pattern in _NAMES))
_PAIRS = frozenset(
    {
        (".docker", "config.json"),
        (".cargo", "config.toml"),
        (".m2", "settings.xml"),
        (".m2", "settings-security.xml"),
        (".gradle", "gradle.properties"),
        ("gh", "hosts.yml"),
        (".codex", "auth.json"),
        (".cursor", "mcp.json"),
        (".vscode", "mcp.json"),
        ("github-copilot", "hosts.json"),
        ("github-copilot", "apps.json"),
        ("huggingface", "token"),
        (".huggingface", "token"),
        (".stripe", "config.toml"),
        ("doctl", "config.yaml"),
        (".dbt", "profiles.yml"),
        (".mc", "config.json"),
        (".fly", "config.yml"),
        (".continue", "config.json"),
        (".claude", "settings.local.json"),
        (".auth", "user.json"),
    }
)
"""Folder and file, for file names that are harmless elsewhere."""
_FOLDER_PAIRS = frozenset({(".config", "gcloud"), ("run", "secrets")})
_FOLDERS = frozenset(
    {
        ".ssh",
        ".gnupg",
        ".aws",
        ".azure",
        ".kube",
        ".oci",
        ".bluemix",
        ".terraform.d",
        ".password-store",
    }
)
"""Everything in them is secret."""
_FOLDERS_OF_DATA = frozenset({".env", ".envs", ".secrets", ".credentials"})
"""Everything in them is secret except source files: a virtual environment may be called `.env`."""
_FOLDERS_BELOW = frozenset({"secrets", "credentials"})
"""The same, below the workspace's folder, which may itself have such a name."""
_TRANSLATIONS = frozenset(
    {"i18n", "l10n", "lang", "langs", "languages", "locale", "locales", "messages", "translations"}
)
"""There `id.json` is Indonesian, elsewhere a key pair."""
_STYLES = frozenset({"design", "design-tokens", "design-system", "style", "styles", "theme", "themes", "tokens"})
"""There `tokens.json` has colours, elsewhere keys."""
_STEMS = frozenset({"cred", "creds", "credential", "credentials", "secret", "secrets"})
_WHOLE_STEMS = frozenset({"passwd", "password", "passwords", "passphrase"})
_DATA = frozenset(
    _words("""
    json json5 jsonc yaml yml toml ini cfg conf config properties plist csv tsv txt xml db sqlite enc gpg asc
    age sops local prod production dev development staging test bin dat
""")
)
_SOURCE = frozenset(
    _words("""
    py pyi pyx ipynb js jsx mjs cjs ts tsx mts cts vue svelte go rs c h cc cpp cxx hpp hh m mm java kt kts scala
    groovy clj rb erb php cs fs vb swift dart lua pl pm r jl ex exs erl hs ml mli elm sh bash zsh fish ps1 bat
    cmd sql graphql proto tf hcl nix zig css scss less html htm xhtml md markdown rst adoc tex svg png gif jpg
""")
)
_TEMPLATES = frozenset(
    _words("""
    example examples sample template tmpl tpl dist defaults default skel pub j2 jinja jinja2
""")
)
_EVEN_SOURCE = (".env", "id_", "wp-config.", "localsettings.")
_COPIES = re.compile(r"(?:~|\.(?:bak|backup|old|orig|save|saved|swp|swo|tmp|copy|rej|\d{1,3}))$")
_VERSION_CONTROL = frozenset({".git", "git~1", ".hg", ".svn", ".jj", ".bzr", "_darcs", ".pijul"})


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """A name as case-insensitive file systems compare it.

    Case folded, in one Unicode form, without invisible characters (as on HFS+), dots and spaces at its end, and a
    stream behind a colon (as on Windows).
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    seen = "".join(c for c in folded if unicodedata.category(c) != "Cf")
    return seen.partition(":")[0].rstrip(". ") or seen


def is_secret(path: str | PurePath, root: str | PurePath | None = None) -> bool:
    """Whether the file probably holds keys or passwords, by its path alone; `root` is the workspace's folder."""
    parts = [plain(part) for part in PurePath(path).parts]
    if not parts:
        return False
    name, folders = _original(parts[-1]), parts[:-1]
    if any(folder in _FOLDERS for folder in folders):
        return True
    words = name.lstrip(".").split(".")
    suffix = words[-1] if len(words) > 1 else ""
    if suffix in _TEMPLATES:
        return False
    if folders and (folders[-1], name) in _PAIRS:
        return True
    if folders and folders[-1] in {"id.json": _TRANSLATIONS, "tokens.json": _STYLES}.get(name, ()):
        return False
    is_source = suffix in _SOURCE
    if _NAME.match(name) and (not is_source or name.startswith(_EVEN_SOURCE)):
        return True
    return not is_source and (_is_called_secret(words) or _is_in_secret_folder(PurePath(path), root))


def is_of_version_control(path: str | PurePath) -> bool:
    """Whether it belongs to git or another version control (`.git` and everything in it), which runs hooks and settings
    from there."""
    return any(plain(part) in _VERSION_CONTROL for part in PurePath(path).parts)


def _original(name: str) -> str:
    """The name without what marks a copy: `.#x`, `#x#`, `x~`, `x.bak`."""
    name = name.removeprefix(".#") if not name.startswith("#") else name.strip("#")
    while (shorter := _COPIES.sub("", name)) not in (name, ""):
        name = shorter
    return name


def _is_in_secret_folder(path: PurePath, root: str | PurePath | None) -> bool:
    folders = [plain(part) for part in path.parts[:-1]]
    below = [plain(part) for part in path.relative_to(root).parts[:-1]] if root and path.is_relative_to(root) else []
    return (
        any(folder in _FOLDERS_OF_DATA for folder in folders)
        or any(folder in _FOLDERS_BELOW for folder in below)
        or any(pair in _FOLDER_PAIRS for pair in pairwise(folders))
    )


def _is_called_secret(words: list[str]) -> bool:
    """`secrets.yaml`, `prod-credentials.json`, `secret`; `words` are the parts between dots, first the stem."""
    parts = [part for part in re.split(r"[-_ ]", words[0]) if part]
    if len(words) > 1 and words[-1] not in _DATA:
        return words[0] in _STEMS
    return bool(parts) and (words[0] in _WHOLE_STEMS or parts[0] in _STEMS or parts[-1] in _STEMS)
