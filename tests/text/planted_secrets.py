"""Secrets of many services in the places where people leave them: what a mask is measured with.

Out: `planted(n)`, texts in which one secret stands, the same ones each time.  `FORMATS`: what the issuers say that
their keys look like (prefix, alphabet, length), by service; `PLACES`: what stands around.  Nothing here is a real key.

    python -m tests.text.planted_secrets [FOLDER …]

says how many are masked, and of folders of source code how many words.
"""

from __future__ import annotations

import base64
import random
import re
import string
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from palimpsest.text.secret_names import is_secret
from palimpsest.text.tokens import masked, spans

_LOW, _UP, _DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALPHABETS = {
    "A": _LOW + _UP + _DIGITS,
    "a": _LOW + _DIGITS,
    "U": _UP + _DIGITS,
    "l": _LOW,
    "L": _UP,
    "h": _DIGITS + "abcdef",
    "H": _DIGITS + "ABCDEF",
    "d": _DIGITS,
    "w": _LOW + _UP + _DIGITS + "_-",
    "b": _LOW + _UP + _DIGITS + "+/",
    "k": _LOW + _UP + _DIGITS + "_",
    "m": _LOW + _UP + _DIGITS + "-",
    "2": _UP + "234567",
    "5": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "c": "023456789acdefghjklmnpqrstuvwxyz",
}
"""A letter stands for an alphabet: `{A36}` is 36 letters and digits; `{u}` is a UUID."""
_OF_SERVICES = """
adafruit {w32} adobe-id {h32} adobe-secret p8e-{A32} age AGE-SECRET-KEY-1{U58} aiven AVNS_{w19} airbrake {h32} airtable
pat{A14}.{h64} airtable-old key{A14}{d3} algolia {h32} alibaba-id LTAI{A20} alibaba-secret {a30} amplitude {h32}
anthropic sk-ant-api03-{w93}AA anthropic-admin sk-ant-admin01-{w93}AA apify apify_api_{A36} appcues {u} appdynamics {u}
artifactory AKCp{A69} artifactory-reference cmVmd{A59} asana 1/{d16}:{h32} asana-id {d16}{d4} asana-secret {a32}
atlassian ATATT3xFfGF0{w172}={H8} atlassian-old {A24} authress sc_{a10}.{a5}.acc_{a16}.{A43} auth0-id {A32}
auth0-secret {w64} aws-id AKIA{216} aws-session-id ASIA{216} aws-secret {b40} aws-mws amzn.mws.{u} aws-bedrock
ABSK{A132} azure-client {A3}8Q~{w34} azure-storage {b86}== azure-devops {a52} azure-devops-new {A52}JQQJ99{A26}
azure-sas sig={A43}%3D azure-cosmos {b86}== azure-search {A52} azure-cognitive {h32} azure-function {A54}== azure-batch
{b86}== azure-eventhub {b43}= azure-apim {h32} beamer b_{A44} bitbucket ATBB{A32} bitbucket-id {A32} bitbucket-secret
{w64} bitfinex {A43} bitly {h40} bitmex {w48} bittrex {a32} binance {A64} blynk {w32} box {A32} branchio key_live_{A32}
braintree access_token$production${a16}${h32} brevo xkeysib-{h64}-{A16} bugsnag {h32} buildkite bkua_{h40} bunny
{u}{h4} calendly eyJraWQiOiIxY2UxZTEzNjE3ZGNmNzY2YjNj{A60}.{A180}.{w86} census {A32} circleci CCIPAT_{A22}_{h40}
circleci-old {h40} cisco-meraki {h40} clarifai {h32} clickup pk_{d8}_{U32} clickhouse 4b1d{A38} clojars CLOJARS_{a60}
cloudflare-global {h37} cloudflare {w40} cloudflare-origin v1.0-{h24}-{h146} cloudinary {w27} cloudsmith {h40} codecov
{u} codeclimate {h64} cohere {A40} coinbase {w64} coinapi {u} coinmarketcap {u} confluent-id {U16} confluent-secret
{b64} contentful CFPAT-{w43} contentful-delivery {w43} coveralls {A32} crates cio{A32} crowdin {h80} cronitor {h32}
datadog-api {h32} datadog-app {h40} databricks dapi{h32} databricks-azure dapi{h32}-2 deepgram {h40} deepseek sk-{h32}
defined-networking dnkey-{A26}-{w52} deno ddp_{A36} digitalocean dop_v1_{h64} digitalocean-oauth doo_v1_{h64}
digitalocean-refresh dor_v1_{h64} digitalocean-spaces DO00{U16} digitalocean-spaces-secret {b43} discord-bot
MTE{A21}.{w6}.{w38} discord-secret {w32} discord-webhook https://discord.com/api/webhooks/{d19}/{w68} docker
dckr_pat_{w27} docker-org dckr_oat_{w32} docusign {u} doppler dp.pt.{A43} doppler-service dp.st.dev.{A43} droneci {A32}
dropbox sl.{w135} dropbox-short {a15}{a5} duffel duffel_live_{w43} dynatrace dt0c01.{U24}.{U64} easypost EZAK{A54}
easypost-test EZTK{A54} elastic {A22}:{A22} elastic-cloud essu_{b80}= elevenlabs {h32} elevenlabs-new sk_{h48} endor
endr+{A40} etsy {a24} eventbrite {A20} exoscale EXO{h24} facebook {d15}|{A27} facebook-page EAAB{A180} facebook-secret
{h32} fastly {w32} figma figd_{w40} figma-oauth figo_{w40} finicity {h32} finnhub {a20} firebase AAAA{w7}:APA91b{w134}
fireworks fw_{A24} fleetbase flb_live_{A20} flickr {h32} flutterwave FLWSECK-{h32}-X flutterwave-test
FLWSECK_TEST-{h12} fly FlyV1{SP}fm2_{b160} fly-old fo1_{w43} frameio fio-u-{w64} freemius sk_{w29} freshbooks {h64}
freshdesk {A20} front {A40} fullstory na1.{A64} gcp AIza{w35} gcp-client-secret GOCSPX-{w28} gcp-access ya29.{w180}
gcp-refresh 1//0{w95} gcp-hmac GOOG{A57} gemini-new AQ.Ab8RN6{w43} gandi {A24} getresponse {a32} ghost {h24}:{h64}
github ghp_{A36} github-oauth gho_{A36} github-user ghu_{A36} github-server ghs_{A36} github-refresh ghr_{A76}
github-fine github_pat_{A22}_{A59} github-old {h40} gitlab glpat-{w20} gitlab-runner glrt-{w20} gitlab-deploy
gldt-{w20} gitlab-trigger glptt-{h40} gitlab-ci glcbt-{h2}_{w20} gitlab-feed glft-{w20} gitlab-mail glimt-{w25}
gitlab-agent glagent-{w50} gitlab-oauth gloas-{h64} gitlab-scim glsoat-{w20} gitlab-registration GR1348941{w20}
gitlab-session _gitlab_session={h32} gitlab-routable glpat-{w27}.01.{a9} gitter {h40} gocardless live_{w40} godaddy
{A37} grafana glsa_{A32}_{h8} grafana-cloud glc_{A120}= grafana-old eyJrIjoi{A92}= groq gsk_{A52} gumroad {w43} harness
pat.{w22}.{h24}.{A20} hashicorp-hcp {A64} hashnode {u} helpscout {A32} heroku {u} heroku-new HRKU-AA{w58} hightouch {u}
honeycomb {A22} honeycomb-new hcaik_{a58} hubspot pat-na1-{u} hubspot-old {u} huggingface hf_{A34} huggingface-org
api_org_{A34} hunter {h40} iconfinder {A64} infracost ico-{A32} infura {h32} insightops {u} instagram IGQV{A160}
instapaper {A50} intercom {A60}= intra42 s-s4t2ud-{h64} ipinfo {h14}{h6} ipstack {h32} jenkins 11{h32} jfrog {A73} jina
jina_{A60} jotform {h32} jumpcloud {h40} jwt eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.{A60}.{w43} jwt-short
eyJhbGciOiJIUzI1NiJ9.{A40}.{w43} kagi {A44} kraken {b86}== kraken-id {b56} kucoin {h24} kucoin-secret {u} langfuse
sk-lf-{u} langfuse-public pk-lf-{u} langsmith lsv2_pt_{h32}_{h10} langsmith-service lsv2_sk_{h32}_{h10} lastfm {h32}
launchdarkly sdk-{u} launchdarkly-api api-{u} launchdarkly-mobile mob-{u} lemonsqueezy
eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.{A240}.{w680} line {A43}= linear lin_api_{A40} linear-oauth lin_oauth_{h64}
linear-secret {h32} linkedin {A14}{A6} linkedin-new WPL_AP1.{A16}.{b8}== linode {h64} lob live_{h35} lob-test
test_{h35} localstack ls-{A40} logdna {h32} loggly {u} lokalise {h40} looker {a20} looker-secret {a24} mailchimp
{h32}-us12 mailerlite {w180} mailersend mlsn.{h64} mailgun key-{h32} mailgun-new {h32}-{h8}-{h8} mailjet {h32} mailmodo
{A7}-{A7}-{A7}-{A7} mandrill md-{A22} mapbox sk.eyJ1Ijoi{A60}.{w22} mapbox-public pk.eyJ1Ijoi{A60}.{w22} mattermost
{a26} maxmind {A6}_{A29}_mmk maze {A22} meilisearch {h64} mercury mercury_production_wma_{A43} mergify
mergify_application_key_{w40} messagebird {a25} microsoft-teams
https://acme.webhook.office.com/webhookb2/{u}@{u}/IncomingWebhook/{h32}/{u} mistral {A32} mixpanel {h32} mongodb-atlas
{u} mongodb-service mdb_sa_sk_{w40} moralis {A64} mux {b75} nats-seed SUA{255} neon napi_{a64} neon-password npg_{A12}
netlify nfp_{A36} netlify-old {w43} newrelic NRAK-{U27} newrelic-browser NRJS-{h19} newrelic-insert NRII-{w32}
newrelic-license {h36}NRAL newsapi {h32} ngrok {A22}_{A26} ngrok-old 2{A26}_{A21} nightfall NF-{A32} nomic nk-{w43}
notion ntn_{d11}{A35} notion-old secret_{A43} npm npm_{A36} npm-old {u} nuget oy2{a43} numverify {h32} nvidia
nvapi-{w64} nylas nyk_v0_{A64} nytimes {A32} oanda {h32}-{h32} octopus API-{U26} okta 00{w40} onedrive M{A3}_{A40}
onelogin {h64} onepassword ops_eyJ{A250} onepassword-secret A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5} onesignal os_v2_app_{a96}
openai sk-{A20}T3BlbkFJ{A20} openai-project sk-proj-{w74}T3BlbkFJ{w74} openai-service svcacct-{w58} openai-admin
sk-admin-{w58} openrouter sk-or-v1-{h64} openshift sha256~{w43} openweather {h32} optimizely 2:{A54} opsgenie {u}
paddle pdl_live_apikey_{a26}_{A22}_{A3} pagerduty {A20} pagerduty-new u+{A18} paperspace {h30} paypal-id A{w79}
paypal-secret E{w79} paystack sk_live_{h40} paystack-test sk_test_{h40} perplexity pplx-{A48} persona
persona_production_{u} pinecone pcsk_{A6}_{A63} pinecone-old {u} pinata {h64} pingdom {w86} pipedrive {h40} plaid
access-production-{u} plaid-secret {h30} plaid-id {h24} planetscale pscale_tkn_{w43} planetscale-password
pscale_pw_{w43} planetscale-oauth pscale_oauth_{w43} plivo MA{U18} plivo-secret {A40} polar polar_oat_{A43} polygon
{A32} posthog phx_{A43} posthog-project phc_{A43} postman PMAK-{h24}-{h34} postmark {u} prefect pnu_{a36} prisma
eyJhbGciOiJIUzI1NiJ9.{A120}.{w43} privateai {a32} prodapi {A40} proxycrawl {w22} pubnub-publish pub-c-{u}
pubnub-subscribe sub-c-{u} pubnub-secret sec-c-{A48} pulumi pul-{h40} pusher {h20} pypi pypi-AgEIcHlwaS5vcmc{w120}
qdrant {w54} quay {U64} quicknode {h40} quora {A43} rabbitmq {w43} railway {u} ramp ramp_sec_{A48} rapidapi
{h10}msh{h16}p1{h6}jsn{h12} raygun {A22}== razorpay rzp_live_{A14} razorpay-secret {A24} readme rdme_{a70} readwise
{A50} recaptcha 6L{w38} redis-cloud {a40} replicate r8_{A37} resend re_{A8}_{A24} retool retool_{A40} revenuecat
sk_{A29} ringcentral {w22} rootly rootly_{h64} rollbar {h32} rubygems rubygems_{h48} runpod rpa_{U46} samsara
samsara_api_{A30} sauce {u} scaleway SCW{U17} scaleway-secret {u} scalr
eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.{A90}.{w43} scrapingbee {U80} segment {A32} sendgrid SG.{w22}.{w43}
sendinblue-smtp xsmtpsib-{h64}-{A16} sendbird {h40} sentry sntrys_eyJ{A160}=_{b43} sentry-user sntryu_{h64} sentry-dsn
{h32} sentry-old {h64} shippo shippo_live_{h40} shippo-test shippo_test_{h40} shodan {A32} shopify shpat_{h32}
shopify-custom shpca_{h32} shopify-private shppa_{h32} shopify-secret shpss_{h32} sidekiq {h8}:{h8} sinch {u} slack
xoxb-{d12}-{d13}-{A24} slack-user xoxp-{d12}-{d12}-{d13}-{h32} slack-app xapp-1-A{U10}-{d13}-{h64} slack-config
xoxe.xoxp-1-{A166} slack-legacy xoxo-{d10}-{d10}-{d10}-{h10} slack-cookie xoxd-{A60}%2B{A40} slack-webhook
https://hooks.slack.com/services/T{U8}/B{U10}/{A24} slack-secret {h32} slack-session xoxc-{d12}-{d13}-{d13}-{h64}
smartsheet {A37} smartling {A30} snyk {u} snowflake {A32} sonar sqp_{h40} sonar-user squ_{h40} sonar-analysis sqa_{h40}
sonar-old {h40} sourcegraph sgp_{h16}_{h40} sourcegraph-old sgp_{h40} splunk {u} spotify {h32} square EAAA{w60}
square-id sq0idp-{w22} square-secret sq0csp-{w43} squarespace {u} stability sk-{A48} statuspage {u} stellar S{255}
stripe sk_live_{A24} stripe-test sk_test_{A99} stripe-restricted rk_live_{A99} stripe-webhook whsec_{A32}
stripe-publishable pk_live_{A99} stytch secret-live-{w43}= sumologic-id su{A12} sumologic {A64} supabase sbp_{h40}
supabase-secret sb_secret_{w31} supabase-old eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.{A160}.{w43} surge {h32} tableau
{b22}==:{A32} tailscale tskey-auth-{A17}-{A32} tailscale-api tskey-api-{A17}-{A33} tavily tvly-{A32} tavily-dev
tvly-dev-{A32} teamcity eyJ0eXAiOiAiVENWMiJ9.{A36}.{A48} telegram {d10}:AA{w33} telnyx KEY{H32}_{A22} terraform
{A14}.atlasv1.{w67} thunderforest {h32} tiktok {A40} tines {A43} together tgp_v1_{w43} together-old {h64} todoist {h40}
travis {A22} trello {h32} trello-token ATTA{h64}{H8} trello-secret {h64} turso eyJhbGciOiJFZERTQSJ9.{A120}.{w86} twilio
SK{h32} twilio-account AC{h32} twilio-secret {h32} twitch {a30} twitter-bearer AAAAAAAAAAAAAAAAAAAAA{A80}
twitter-secret {A50} twitter-access {d19}-{A30} typeform tfp_{w44}_{a14} unkey unkey_{A24} unsplash {w43} upcloud
ucat_{U26} upstash {A60}= uptimerobot u{d7}-{h24} urlscan {u} vault hvs.{w95} vault-batch hvb.{w140} vault-old s.{A24}
vercel {A24} vercel-blob vercel_blob_rw_{A16}_{A32} vercel-new vcp_{A56} virustotal {h64} voyage pa-{w43} vultr {U36}
wakatime waka_{u} wandb {h40} wandb-new wandb_v1_{A77} weather {h32} weaviate {A36} webex {A64}_{A4}_{u} webflow {h64}
wepay production_{h64} whop {w43} wise {u} wiz {A52} workos sk_live_{A46} x-ai xai-{A80} xendit xnd_production_{A60}
yandex AQVN{w36} yandex-cloud t1.{A7}.{w86} yandex-aws YC{w38} yelp {w128} youtube AIza{w35} zapier
https://hooks.zapier.com/hooks/catch/{d7}/{a7} zendesk {A40} zenrows {h40} zerotier {A32} zoho 1000.{h32}.{h32} zoom
{A32} zoom-secret {A22}{w10} zuplo zpka_{h32}_{h8} make https://hook.eu1.make.com/{a32} ifttt {w43} wireguard {b43}=
openvpn-static {h32} minisign RWRTY0Iy{b200} ssh-agent {b68} kubernetes
eyJhbGciOiJSUzI1NiIsImtpZCI6I{A36}In0.{A400}.{w342} kubeadm {a6}.{a16} k3s K10{h64}::server:{h32} swarm
SWMTKN-1-{a50}-{a25} swarm-key SWMKEY-1-{b43} ansible {h80} rails-master {h32} rails-base {h128} django {a50} laravel
base64:{b43}= flask {h48} phoenix {b64} wordpress-salt {w64} symfony {h32} nextauth {b43}= strapi {b22}== jwt-secret
{h64} hmac {h64} aes-key {b43}= fernet {w43}= nonce {h24} bcrypt $2b$12${A53} argon2
$argon2id$v=19$m=65536,t=3,p=4${b22}${b43} sha512-crypt $6${A16}${A86} yescrypt $y$j9T${A22}${A43} apr1
$apr1${A8}${A22} django-hash pbkdf2_sha256$600000${A22}${b43}= werkzeug-hash scrypt:32768:8:1${A16}${h128} phpass
$P$B{A30} ssha {{SSHA}{b32} scram SCRAM-SHA-256$4096:{b22}==${b43}=:{b43}= bitcoin-wif 5{550} bitcoin-wif-compressed
K{551} ethereum-key 0x{h64} ethereum-key-bare {h64} bip32 xprv9s21ZrQH143K{595} solana {588} nostr nsec1{c58} monero
{h64} tezos edsk{550} ripple s{528} cardano ed25519_sk1{c58} polkadot 0x{h64} telegram-app {h32} matrix
syt_{A12}_{A20}_{A6} mastodon {w43} bluesky {a4}-{a4}-{a4}-{a4} lichess lip_{A20} steam {H32} riot RGAPI-{u} epic {A43}
roblox {b48} minecraft {A64} opencage {h32} here {w43} tomtom {A32} mapquest {A32} google-oauth-code 4/0A{w60}
google-maps-sign {w27}= youtube-stream {a4}-{a4}-{a4}-{a4}-{a4} akamai akab-{a16}-{a16} akamai-secret {b43}= imperva
{u} incapsula {u} bluemix {w44} ibm-cos {h48} oracle ocid1.tenancy.oc1..{a60} tencent AKID{A32} tencent-secret {A32}
huawei {U20} huawei-secret {A40} baidu {h32} aliyun-sts STS.{A24} volcengine AKLT{A43} minio {U20} minio-secret {A40}
wasabi {U20} wasabi-secret {A40} backblaze K00{d1}{b27} backblaze-id {h25} cloudant {h64} couchbase {A43} fauna fn{w38}
hasura {A64} xata xau_{A30} dbt dbtc_{w36} dbt-user dbtu_{w36} fivetran {A16}{A4} airbyte {A40} rudderstack {A27}
snowplow {u} prefect-old {w22} dagster user:{h32} astronomer {A86} meltano {h64} labelbox {A60} scale live_{h32}
roboflow {A20} clearml {A50} comet {A25} neptune eyJhcGlfYWRkcmVzcyI6{A120}== weightsbiases {h40} assembly {h32}
stability-new sk-{A48} ai21 {A32} cerebras csk-{a48} sambanova {u} lepton {a32} baseten {A8}.{A32} modal ak-{A22}
modal-secret as-{A22} e2b e2b_{h40} browserbase bb_live_{w27} firecrawl fc-{h32} exa {u} serper {h40} serpapi {h64}
brave BSA{w28} llamacloud llx-{A48} unstructured {A32} pypi-test pypi-AgENdGVzdC5weXBpLm9yZw{w120} hex {h32} packagist
{h40} cocoapods {h32} chocolatey {u} gemfury {A20} jitpack jp_{a26} bintray {h40} sonatype {A16} sdkman {h32} spinnaker
{A40}
"""  # fmt: skip


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _formats() -> dict[str, str]:
    words = _words(_OF_SERVICES)
    return dict(zip(words[::2], words[1::2], strict=True))


FORMATS = _formats()
_SECRET = "{S}"
PLACES = """
{N} = "{S}"
{N}={S}
export {N}='{S}'
const {n}: string = "{S}";
{"{n}": "{S}"}
{n}: {S}
services:~  app:~    environment:~      - {N}={S}
{n}:~  prod: &main~    - {S}
{n}: &it~  - "{S}"
x:~  {n}:~    deep:~      deeper:~        value: {S}
| {n} | {S} |
|---|---|~| `{S}` | for {n} |
Use {S} as the {n} of the staging system.
The {n} is `{S}`.
# {n} {S}
mysql -u root -p{S} shop
redis-cli -h cache -a {S} ping
gh auth login --with-token <<< {S}
gh auth login --with-token <<<"{S}"
curl -H "Authorization: Bearer {S}" https://api.example.org/v1
curl -u "{S}:" https://api.example.org/v1
tool login --{n}={S}
tool login --{n} {S} --yes
<{n}>{S}</{n}>
<add key="{n}" value="{S}" />
{n} := []byte("{S}")
System.setProperty("{n}", "{S}");
headers = {"X-{n}": "{S}", "Accept": "*/*"}
{"name": "{N}", "value": "{S}"}
- name: {N}~  value: {S}
ENV {N} {S}
<string name="{n}">{S}</string>
assert login("bob", "{S}")
f("{S}")
wss://api.example.org/stream?{n}={S}&v=2
https://api.example.org/v1/items?{n}={S}
define('{N}', '{S}');
{n} => '{S}',
setx {N} "{S}"
$env:{N} = "{S}"
{n}<TAB>{S}
"{n}","{S}","2026-01-01"
let {n} = r#"{S}"#;
'{n}': b'{S}',
 * @see {n} {S}
// TODO: rotate {S}
<!-- {n}: {S} -->
{n}: |~  {S}
{n}: >-~    {S}
{\\"{n}\\": \\"{S}\\"}
2026-11-28 12:00:01 INFO login with {S} ok
-{n} "{S}"
git clone https://oauth2:{S}@git.example.org/shop.git
""".strip().split("\n")  # fmt: skip
"""`~` is a line's end, `{n}` and `{N}` are a name that says what it is."""
_OF_PASSWORDS = """
{n} = "{S}"
{n}={S}
{n}: {S}
{n}: '{S}'
{"{n}": "{S}"}
const {n} = '{S}';
db:~  main:~    {n}: "{S}"
{n}:~  - {S}
<{n}>{S}</{n}>
--{n}={S}
--{n} {S}
$env:{N} = "{S}"
{n} => "{S}",
The {n} is `{S}`.
{n}: &it {S}
{n}：{S}
{n}＝「{S}」。
""".strip().split("\n")
PASSWORD_NAMES = _words("""
password passwd pass pwd pw psk passphrase db_password DB_PASS mdp motdepasse mot_de_passe wachtwoord lösenord heslo
hasło kennwort passwort contraseña clave senha palavra_passe parola şifre salasana jelszó adgangskode passord лозинка
пароль секрет 密码 密碼 口令 秘密鍵 令牌 密钥 パスワード 비밀번호 암호 סיסמה κωδικός mật_khẩu secret geheim geheimnis
haslo parolă parool slaptažodis sifre šifra zaporka geslo парола гасло סיסמא συνθηματικό كلمة_المرور گذرواژه पासवर्ड
รหัสผ่าน
""")
NAMES = _words("""
api_key token secret auth_token client_secret access_key private_key credentials apiKey accessToken
""")
_WHOLE_KEYS = {
    "pem-lines": lambda key: key,
    "pem-escaped": lambda key: key.replace("\n", "\\n"),
    "pem-entities": lambda key: key.replace("\n", "&#10;"),
    "pem-percent": lambda key: key.replace("\n", "%0A"),
    "pem-unicode": lambda key: key.replace("\n", "\\u000a"),
    "pem-all-unicode": lambda key: "".join(f"\\u{ord(char):04x}" for char in key),
    "pem-one-line": lambda key: key.replace("\n", " "),
    "pem-joined": lambda key: key.replace("\n", ""),
    "pem-strings": lambda key: "\n".join(f'    "{line}\\n" +' for line in key.split("\n")),
    "pem-indented": lambda key: key.replace("\n", "\n      "),
    "pem-double": lambda key: key.replace("\n", "\\\\n"),
}


@dataclass(frozen=True)
class Planted:
    service: str
    place: str
    text: str
    bodies: tuple[str, ...]


def planted(n: int = 11_000, seed: int = 1) -> Iterator[Planted]:
    """Each format in as many places as there are for `n`, then passwords and whole keys."""
    source = random.Random(seed)
    for service, form in sorted(FORMATS.items()):
        for place in source.sample(PLACES, max(1, round(0.88 * n / len(FORMATS)))):
            secret, bodies = made(form, source)
            # what is short is a secret only because of its name
            place = place if len(secret) >= 20 or "{n}" in place.lower() else PLACES[0]
            yield Planted(service, place, _filled(place, source.choice([*NAMES, _name_of(service)]), secret), bodies)
    for _ in range(round(0.08 * n)):
        place, name = source.choice(_OF_PASSWORDS), source.choice(PASSWORD_NAMES)
        secret = "".join(source.choices(ALPHABETS["A"] + "!#%*+-.?@^_", k=source.randint(12, 24)))
        yield Planted("password", place, _filled(place, name, secret), (secret,))
    for i in range(round(0.04 * n)):
        yield _whole_key(i, source)


def is_masked(one: Planted) -> bool:
    """Whether nothing is left of it that is worth anything: no 12 random characters in a row."""
    left = masked(one.text)
    return not any(body[at : at + 12] in left for body in one.bodies for at in range(max(1, len(body) - 11)))


def made(form: str, source: random.Random) -> tuple[str, tuple[str, ...]]:
    """A token, and what in it is random."""
    form = form.replace("{SP}", " ").replace("{u}", "{h8}-{h4}-4{h3}-{h4}-{h12}").replace("{{", "{")
    bodies = list[str]()

    def fill(it: re.Match[str]) -> str:
        bodies.append("".join(source.choices(ALPHABETS[it[1]], k=int(it[2]))))
        return bodies[-1]

    filled = re.sub(r"\{([A-Za-z25])(\d+)\}", fill, form)
    return filled, tuple(it for it in bodies if len(it) >= 12) or (filled,)


def _name_of(service: str) -> str:
    return service.split("-")[0] + "_api_key"


def _filled(place: str, name: str, secret: str) -> str:
    text = place.replace("~", "\n").replace("<TAB>", "\t").replace("{n}", name).replace("{N}", name.upper())
    return f"a = 1\n{text.replace(_SECRET, secret)}\nb = 2\n"


def _whole_key(i: int, source: random.Random) -> Planted:
    data = b"0\x82" + source.randbytes(source.randint(110, 1190))
    body = base64.encodebytes(data).decode().replace("\n", "")
    lines = "\n".join(body[at : at + 64] for at in range(0, len(body), 64))
    kind = source.choice(["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
    pem = f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"
    others = {
        "der-escaped": "".join(f"\\x{byte:02x}" for byte in data),
        "der-repr": repr(data)[2:-1],
        "der-list": ", ".join(f"0x{byte:02x}" for byte in data),
        "der-list-upper": ",".join(f"0x{byte:02X}" for byte in data),
        "der-numbers": ", ".join(map(str, data)),
        "der-octal": "".join(f"\\{byte:03o}" for byte in data),
        "der-colons": ":".join(f"{byte:02x}" for byte in data),
        "der-spaced": " ".join(f"{byte:02x}" for byte in data),
        "der-hex": data.hex(),
        "der-base64": body,
        "der-lines": lines,
        "jwk": base64.urlsafe_b64encode(data[:32]).decode().rstrip("="),
    }
    forms = [*_WHOLE_KEYS, *others]
    form = forms[i % len(forms)]
    if form in _WHOLE_KEYS:
        text = f'key = "{_WHOLE_KEYS[form](pem)}"'
        return Planted(form, form, text, (body if form == "pem-joined" else lines.split("\n")[0],))
    place = source.choice(['data = b"{}"', "x = [{}]", "{}", 'f("{}", 1)', "const d = Buffer.from(`{}`)"])
    if form == "jwk":
        place = '{"kty":"EC","crv":"P-256","d":"{}","use":"sig"}'.replace("{}", "%s") % others[form]
    return Planted(form, form, place.replace("{}", others[form]), (others[form].split("\n")[0],))


_SOURCE = _words("""
.py .pyi .js .mjs .ts .tsx .jsx .go .rs .java .kt .rb .c .h .cpp .md .rst .txt .toml .yml .yaml .json .cfg .sh
""")
_LOCKS = re.compile(r"\block\b|-lock\.|\.sum$|\.lock$")
_WORD = re.compile(r"\w+")


def words_masked(folder: Path, *, leave_out: Collection[str] = (".git",)) -> tuple[int, int, Counter[str]]:
    """How many words a folder's sources have, how many of them are masked, and what stood there."""
    n_words, n_masked, what = 0, 0, Counter[str]()
    for path in sorted(folder.rglob("*")):
        below = path.relative_to(folder)
        if path.suffix not in _SOURCE or _LOCKS.search(path.name) or {*leave_out} & {*below.parts}:
            continue
        if is_secret(below) or not path.is_file() or path.stat().st_size > 1_000_000:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        n_words += len(_WORD.findall(text))
        gone = [text[start:end] for start, end in spans(text)]
        n_masked += sum(len(_WORD.findall(it)) for it in gone)
        what.update(gone)
    return n_words, n_masked, what


def main() -> None:
    everything = list(planted())
    missed = [one for one in everything if not is_masked(one)]
    for one in missed[:100]:
        print(f"{one.service}: {one.text!r}\n    {masked(one.text)!r}")
    print(f"{len(FORMATS)} formats, {len(everything)} secrets, {1 - len(missed) / len(everything):.4f} masked")
    for folder in map(Path, sys.argv[1:]):
        start = time.perf_counter()
        n_words, n_masked, what = words_masked(folder)
        print(
            f"{folder.name}: {n_masked} of {n_words} words, {n_masked / n_words:.5f},"
            f" {time.perf_counter() - start:.1f} s"
        )
        print("   ", [it[:60] for it, _ in what.most_common(20)])


if __name__ == "__main__":
    main()
