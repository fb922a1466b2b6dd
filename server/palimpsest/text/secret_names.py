"""Recognise files of secrets, and the files of version control, by their paths.

In: paths.  Out: answers from names and folders alone; opens no file and follows no link.

The names are documented by the tools that store keys and passwords in them, or are on public lists of sensitive files
(GitHub's gitignore templates, the default rules of gitrob, trufflehog and gitleaks), by kind.  Source files
(`secrets.py`) and templates (`.env.example`) are judged by their content instead (`tokens.py`).
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


_OF_KINDS = {
    "variables": """
        .env* *.env *.env.* .dev.vars* .flaskenv .envrc *.envrc env.local env.production env.*.local .renviron renviron
        appsettings.*.json local.settings.json connectionstrings.config web.config web.*.config wp-config.php
        localsettings.php settings.local.php config.inc.php application-prod*.* application-local.*
        application-secret*.* localconf.php initialadminpassword
    """,
    "keys": """
        *.pem *.key *.p8 *.p12 *.pfx *.pkcs12 *.jks *.jceks *.bks *.bcfks *.uber *.keystore *.truststore *.ppk *.pvk
        *.snk *.spc *.keytab *.priv *.privkey *.seckey *.agekey *.jwk *.jwt *.psk *.keyfile *.bek *.luks *.pgp *.skr
        *.sso *.asc.key id_rsa* id_dsa* id_ecdsa* id_ed25519* id_ed448* id_xmss* *_rsa *_dsa *_ecdsa *_ed25519
        ssh_host_*_key ssh_key* ssh-key* deploy_key* deploy-key* deploykey* *_deploy_key *-deploy-key secring.*
        *.secring keystore.properties key.properties signing.properties release-signing.properties private_key*
        private-key* privatekey* *_private_key* *-private-key* keypair.json id.json keys.txt key.txt keys.json key.json
        *-key.json *_key.json *_key.txt *-key.txt keyfile *.mobileprovision krb5cc_* key3.db key4.db cert8.db cert9.db
        encrypted_data_bag_secret .eyaml_key* signingkey* signing_key* signing-key* api_key* api-key* apikey* *_api_key
        *_apikey .api_key* .apikey* *apikey.txt *api_key.txt *api-key.txt
    """,
    "wallets": """
        wallet.dat *.wallet wallet.json utc--* mnemonic mnemonic*.txt seed.txt seed-phrase* seed_phrase* seedphrase*
        *-seed.txt *_seed.txt recovery-codes* recovery_codes* recovery-key* recovery_key* recoverykey* backup-codes*
        backup_codes* backupcodes* bitlocker*recovery* electrum*.dat *.aes.json multibit*.key
    """,
    "password managers": """
        *.kdb *.kdbx *.keychain *.keychain-db *.psafe3 *.keyring *.kwl *.kwallet *.agilekeychain *.1pif *.1pux
        *.opvault *.enpass *.enpassdb *.walletx *.enpassbackup *.dash *.bcup *.pwdb *.pwsafe *.pws *.spdb *.kpdx *.2fas
        *.rdm bitwarden*.json bitwarden*.csv lastpass*.csv lastpass*.json 1password*.* dashlane*.* keeper*.csv
        keeper*export*.json nordpass*.csv roboform*.* keepass*.csv keepass*.xml protonpass*.* proton-pass*.*
        enpass*.json enpass*.csv chrome-pass*.csv *logins.csv logins.json signons.sqlite signons*.txt firefox_logins*
        aegis*.json andotp*.json otp_accounts*.json authy*.json freeotp*.* raivo*.json *authenticator*export*
        *totp*.txt 2fa*.txt 2fa*codes*.json passbolt*.csv vaultwarden*.json
    """,
    "browsers and sessions": """
        cookies cookies.sqlite cookies.txt cookies.db cookies.binarycookies login?data web?data storagestate*.json
        storage-state*.json storage_state*.json *.session *.session-journal .xauthority .iceauthority
    """,
    "histories": """
        .*_history .*-history .*_hist .histfile .zhistory .history .sh_history .rhistory .dbshell .lesshst .viminfo
        .wget-hsts consolehost_history.txt fish_history bash_history zsh_history ksh_history *_history.txt
        repl_history.jl history.sqlite mysql_history psql_history mongosh_repl_history *-history.sqlite .lhistory
    """,
    "logins": """
        .netrc* _netrc .authinfo* .pgpass pgpass.conf pgpass pg_service.conf .pg_service.conf .my.cnf .mylogin.cnf
        debian.cnf .odbc.ini odbc.ini .mongorc.js .redisclirc cqlshrc .cqlshrc users.acl .htpasswd* htpasswd*
        .htdigest* htdigest .smbcredentials* .cifs* smbpasswd .ldaprc ldap.secret .muttrc .neomuttrc .mailrc .msmtprc
        msmtprc .esmtprc .fetchmailrc fetchmailrc .getmailrc getmailrc .mbsyncrc .isyncrc mbsyncrc .offlineimaprc
        offlineimaprc .imapfilter sasl_passwd* .wgetrc .curlrc .cvspass master.passwd spwd.db shadow shadow- gshadow
        gshadow- opasswd ntds.dit unattend.xml autounattend.xml sysprep.inf sysprep.xml groups.xml *-secrets
        chap-secrets pap-secrets *.secrets *.secret *.token *.pass *.passwd *.pw *.credentials *.creds .passwd*
        .password* .pass *passwords.* *_passwords *password.txt *passwd.txt *passphrase.txt *_password *-password
        *_passwd *-passwd .vault-token .vault_pass* .vault-pass* vault_pass* vault-pass* .vault-password*
        vault-password* vault.yml vault.yaml vault.json *.vault.yml *.vault.yaml *-vault.yml .ansible_vault*
        restic-pass* .restic-pass* .restic_pass* .borg*passphrase* login.txt logins.txt accounts.xml sec.conf znc.conf
    """,
    "tokens": """
        token.json token.txt token.pickle token.yaml tokens.json tokens.txt *_token *-token .*_token .*-token
        *_token.txt *-token.txt *_token.json *-token.json access_token* access-token* accesstokens.json access_tokens.*
        refresh_token* refresh-token* api_token* api-token* apitoken* oauth*.json *oauth*token* .token .tokens
        auth.json msal_token_cache.* .twurlrc .clasprc.json .sentryclirc sentry.properties .gist .github-token
        .gitlab-token .netlifyrc .surgerc
    """,
    "registries": """
        .npmrc npmrc .yarnrc .yarnrc.yml .pypirc pip.conf pip.ini .condarc nuget.config .git-credentials
        .gitcredentials .dockercfg .dockerconfigjson docker-config.json .hex.config hex.config .pause .bintray* .jfrog*
        .artifactory* .gem_credentials upload_config.lua settings-security.xml .modal.toml .pulumirc
    """,
    "clouds": """
        .s3cfg* .boto boto.cfg .passwd-s3fs passwd-s3fs .s3backer_passwd rclone.conf .rclone.conf .databrickscfg
        .snowsql .bigqueryrc rootkey*.csv *accesskeys*.csv *accesskey.csv *.publishsettings *.pubxml.user
        azureauth.json azureprofile.json service-account*.json service_account*.json serviceaccount*.json
        *-service-account*.json *_service_account*.json *serviceaccount*.json *-sa.json sa.json gcp-*.json
        gcloud-*.json *firebase-adminsdk*.json firebase-tools.json google-services.json googleservice-info.plist
        client_secret* client-secret* clientsecret* application_default_credentials.json gha-creds-*.json clouds.yaml
        clouds.yml secure.yaml *openrc *-openrc.sh *_openrc.sh openrc.sh keystonerc* cloudflare.ini cloudflare.json
        .cloudflare* acme.json .saml2aws .okta_aws_login_config .aws_okta* .civo.json .vultr-cli.yaml .upctl.yaml
        .linode-cli .serverlessrc .hcloud.toml .newrelic* newrelic.ini *.tfvars *.tfvars.json *.tfstate *.tfstate.*
        .terraformrc terraform.rc credentials.tfrc.json *.tfrc.json kaggle.json oauth_creds.json .mcp.json mcp.json
        mcp_config.json .claude.json claude_desktop_config.json .aider.conf.yml .twilio* twilio-cli.json slack-cli.json
        .alicloud* .ossutilconfig .cosconfig .cos.conf .obsutilconfig .qiniu*
    """,
    "clusters": """
        kubeconfig* *.kubeconfig *.kubeconfig.y*ml *-kubeconfig *_kubeconfig *-kubeconfig.y*ml *_kubeconfig.y*ml
        kube.config kube_config* kube-config* admin.conf super-admin.conf kubelet.conf controller-manager.conf
        scheduler.conf k3s.yaml k3s.yml rke2.yaml k0s.yaml *.rkestate talosconfig* bootstrap-kubeconfig*
        cluster-admin.conf argocd-config nomad.token consul.token .kubeconfig* cli2.json .rancher-cli*
        gitlab-secrets.json hudson.util.secret sealed-secrets-key*
    """,
    "networks": """
        *.ovpn *.nmconnection wpa_supplicant*.conf hostapd*.conf wg[-_0-9]*.conf wireguard*.conf *.wg *.pcf
        *.mobileconfig *.tblk ipsec.secrets ngrok.yml ngrok2.yml tailscaled.state identity.secret authtoken.secret
        openfortivpn*.conf .ftpconfig .ftppass .sftp-config.json sftp-config.json sftp.json ftp-sync.json
        ftpconfig.json .remote-sync.json filezilla*.xml sitemanager.xml recentservers.xml ws_ftp.ini *.rdp *.rdg
        *.remmina *.rtsz *.rtsx *.vnc *.tsclient confcons.xml winscp.ini mobaxterm.ini *.mxtsessions ultravnc.ini
        webservers.xml robomongo.json .dbeaver-data-sources.xml datasources.local.xml *.dbvis *.xsh *.xfp
    """,
    "where they lie": """
        .docker/config.json containers/auth.json .cargo/config.toml .m2/settings.xml .gradle/gradle.properties
        .bundle/config gh/hosts.yml .config/hub .config/hub.yml glab-cli/config.yml tea/config.yml .codex/auth.json
        .cursor/mcp.json .vscode/mcp.json github-copilot/hosts.json github-copilot/apps.json huggingface/token
        .huggingface/token huggingface/stored_tokens .stripe/config.toml stripe/config.toml doctl/config.yaml
        hcloud/cli.toml scw/config.yaml exoscale/exoscale.toml .dbt/profiles.yml .mc/config.json .fly/config.yml
        .railway/config.json .continue/config.json .continue/config.yaml .claude/settings.local.json .auth/user.json
        netlify/config.json .netlify/config.json .aliyun/config.json .snowflake/config.toml .snowflake/connections.toml
        snowflake/connections.toml atlascli/config.toml .confluent/config.json .circleci/cli.yml .travis/config.yml
        .rancher/cli2.json .argocd/config argocd/config helm/repositories.yaml helm/registry.json
        gitlab-runner/config.toml .gitlab-runner/config.toml .clickhouse-client/config.xml .irssi/config
        .purple/accounts.xml aerc/accounts.conf .vnc/passwd tigervnc/passwd .okta/okta.yaml .twilio-cli/config.json
        configstore/firebase-tools.json linode-cli/config .expo/state.json syncthing/config.xml .lein/profiles.clj
        .chef/knife.rb .jupyter/jupyter_server_config.json .pulumi/config.json etc/env.php atuin/history.db atuin/key
        fish/fish_history nushell/history.txt .litecli/history .config/mycli/history pgcli/history .beeline/history
        .lftp/bookmarks .lftp/rl_history profile_default/history.sqlite .ssh/ .gnupg/ .aws/ .azure/ .kube/ .oci/
        .bluemix/ .terraform.d/ .password-store/ .minikube/ .tsh/ .step/ .jira.d/ .jfrog/ .davfs2/ .cloudflared/
        .tccli/ .electrum/ .bitcoin/ .ethereum/ .config/gcloud/ run/secrets/ .config/op/ .1password/
    """,
}  # fmt: skip
"""Names of files by what is in them; with `/`, for what is harmless elsewhere, also the folder's; with `/` at the end,
everything in a folder."""
_PATTERNS = frozenset(" ".join(_OF_KINDS.values()).split())
_NAME = re.compile("|".join(sorted(translate(pattern) for pattern in _PATTERNS if "/" not in pattern)))
_FOLDERS = frozenset(pattern.rstrip("/") for pattern in _PATTERNS if pattern.endswith("/"))
_PLACES = frozenset(pattern for pattern in _PATTERNS if "/" in pattern.rstrip("/"))
_FOLDERS_OF_DATA = frozenset({".env", ".envs", ".secrets", ".credentials"})
"""Everything in them is secret except source files: a virtual environment may be called `.env`."""
_FOLDERS_BELOW = frozenset({"secrets", "credentials"})
"""In folders with these names below the workspace's folder, which may itself have such a name, everything is secret
except source files."""
_TRANSLATIONS = frozenset(
    {"i18n", "l10n", "lang", "langs", "languages", "locale", "locales", "messages", "translations"}
)
"""There `id.json` is Indonesian and `sa.json` Sanskrit, elsewhere a key pair and a service's account."""
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
_EVEN_SOURCE = (".env", "id_", "wp-config.", "localsettings.", "settings.local.", "config.inc.", "repl_history.")
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
    if any(folder in _FOLDERS or f"{above}/{folder}" in _FOLDERS for above, folder in pairwise(["", *folders])):
        return True
    words = name.lstrip(".").split(".")
    suffix = words[-1] if len(words) > 1 else ""
    if suffix in _TEMPLATES:
        return False
    if folders and f"{folders[-1]}/{name}" in _PLACES:
        return True
    if folders and folders[-1] in {"id.json": _TRANSLATIONS, "sa.json": _TRANSLATIONS, "tokens.json": _STYLES}.get(
        name, ()
    ):
        return False
    is_source = suffix in _SOURCE
    if _NAME.match(name) and (not is_source or name.startswith(_EVEN_SOURCE) or name.endswith("openrc.sh")):
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
    return not (_FOLDERS_OF_DATA.isdisjoint(folders) and _FOLDERS_BELOW.isdisjoint(below))


def _is_called_secret(words: list[str]) -> bool:
    """`secrets.yaml`, `prod-credentials.json`, `secret`; `words` are the parts between dots, first the stem."""
    parts = re.split(r"[-_ \d]+", words[0])
    if len(words) > 1 and words[-1] not in _DATA:
        return words[0] in _STEMS
    return words[0] in _WHOLE_STEMS or not _STEMS.isdisjoint(parts)
