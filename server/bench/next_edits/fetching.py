"""Fetches the cases of cursortab.nvim's evaluation (MIT) from its repository at GitHub, into the cache folder.

In: whose recorded answers are wanted.  Out: a folder.  Nothing of it is part of Palimpsest.  The revision is pinned by
git's own hashes: that of the folder vouches for the list of its files, and that for each of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import httpx2

from bench.next_edits.recorded import EXPECTED
from palimpsest.errors import ModelError
from palimpsest.models.alone import alone
from palimpsest.models.hub import Hub
from palimpsest.models.transfer import SILENCE_S, load, variables_named
from palimpsest.system import folders

REPO = "cursortab/cursortab.nvim"
COMMIT = "b9f9b0a492d97081f5627c37b1d778f901fb85db"
FOLDER = "server/eval/scenarios"
TREE = "e79fbe9c00e4b2488e8e25aec15b933219a06936"
"""Git's hash of that folder at that commit."""
API, RAW = "https://api.github.com", "https://raw.githubusercontent.com"
MOST_BYTES = 4 << 20
"""Of one file."""
HINT = "Get a checkout of https://github.com/cursortab/cursortab.nvim by other means and name it with --cases."

Files = Mapping[str, tuple[str, str, int]]
"""By path, a file's or folder's mode, hash and size."""


def fetched(recorded: str = "", *, api: str = API, raw: str = RAW, tree: str = TREE) -> Path:
    """A folder with the cases, and with the answers of the model `recorded`.  What is there already is not fetched
    again.  Raises ModelError, which says what to do instead."""
    place = folders.cache() / "bench" / f"cursortab-{COMMIT[:12]}"
    suffix = f"/{recorded}.ndjson" if recorded not in ("", EXPECTED) else ""
    try:
        place.mkdir(parents=True, exist_ok=True)
        with variables_named():
            made = httpx2.Client(timeout=SILENCE_S, follow_redirects=True)
        with alone(place / ".lock"), made as client:
            listed = _listed(client, place / ".files.json", f"{api}/repos/{REPO}/git/trees/{tree}?recursive=1", tree)
            for path, (mode, sha, size) in listed.items():
                is_wanted = path.endswith(".txtar") or (suffix and path.endswith(suffix))
                if is_wanted and mode != "040000" and size <= MOST_BYTES:
                    _get(client, f"{raw}/{REPO}/{COMMIT}/{FOLDER}/{quote(path)}", place / path, sha, size)
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, KeyError, TypeError) as error:
        why = str(error) or type(error).__name__
        raise ModelError(f"The cases of {REPO} cannot be fetched: {why.rstrip('.')}.", hint=HINT) from error
    except OSError as error:
        raise ModelError(f"The cases of {REPO} cannot be kept: {error.strerror or error}.", hint=HINT) from error
    except ModelError as error:
        raise ModelError(f"The cases of {REPO} cannot be fetched: {error.message}", hint=HINT) from error
    return place


def _listed(client: httpx2.Client, kept: Path, url: str, tree: str) -> Files:
    """What is in the folder.  Raises ValueError where the list is not that of the pinned revision."""
    if not kept.is_file():
        answer = client.get(url)
        answer.raise_for_status()
        kept.write_bytes(answer.content)
    entries = json.loads(kept.read_bytes())["tree"]
    listed = {str(e["path"]): (str(e["mode"]).zfill(6), str(e["sha"]), int(e.get("size", 0))) for e in entries}
    if tree_hash(listed) != tree:
        kept.unlink()
        raise ValueError("the list of its files is not that of the pinned revision.")
    return listed


def _get(client: httpx2.Client, url: str, target: Path, sha: str, size: int) -> None:
    """A file, unless it is there.  Raises ModelError, httpx2.HTTPError, OSError."""
    if target.is_file() and blob_hash(target.read_bytes()) == sha:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    with part.open("a+b") as file:
        if file.tell() > size:
            file.truncate(0)
        load(client, url, Hub(""), file, size, None, b"")
    if blob_hash(part.read_bytes()) != sha:
        part.unlink()
        raise ModelError(f"{target.name} does not have the hash it should have.")
    part.replace(target)


def blob_hash(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def tree_hash(listed: Files, folder: str = "") -> str:
    """Git's of a folder, from those of the files below it.  Raises KeyError, ValueError."""
    content = b""
    inside = {path.removeprefix(folder): entry for path, entry in listed.items() if path.startswith(folder)}
    here = {name: entry for name, entry in inside.items() if "/" not in name}
    for name, (mode, sha, _) in sorted(here.items(), key=lambda it: f"{it[0]}/" if it[1][0] == "040000" else it[0]):
        found = tree_hash(listed, f"{folder}{name}/") if mode == "040000" else sha
        content += f"{mode.lstrip('0')} {name}\0".encode() + bytes.fromhex(found)
    return hashlib.sha1(b"tree %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
