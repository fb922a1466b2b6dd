"""Transfers one file over HTTP: what the server says about it, and its content into a growing file.

In: a URL, a hub, an open file.  Out: a `RemoteFile`; the complete file.  Does not know about models.

Redirects are followed here, one by one, so that each address gets only what is meant for it and none leads from a
private address to one that others can read.  A body is limited in bytes by the announced size, and in time by a minimum
speed.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO
from urllib.parse import urljoin

import httpx2

from palimpsest.errors import ModelError
from palimpsest.models.header import MAGIC
from palimpsest.models.hub import SHA256, Hub, is_private

Progress = Callable[[int, int], None]
"""Called after each piece with the bytes received so far and the total."""
MOST_REDIRECTS = 8
SILENCE_S = 20.0
"""After this many seconds without a byte the connection counts as interrupted."""
ATTEMPTS, PAUSE_S = 5, 1.0
"""Number of consecutive attempts without a new byte, and the pause between them in seconds."""
CHUNK = 1 << 20
SLOWEST, PACE_S = 1000, 60.0
"""Minimum speed in bytes a second, measured over this many seconds; a slower download is aborted."""
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
AGAIN = "Check the name and the connection and try again: a download goes on where it stopped."


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """`sha256` is what the hub reports, else empty; `version` distinguishes contents as far as the server allows."""

    size: int
    sha256: str
    version: str


@contextmanager
def variables_named() -> Iterator[None]:
    """While a client is made, which reads the person's variables.  Raises ModelError that names the wrong one."""
    try:
        yield
    except OSError as error:
        where, why = os.environ.get("SSL_CERT_FILE") or "what the system has", error.strerror or error
        raise ModelError(f"SSL_CERT_FILE: expected certificates (PEM); {where} cannot be used: {why}.") from error
    except (ImportError, ValueError, httpx2.InvalidURL) as error:
        names = " or ".join(sorted(name for name in os.environ if name.lower() in PROXIES)) or "The system's proxy"
        raise ModelError(f"{names}: expected an HTTP proxy, such as http://proxy.example:3128.") from error


def look(client: httpx2.Client, url: str, hub: Hub) -> RemoteFile:
    """What the server says about a file, without its content.  Raises ModelError."""
    headers_of_hub: dict[str, str] = {}

    def hear(response: httpx2.Response) -> None:
        if hub.owns(str(response.url)):
            headers_of_hub.update({name: response.headers[name] for name in LINKED if name in response.headers})

    with _opened(client, "HEAD", url, hub, {}, hear) as response:
        size = _number(headers_of_hub.get("x-linked-size") or response.headers.get("content-length"))
        etag = headers_of_hub.get("x-linked-etag") or response.headers.get("etag") or ""
    etag = etag.removeprefix("W/").strip('"')
    if not size:
        raise ModelError(f"{public_url(url)} does not say how large it is.", hint="Fetch it by other means.")
    vouched = hub.owns(url) and SHA256.fullmatch(etag)
    return RemoteFile(size, etag if vouched else "", etag)


LINKED = ("x-linked-size", "x-linked-etag")
"""The hub gives size and SHA-256 of a large file in these headers and redirects to the content."""


def load(
    client: httpx2.Client,
    url: str,
    hub: Hub,
    file: BinaryIO,
    size: int,
    progress: Progress | None,
    beginning: bytes = MAGIC,
) -> None:
    """Appends to `file` what is missing of `size` bytes; continues when the connection is interrupted.  `beginning`:
    what the content begins with.

    Raises ModelError; the file then keeps what was received for a later attempt, or is emptied if that cannot be right.
    """
    attempts_left, most = ATTEMPTS, file.tell()
    while file.tell() < size:
        cut: httpx2.HTTPError | None = None
        try:
            _load_on(client, url, hub, file, size, progress, beginning)
        except (httpx2.HTTPStatusError, httpx2.UnsupportedProtocol):
            raise
        except httpx2.HTTPError as error:
            cut = error
        if file.tell() >= size:
            return
        attempts_left = ATTEMPTS if file.tell() > most else attempts_left - 1
        most = max(most, file.tell())
        if not attempts_left:
            raise cut or ModelError(f"Only {most:,} of {size:,} bytes came from {public_url(url)}.", hint=AGAIN)
        time.sleep(PAUSE_S)


def _load_on(
    client: httpx2.Client, url: str, hub: Hub, file: BinaryIO, size: int, progress: Progress | None, beginning: bytes
) -> None:
    start = file.tell()
    headers = {"Range": f"bytes={start}-"} if start else {}
    with _opened(client, "GET", url, hub, headers, lambda _: None) as response:
        if start and not _goes_on(response, start):
            file.seek(0)
            file.truncate()
        began, counted = time.monotonic(), 0
        for piece in response.iter_raw(CHUNK):
            if file.tell() + len(piece) > size:
                _drop(file)
                raise ModelError(f"More came from {public_url(url)} than the {size:,} bytes that it said.")
            file.write(piece)
            _check_beginning(file, url, beginning)
            counted += len(piece)
            if progress:
                progress(file.tell(), size)
            if (took := time.monotonic() - began) >= PACE_S:
                if counted < SLOWEST * took:
                    raise ModelError(
                        f"{public_url(url)} is too slow ({counted / took:.0f} bytes a second).", hint=AGAIN
                    )
                began, counted = time.monotonic(), 0


KINDS = {MAGIC: "GGUF", b"PK\x03\x04": "ZIP", b"\x1f\x8b\x08": "gzip"}


def _check_beginning(file: BinaryIO, url: str, beginning: bytes) -> None:
    """Four bytes are enough to detect a wrong file, instead of waiting for gigabytes."""
    end = file.tell()
    if end < len(beginning) or end > 2 * CHUNK:
        return
    file.seek(0)
    first = file.read(len(beginning))
    file.seek(end)
    if first != beginning:
        _drop(file)
        raise ModelError(f"What {public_url(url)} sends is not a {KINDS[beginning]} file.", hint="Check the address.")


def _drop(file: BinaryIO) -> None:
    file.seek(0)
    file.truncate()


@contextmanager
def _opened(
    client: httpx2.Client,
    method: str,
    url: str,
    hub: Hub,
    headers: dict[str, str],
    hear: Callable[[httpx2.Response], None],
) -> Iterator[httpx2.Response]:
    """The response after all redirects; `hear` gets each response on the way."""
    for _ in range(MOST_REDIRECTS):
        given = {"Accept-Encoding": "identity", **headers, **hub.headers_for(url)}
        with client.stream(method, url, headers=given, follow_redirects=False) as response:
            hear(response)
            if response.is_redirect:
                there = urljoin(url, response.headers.get("location", ""))
                if is_private(url) and not is_private(there):
                    raise ModelError(f"{public_url(url)} leads to {public_url(there)}, which others can read.")
                url = there
                continue
            response.raise_for_status()
            yield response
            return
    raise ModelError(f"{public_url(url)} leads from one address to the next without an end.")


def _goes_on(response: httpx2.Response, start: int) -> bool:
    """Whether the response continues after `start` bytes; otherwise it is the whole file."""
    return response.status_code == 206 and response.headers.get("content-range", "").startswith(f"bytes {start}-")


def _number(value: str | None) -> int:
    return int(value) if value and value.isdecimal() and len(value) < 19 else 0


def public_url(url: str) -> str:
    """The URL without possible secrets: a name and password, a signature after the question mark."""
    parsed = httpx2.URL(url)
    return str(parsed.copy_with(query=None, fragment=None, userinfo=b""))
