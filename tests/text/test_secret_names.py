"""Files that are called as files of secrets are, in whatever spelling, and those that only sound so."""

from pathlib import PurePosixPath

import pytest

from palimpsest.text.secret_names import is_of_version_control, is_secret


def words(text: str) -> list[str]:
    return text.split()


ROOT = PurePosixPath("/home/me/shop")
SECRET = words("""
    .env .env.local .ENV prod.env production.env .env.production prod.env.local .envrc .dev.vars .env~ .env.bak
    .#.env server.pem KEY.KEY client.p12 cert.pfx release.jks debug.keystore passwords.kdbx putty.ppk
    AuthKey_1.p8 server.key.bak id_rsa id_ed25519 id_ecdsa_sk id_rsa.old deploy_key deploy_key.txt
    github_deploy_key site_rsa ssh_host_rsa_key .netrc _netrc .authinfo .pgpass .my.cnf .pypirc .npmrc .htpasswd
    .git-credentials .dockercfg kubeconfig dev.kubeconfig kubeconfig.yaml terraform.tfvars prod.auto.tfvars
    prod.tfvars.json terraform.tfstate terraform.tfstate.backup .terraformrc terraform.rc service-account.json
    service-account-prod.json my-service-account.json service_account.json shop-firebase-adminsdk-1.json
    client_secret_1.json .vault-token .vault_pass vault-password.txt master.key .s3cfg .boto credentials
    credentials.json credentials.csv credentials-prod.json credentials.yml.enc aws-credentials.ini .credentials
    secrets.yaml secrets.toml secrets.json secrets secret.txt secrets.prod.yaml my-secrets.yml secrets.anything
    passwords.txt wp-config.php LocalSettings.php auth.json keystore.properties local.settings.json
    .bash_history .aws/config .ssh/known_hosts .kube/config .docker/config.json .azure/a.json
    .config/gcloud/a.db .gnupg/x .streamlit/secrets.toml .cargo/credentials.toml .m2/settings.xml
    secrets/db_password .secrets/a .env/production .envs/.local/.django .ssh/config.example
    admin.conf kubelet.conf k3s.yaml .yarnrc.yml .mcp.json .cursor/mcp.json .claude.json oauth_creds.json kaggle.json
    wg0.conf home.nmconnection ipsec.secrets appsettings.Production.json appsettings.Development.json token.json
    token.txt github_token.txt api_key.txt apikey.json api-token id.json keys.txt private_key.txt keypair.json
    .config/github-copilot/hosts.json .cache/huggingface/token .sentryclirc pg_service.conf odbc.ini ngrok.yml
    sasl_passwd wg-client.conf wireguard.conf tokens.json key.json gcp-key.json sa-key.json creds.json db-creds.yaml
    oauth.json mcp.json kube-config talosconfig.yaml web.config Web.Release.config .jwt ssh_key ssh_key.txt .ftppass
    .dockerconfigjson pip.conf vault.yml bot.session bitwarden_export.json rootkey.csv .claude/settings.local.json
    github_token .github_token access_token.json github.token jwt.secret openai_key.txt my_passwords.txt seed_phrase.txt
    recovery-codes.txt cookies.txt storageState.json playwright/.auth/user.json env.local env.production .htpasswd.txt
    .netrc.gpg etc/shadow mnemonic .clasprc.json .modal.toml vault.json
""")
OF_KINDS = {
    "variables": """
        .flaskenv prod.envrc .Renviron config/env.local application-prod.yml settings.local.php .env.vault
    """,
    "keys": """
        release.bcfks server.priv signing.jwk tls.privkey backup.pgp home.luks disk.bek cwallet.sso id_ed448
        ssh_key.old my_private_key private-key.txt openai_api_key cert9.db encrypted_data_bag_secret ssh-key-prod
    """,
    "wallets": """
        wallet.json seed_phrase.md.txt recovery-key.txt backup-codes.txt BitLocker-Recovery-Key.txt UTC--2026-a
    """,
    "password managers": """
        export.1pux vault.opvault my.enpassdb home.bcup lastpass_export.csv 1password-export.csv dashlane.csv
        nordpass.csv keepass.csv protonpass_export.json aegis-backup.json chrome-passwords.csv firefox_logins.csv
        bitwarden.csv freeotp-backup.xml export.2fas keeper_export.json roboform.csv otp_accounts.json
        vaultwarden_export.json
    """,
    "browsers": """
        Login_Data Cookies cookies.db storage_state.json
    """,
    "histories": """
        .zsh_history .mysql_history .psql_history .rediscli_history .node_repl_history .python_history .irb-history
        .Rhistory fish_history bash_history .dbshell .local/share/fish/fish_history repl_history.jl .octave_hist
        ipython/profile_default/history.sqlite atuin/history.db .history mongosh_repl_history
    """,
    "logins": """
        debian.cnf users.acl smbpasswd .neomuttrc getmail/.getmailrc chap-secrets pap-secrets unattend.xml
        master.passwd root.pass db.pw .pass restic-password.txt admin_password root-passwd accounts.xml .cifs_login
        cqlshrc db.credentials opasswd shadow-
    """,
    "tokens": """
        slack-token refresh_token.txt oauth2.json msal_token_cache.bin .gitlab-token .tokens access_tokens.yaml
    """,
    "registries": """
        npmrc docker-config.json hex.config settings-security.xml .bundle/config
    """,
    "clouds": """
        clouds.yaml secure.yaml prod-openrc.sh openrc keystonerc_admin acme.json .saml2aws .civo.json gcp-prod.json
        sa.json azureProfile.json prod-sa.json cloudflare.ini .ossutilconfig .vultr-cli.yaml .railway/config.json
        hcloud/cli.toml scw/config.yaml .aliyun/config.json .snowflake/connections.toml .config/gcloud/x
        .cloudflared/cert.txt prod_accessKeys.csv
    """,
    "clusters": """
        prod-kubeconfig prod_kubeconfig.yaml cluster.rkestate bootstrap-kubeconfig .minikube/config k0s.yaml
        helm/repositories.yaml .rancher/cli2.json argocd/config gitlab-secrets.json hudson.util.secret
        gitlab-runner/config.toml .tsh/keys/a
    """,
    "networks": """
        office.mobileconfig home.pcf hostapd.conf filezilla-export.xml ws_ftp.ini home.tblk server.rtsz
        sites.mxtsessions openfortivpn.conf identity.secret .vnc/passwd
    """,
    "names": """
        prod-credentials-2026.json credentials2.csv db_secrets_old.yaml aws_creds1.txt
    """,
}
PLAIN = words("""
    main.py credentials.py secrets.py secrets.ts environment.yml id_rsa.pub keys.md keyboard.py env.py tokens.py
    .env.example .env.sample .env.template .env.dist prod.env.example secrets.yaml.example
    credentials.json.template terraform.tfvars.example main.tf README.md SECRETS.md secrets.md config.json
    settings.xml docker-compose.yml secrets/__init__.py secrets/rules.py .env/lib/python3.11/site.py deploy.sh
    deployment.yaml package.json password_reset.html secretary.txt .gitignore .github/workflows/ci.yml
    .docker/compose.json env.d.ts locales/id.json i18n/id.json appsettings.json api_keys.py api_key.go private_key.rs
    token.py design/tokens.json theme/tokens.json nginx.conf app.conf keys.py keymap.json api.json hosts.json
    user.json shadow/a.json env.json keys_test.txt storage.json storage_state.py cookies.json passwords_test.go
    api_keys.md tokens.css package-lock.json apikey_test.ts shadow.css
    history.md git_history.py parameters.yml config/default.toml locales/sa.json .resticignore authenticator.ts
    wallet.ts openrc.md session.ts login.html password_reset.json cookie.json history.json token_type.json data.csv
    accounts.json secretary.json tokenizer.json keyboard.json application.yml application-test.yml
    helm/values.yaml kube/deploy.yaml
""")


def secret(names: list[str]) -> list[str]:
    return [name for name in names if is_secret(ROOT / name, ROOT)]


def of_version_control(names: list[str]) -> list[str]:
    return [name for name in names if is_of_version_control(ROOT / name)]


def test_keys_and_passwords_are_secret() -> None:
    assert secret(SECRET) == SECRET


@pytest.mark.parametrize("kind", OF_KINDS)
def test_files_in_which_programs_keep_secrets_are_known_by_kind(kind: str) -> None:
    assert secret(words(OF_KINDS[kind])) == words(OF_KINDS[kind])


def test_code_and_templates_are_judged_by_what_is_in_them() -> None:
    assert secret(PLAIN) == []


def test_no_other_spelling_of_a_name_gets_by() -> None:
    names = [
        ".ENV",
        ".env.",
        ".env ",
        ".e\u200dnv",
        "．ｅｎｖ",
        ".env::$DATA",
        "ID_RSA",
        "Server.PEM",
        ".ſsh/key",
        ".SSH/x",
    ]
    assert secret(names) == names


def test_a_workspace_may_be_called_secrets() -> None:
    root = PurePosixPath("/home/me/secrets")
    assert not is_secret(root / "notes.txt", root)
    assert is_secret(root / "secrets" / "notes.txt", root)


def test_what_version_control_keeps_is_known() -> None:
    names = [".git/config", ".git", "a/.git/hooks/pre-commit", ".GIT/x", ".g\u200cit/x", "git~1/x", ".git./x"]
    names += [".hg/hgrc", ".svn/a", ".jj/repo"]
    assert of_version_control(names) == names


def test_what_a_repository_keeps_for_people_is_not() -> None:
    assert of_version_control([".gitignore", ".github/a.yml", ".gitattributes", "git/hooks.py", "a.git.py"]) == []
