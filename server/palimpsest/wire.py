"""The protocol between the server and the engine: plain data, JSON on the wire.

Out: request and answer dataclasses (`json_data.py` reads and writes them).  The engine gets opaque block
keys and texts, never documents; the server gets counts and positions, never a token.
Routes (`engine/http/routes.py` serves them, `providers/palimpsest/client.py` calls them):

    GET  /v1/health              Health; answers while the model is still loading
    GET  /v1/model               ModelInfo
    POST /v1/sync                SyncRequest → SyncAnswer
    POST /v1/generate            GenerateRequest → GenerateAnswer, or with `stream` lines of JSON:
                                 {"choice": i, "text": "…"} …, then {"answer": GenerateAnswer}
    POST /v1/fork                ForkRequest → ForkAnswer: names for copies of a tail; nothing is decoded
    POST /v1/batch               BatchRequest → BatchAnswer: several continuations in the same micro-batches
    POST /v1/score               ScoreRequest → ScoreAnswer: how likely lines are with others instead
    POST /v1/count               CountRequest → CountAnswer
    GET  /v1/map?workspace=W     CacheMap
    GET  /v1/check               CheckAnswer: whether the cache is sound, once nothing else is to be done
    POST /v1/reset               {"workspace": W} → {}
    POST /v1/close               {"workspace": W} → {}: frees all the workspace holds; its KV goes to the store
    GET  /v1/lease?client=C      a response that stays open: one JSON line of Health at once and after each change of
                                 state; without any open lease for a while, the engine ends
    POST /v1/shutdown            {} → {}

Below `/next-edit` an engine that was started with a second model, one for next edits, serves the same for that one,
which has a cache of its own.

A client may name itself in the header `Palimpsest-Client`, with any text.  Its workspaces are closed some seconds
after its last lease has ended, unless another client with a lease uses them; without a lease, ten minutes after their
last use.

An error is HTTP 4xx/5xx with {"error": {"code", "message", "hint", "field"?, "fitting"?, "return_code"?, "hashes"?,
"tail"?}}, `code` as in `errors.py`; once lines have begun it is the last line.  A client cancels by closing its
connection.
"""

import hashlib
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, TypeVar

from palimpsest.calibration import AS_SAID, Calibration
from palimpsest.errors import InvalidArgument
from palimpsest.json_data import Length, Range

MOST = 2**31 - 1
MAX_N = 16
MAX_STOPS, LONGEST_STOP = 128, 1_024
"""Stop strings, and characters of one: all of them are looked for at every token."""
Count = Annotated[int, Range(0, MOST)]
TailName = Annotated[str, Length(1, 64)]
Marks = Annotated[list[Annotated[str, Length(1, 64)]], Length(0, 16)]

NEXT_EDIT = "/next-edit"
CLIENT_HEADER = "Palimpsest-Client"
"""The client that a request, or a lease, comes from."""

Slot = Literal["typing", "suggestion", "chat", "background"]
"""What a job is for, which is its priority, in this order; pre-emption happens between micro-batches."""
SLOTS: tuple[Slot, ...] = ("typing", "suggestion", "chat", "background")

FimLayout = Literal["auto", "spm", "isolated", "psm"]
"""Where an inline completion's suffix goes.

spm       suffix alone as a block behind the footer, then `<fim_prefix> prefix`, which the answer continues
isolated  `<fim_prefix> prefix`, position slack, suffix alone as a block, `<fim_middle>`
psm       `<fim_prefix> prefix <fim_suffix> suffix <fim_middle>`, in order
auto      what the model's metadata and family say
"""
BlockAction = Literal["kept", "attached", "restored", "extended", "written", "deferred", "unfit"]
"""`deferred`: decoding it would exceed the request's bound; a later sync decodes it."""


@dataclass(frozen=True, slots=True)
class WantedBlock:
    """`hash` is `text_hash(text)`.  A text that was sent before may be left out; where the engine no longer knows it,
    the request fails with `unknown_text`, which names the hashes, and nothing was done."""

    key: str
    text: str | None = None
    hash: str = ""


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """The blocks that a workspace's tail is to attend to, most valuable first.  Declarative and idempotent: resident
    blocks that are not named are detached; their KV stays while there is room.

    `marks` are texts that are special tokens where they stand in it, if the vocabulary has such a token.

    `max_decode` bounds the tokens of blocks that this request decodes, without copies of the header; 0: no bound.
    `max_decode_ms` bounds the time for it, at the speed that the engine has measured.  In order of value, a block that
    would exceed either is `deferred`: not attached, and decoded by a later sync without a bound.  Whole prompts have no
    such bound."""

    workspace: str
    header: str
    footer: str
    blocks: list[WantedBlock]
    slot: Slot = "background"
    max_decode: int = 0
    max_decode_ms: int = 0
    marks: Marks = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class BlockReport:
    """What was done for one requested block.  `span`: the half-open range of its positions."""

    key: str
    tokens: int
    action: BlockAction
    decoded: int = 0
    moved: bool = False
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class SyncAnswer:
    """Counts of tokens.  `decoded` includes copies of the header that new blocks were decoded behind (`replayed`
    tokens of them).  `ms` has the keys tokenize, plan, evict, move, restore, decode, total."""

    revision: int
    blocks: list[BlockReport]
    unfit: list[str]
    decoded: int = 0
    replayed: int = 0
    reused: int = 0
    restored: int = 0
    moved: int = 0
    evicted: int = 0
    evicted_keys: list[str] = field(default_factory=list)
    ms: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FimTail:
    """Fill in the middle between two texts.  `heal`: the last piece before the cursor, which more typing could change,
    is left out of the prompt and the answer is made to begin with it; the answer's text starts at the cursor all the
    same."""

    prefix: str
    suffix: str
    layout: FimLayout = "auto"
    heal: bool = True


@dataclass(frozen=True, slots=True)
class TextTail:
    """Text to continue.  `marks`: as those of a `SyncRequest`."""

    text: str
    marks: Marks = field(default_factory=list)


KvPolicy = Literal["decode", "leave"]
"""What becomes of a tail's KV where blocks change, or words in the middle of it.

decode  what stands behind is decoded again: exact
leave   it stays and is moved to its new place, though it has seen what stood before it then.  Of a `fim` what stands
        behind blocks that changed stays, but for its last 16 tokens
"""
Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as servers with OpenAI's protocol write it.  `arguments`: JSON, as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class NativeMessage:
    """`answers`: the id of the call that a `tool` message is the result of."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    calls: list[ToolCall] = field(default_factory=list)
    answers: str = ""


@dataclass(frozen=True, slots=True)
class NativeChat:
    """A conversation for a server that is told of tools by itself.  `tools`: as it wants them described."""

    messages: list[NativeMessage]
    tools: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ChatTail:
    """A conversation, written in the model's chat template; a model without one gets the contents alone.  Where the
    last message is the assistant's, the answer continues it.  `native` is the same for an engine that `calls_tools`,
    which uses `messages` where its server refuses tools."""

    messages: list[Message]
    native: NativeChat | None = None


@dataclass(frozen=True, slots=True)
class Sampling:
    """Temperature 0 is greedy; then nothing else has an effect but `repeat_penalty`."""

    temperature: Annotated[float, Range(0, MOST)] = 0.0
    top_k: Annotated[int, Range(-MOST, MOST)] = 40
    top_p: Annotated[float, Range(-MOST, MOST)] = 0.95
    min_p: Annotated[float, Range(-MOST, MOST)] = 0.05
    repeat_penalty: Annotated[float, Range(1e-3, MOST)] = 1.0
    repeat_last_n: Annotated[int, Range(-MOST, MOST)] = 64
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class GenerateRequest:
    """One completion, or `n` alternatives decoded in one batch over the shared cache.

    Exactly one of `fim`, `text` and `chat` is set.

    sync         is done first in the same job, so that no other request can come between
    replace      names a line of requests of which only the newest matters: an older one that runs or waits is
                 cancelled, unless its slot is more urgent
    grammar      GBNF with the root rule `root`
    max_tokens   fewer where a text leaves less room, but at least 64 (else ContextTooLarge).  0 only decodes the tail,
                 so that a later request finds it in the cache
    tail         the tail's name, by default the slot's: what a later request with this name has in common with it is
                 not decoded again.  A workspace keeps a number of tails and drops the least recently used
    kv           what becomes of the tail where blocks change, or words in the middle of it
    names        those that can stand at the cursor, where that is known: they count more in a search for a word, which
                 then begins before its first letter, too
    draft        the most tokens of a draft looked up in the prompt (0: none) and verified in one micro-batch.  The
                 answer does not depend on it, except for how quantized weights round in larger micro-batches
    calibration  from the product of tokens' probabilities, given what is typed of the first word, to how probable a
                 text is said to be
    least        the answer ends before the token that makes it less probable than this; 0: nowhere
    risk         it ends before more characters of it than this are expected to be wrong; 0: nowhere
    review       so many other beginnings of a greedy answer are tried beside it, a line each, and the code behind the
                 cursor says how well it goes on from each (0: none), in `time_ms` more.  Needs a `fim` and a memory
                 that can be cut back
    word_search  where the cursor is inside an identifier and sampling is greedy, the rest of it is searched for as a
                 whole word, along so many paths at once (0: token by token); words of the prompt count more
    """

    workspace: str
    fim: FimTail | None = None
    text: TextTail | None = None
    chat: ChatTail | None = None
    slot: Slot = "typing"
    sync: SyncRequest | None = None
    max_tokens: Count = 64
    time_ms: Count = 0
    stop: Annotated[list[Annotated[str, Length(0, LONGEST_STOP)]], Length(0, MAX_STOPS)] = field(default_factory=list)
    grammar: str = ""
    n: Annotated[int, Range(1, MAX_N)] = 1
    sampling: Sampling = Sampling()
    stream: bool = False
    replace: str = ""
    draft: Count = 0
    tail: Annotated[str, Length(0, 64)] | None = None
    word_search: Count = 0
    calibration: Calibration = AS_SAID
    least: Annotated[float, Range(0, 1)] = 0.0
    risk: Annotated[float, Range(0, MOST)] = 0.0
    review: Annotated[int, Range(0, MAX_N)] = 0
    kv: KvPolicy = "decode"
    names: Annotated[list[str], Length(0, 256)] = field(default_factory=list)

    @property
    def is_greedy(self) -> bool:
        """Whether nothing but probability bears on the answer."""
        sampling = self.sampling
        return sampling.temperature == 0 and sampling.repeat_penalty == 1.0 and not self.grammar

    @property
    def prompt(self) -> FimTail | TextTail | ChatTail:
        """The one of `fim`, `text` and `chat` that is set.  Raises InvalidArgument unless it is exactly one."""
        given = [tail for tail in (self.fim, self.text, self.chat) if tail is not None]
        if len(given) != 1:
            raise InvalidArgument("fim", f"expected exactly one of fim, text and chat, got {len(given)}.")
        return given[0]


@dataclass(frozen=True, slots=True)
class Choice:
    """`finish`: `end` (the model's end token), `stop` (a stop string, not in `text`), `length`, `time`, `unsure` (the
    next token goes beyond the request's `least` or `risk`).  `logprob` is the mean over the generated tokens, behind
    what is typed of the first word.  `sure`: how probable the text is up to so many characters, at each place where a
    word may end; none where nobody knows.  `calls` of tools come with a `NativeChat` only.  `thought`: what the model
    thought before, where it came beside the text."""

    text: str
    finish: Literal["end", "stop", "length", "time", "unsure"]
    tokens: int
    logprob: float = 0.0
    sure: list[tuple[int, float]] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    thought: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may stand at the cursor.  `line`: the logarithm of the probability of its first line after the code before
    it, as the same model reads in plain order, knowing nothing of what is behind the cursor; `middle`: the same where
    it fills in the middle, as answers are chosen; `behind`: of the next lines after both, of several lines the first or
    all of them, whichever they follow more likely."""

    text: str
    line: float
    behind: float
    middle: float


@dataclass(frozen=True, slots=True)
class GenerateAnswer:
    """`context_tokens`: cells that the tail attended to (header, blocks, footer).  `tail_tokens`: the tail, of which
    `decoded` were decoded and `reused` were in the cache, `left` of them with stale KV: what was before them is
    another text now.  `generated`: tokens sampled for all choices, in `steps` micro-batches; of `drafted` tokens
    `accepted` were right; `searched` were decoded in search of a word, `reviewed` for `candidates`: several, the
    first of them the first choice, or none.  `ms` has the keys queue, sync, prefill, sample, decode, review, total."""

    choices: list[Choice]
    context_tokens: int
    tail_tokens: int
    decoded: int
    reused: int
    generated: int
    layout: str
    healed: str = ""
    sync: SyncAnswer | None = None
    ms: dict[str, float] = field(default_factory=dict)
    steps: int = 0
    drafted: int = 0
    accepted: int = 0
    searched: int = 0
    left: int = 0
    reviewed: int = 0
    candidates: list[Candidate] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """Copies of the tail `tail` under each of `names`, in place of tails that have those.  Each goes on by itself with
    requests that name it, which decode only what the tail has not."""

    workspace: str
    tail: TailName
    names: list[TailName]
    slot: Slot = "typing"


@dataclass(frozen=True, slots=True)
class ForkAnswer:
    """`tokens` of the tail, which each copy has too."""

    tokens: int


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """Several requests answered side by side, a token of each in one micro-batch.  Each names a tail of its own and
    wants one alternative; `sync`, `slot` and `replace` are the batch's, `stream`, `draft` and `word_search` have no
    effect."""

    workspace: str
    requests: Annotated[list[GenerateRequest], Length(1, MAX_N)]
    slot: Slot = "typing"
    sync: SyncRequest | None = None
    replace: str = ""


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """In the order of the requests.  `steps`: micro-batches in which answers were decoded.  `ms` has the keys queue,
    sync, prefill, generate, total; the answers' own has none."""

    answers: list[GenerateAnswer]
    sync: SyncAnswer | None = None
    steps: int = 0
    ms: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Variant:
    """`lines` instead of the lines `start..end`, with what follows them as far as it bears on the comparison."""

    start: int
    end: int
    lines: list[str]


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """How much likelier the model finds `lines` (each with its line end, behind the blocks) with a variant instead.
    The first line stays as it is."""

    workspace: str
    lines: list[str]
    variants: Annotated[list[Variant], Length(0, 64)]
    slot: Slot = "suggestion"
    sync: SyncRequest | None = None
    replace: str = ""


@dataclass(frozen=True, slots=True)
class ScoreAnswer:
    """`gains`: for each variant, in nats, by how much its lines are likelier than those they stand for; less than 0
    where they are less likely.  `decoded`: tokens.  `ms` has the keys queue and total."""

    gains: list[float]
    decoded: int
    sync: SyncAnswer | None = None
    ms: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CountRequest:
    texts: list[str]


@dataclass(frozen=True, slots=True)
class CountAnswer:
    counts: list[int]


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """`unsound`: where llama.cpp, the account of its cells and what workspaces think differ; "" if nowhere."""

    unsound: str


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Facts read when the model is loaded.  `why_not`: why the cache is not edited in place, where it is not.
    `chat_template`: tasks are put to it in one; `converses`: it was made to answer people, and not for tasks alone.
    `calls_tools`: it takes a `NativeChat`.  `calibration`: how often what it says comes true, where that was tried."""

    path: str
    name: str
    architecture: str
    n_ctx: int
    n_ctx_train: int
    n_params: int
    n_vocab: int
    fim_layout: str
    fim_layouts: list[str]
    in_place: bool
    backend: str
    why_not: str = ""
    chat_template: bool = False
    converses: bool = False
    calls_tools: bool = False
    calibration: Calibration | None = None
    prompt: str = ""
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def keeps_room(self) -> bool:
        """Whether there is room for blocks besides `window`; else they share it."""
        return "tail_room" in self.settings

    @property
    def window(self) -> int:
        """Tokens that a conversation and its reply may have."""
        return int(self.settings.get("tail_room", self.n_ctx))


@dataclass(frozen=True, slots=True)
class Health:
    """`error`: in state `failed`, an error object as on the wire.  `waiting`: jobs that wait or run, from `/v1/health`
    alone.  `http`: the address where llama-server's requests are served, "" for none."""

    state: Literal["loading", "ready", "failed"]
    version: str
    pid: int
    busy: bool = False
    clients: int = 0
    model: str = ""
    error: dict[str, Any] | None = None
    waiting: int = 0
    http: str = ""


@dataclass(frozen=True, slots=True)
class SpanReport:
    start: int
    end: int
    key: str
    state: Literal["header", "attached", "detached", "footer", "tail"]


@dataclass(frozen=True, slots=True)
class CacheMap:
    """One workspace's positions, and sums since the engine started.  `n_ctx` counts cells, of which all workspaces use
    `used_cells`; `n_positions`: where this workspace's tail region ends.  `memory`, in bytes: model, cache, compute
    (llama.cpp's buffers), store (host memory), disk, and the `limit` of cache and compute, 0 for none.  `tails`: names
    of the tails that the workspace keeps, the least recently used first.  `header_copies`: cells of its copies of the
    header, which are in no span."""

    n_ctx: int
    used_cells: int
    n_positions: int
    spans: list[SpanReport]
    free: list[tuple[int, int]]
    stored: list[str]
    stored_bytes: int
    stats: dict[str, int]
    memory: dict[str, int] = field(default_factory=dict)
    tails: list[str] = field(default_factory=list)
    header_copies: int = 0


Q = TypeVar("Q")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Job(Generic[Q, A]):
    """What is asked by POST, and what the answer is."""

    path: str
    request: type[Q]
    answer: type[A]


SYNC = Job("/v1/sync", SyncRequest, SyncAnswer)
GENERATE = Job("/v1/generate", GenerateRequest, GenerateAnswer)
FORK = Job("/v1/fork", ForkRequest, ForkAnswer)
BATCH = Job("/v1/batch", BatchRequest, BatchAnswer)
SCORE = Job("/v1/score", ScoreRequest, ScoreAnswer)
COUNT = Job("/v1/count", CountRequest, CountAnswer)


def text_hash(text: str) -> str:
    """The name of a text on the wire: BLAKE2b of its UTF-8 (with lone surrogates), 16 bytes in hex."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
