"""What pygls leaves open in the protocol itself.

In: messages as dictionaries.  Out: messages for pygls.  Knows JSON-RPC, no feature.

* A request whose parameters are wrong is answered (−32602, the field named); pygls drops it and the client waits.
  Answered is one, too, that comes before `initialize` or after `shutdown`, and what is no message at all (`inbox.py`).
* An error is one sentence for a person and has no `data`: VS Code shows that as `[object Object]`, and what is inside
  is nobody's business but the log's.
* Messages can be held back until the settings are known (`hold`).
* Whoever waits for a client's answer may stop waiting: the answer may come all the same, or twice, or be nonsense.
* What is done is forgotten: pygls keeps the future of every notification and of every command's body.
* Methods of our own (`palimpsest/…`), and those of other clients that LSP does not know, keep their parameters as plain
  dictionaries.
* A command that is sent as a notification, as some clients do, is carried out.
* `$/cancelRequest` reaches the body of a command, too; pygls cancels `async def` request handlers only.
* A command's handler gets the request's parameters as they are: the argument and the progress token.
* Documents are ours: pygls would keep each a second time, and bring it up to date at every keystroke.
* A request that is refused with a reason is no failure of ours: pygls logs it with a traceback, we one line.
* UTF-8 positions are preferred over the client's own order: for most lines there is nothing to convert.
* A file has one URI inside, whatever way the client writes it, which is its own again in what it is answered.
* A document whose version is null, as LSP allowed once, missing or nonsense is read; pygls drops it.
* A position out of bounds, a value that an enumeration does not have and an item of a list that makes no sense leave
  the rest as it is (`tolerance.py`).
* A workspace folder without a name is one, and what is none beside it is passed over; pygls refuses `initialize`.
"""

import asyncio
import logging
import sys
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn
from uuid import uuid4

import cattrs
from cattrs.v import transform_error
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import JsonRPCNotification, LanguageServerProtocol, default_converter, lsp_method
from pygls.protocol.json_rpc import JsonRPCRequestMessage

from palimpsest import errors
from palimpsest.lsp.inbox import Inbox
from palimpsest.lsp.message_uris import rewritten
from palimpsest.lsp.tolerance import made_tolerant
from palimpsest.text.spellings import Spellings

logger = logging.getLogger(__name__)

OWN = "palimpsest/"
PLAIN = {"textDocument/copilotInlineEdit", "textDocument/didShowInlineEdit", "textDocument/didFocus"}
"""Methods of other clients that LSP does not know."""
_OF_PYGLS = "pygls.protocol.json_rpc"
_OPENING = {types.TEXT_DOCUMENT_DID_OPEN, types.NOTEBOOK_DOCUMENT_DID_OPEN, types.NOTEBOOK_DOCUMENT_DID_CHANGE}
_CLOSING = {types.TEXT_DOCUMENT_DID_CLOSE, types.NOTEBOOK_DOCUMENT_DID_CLOSE}
_OF_FOLDERS = {types.INITIALIZE, types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS}
UNVERSIONED = -(2**31)
"""The version of a document that comes without one."""
OUR_FAULT = "Palimpsest made a mistake of its own; what happened is in its log."
ENDING_S = 1.0


@dataclass(frozen=True)
class _Answered:
    """Stands for a message that needs nothing more."""


def _what_is_wrong(error: BaseException) -> str:
    cause = error.__cause__ or error
    try:
        problems = [p.replace("$.", "") for p in transform_error(cause, path="$")]
    except Exception:  # whatever cattrs cannot word
        problems = [str(cause) or type(cause).__name__]
    return "; ".join(problems)


def _refusals_in_one_line(record: logging.LogRecord) -> bool:
    """What the editor is told as an error of the request's, without code that it may quote; what cannot be read is
    logged where it is refused."""
    if str(record.msg).startswith("Unable to deserialize"):
        return False
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, JsonRpcException) and error.code != types.ErrorCodes.InternalError.value:
        record.levelno, record.levelname = logging.INFO, logging.getLevelName(logging.INFO)
        record.msg, record.args = "a request was refused (%s): %s", (error.code, error.message.partition(", got ")[0])
        record.exc_info = record.exc_text = None
    return True


@cache
def converter() -> cattrs.Converter:
    """pygls's, one for the process: it writes code for each type that it meets, which takes a while."""
    made: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]
    made_tolerant(made)
    return made


class Protocol(LanguageServerProtocol):
    """pygls's protocol with the differences above."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        logging.getLogger(_OF_PYGLS).addFilter(_refusals_in_one_line)  # the same one is added once only
        self._bodies: dict[Any, asyncio.Task[Any]] = {}
        self._sent: dict[Any, Future[Any]] = {}
        for method in (*_OPENING, *_CLOSING, types.TEXT_DOCUMENT_DID_CHANGE):
            del self.fm.builtin_features[method]  # so the handlers of our own are called alone
        self.spellings = Spellings()
        self.inbox = Inbox(self._take, self.refuse)
        self._shutdown_id: Any = None

    # What comes in --------------------------------------------------------------------------------------------

    async def end(self, beside: Iterable[asyncio.Task[Any]]) -> None:
        """Nobody waits for an answer any more but for `shutdown`'s, which may have come in one write with `exit`: end
        what is still being done for one, and what goes on beside them."""
        running: list[asyncio.Future[Any]] = [*self._bodies.values(), *beside]
        for task in running:
            task.cancel()
        if (answered := self._request_futures.get(self._shutdown_id)) is not None:
            running.append(asyncio.wrap_future(answered))
        if running:
            await asyncio.wait(running, timeout=ENDING_S)

    def refuse(self, msg_id: Any, code: int, message: str) -> None:
        """Answer a request with an error."""
        self._send_response(msg_id, None, types.ResponseError(code, message))

    def _take(self, data: dict[str, Any]) -> None:
        try:
            if "method" not in data and data["id"] not in self._sent:
                logger.info("an answer to nothing that was asked: %r", data["id"])
                return
            message = self.structure_message(self._with_identities(data))
            if not isinstance(message, _Answered):
                self.handle_message(message)
            if data.get("method") in _CLOSING:  # what is told about it as it closes, names it as the client does
                rewritten(data, self.spellings.closed)
        except Exception:  # one message's defect must not end the connection
            logger.exception("a message failed")

    def _with_identities(self, data: dict[str, Any]) -> dict[str, Any]:
        method = data.get("method")
        if method in _OF_FOLDERS:
            return data
        if method in _OPENING or method == types.TEXT_DOCUMENT_DID_CHANGE:
            _number(data)
        if method == types.TEXT_DOCUMENT_DID_CHANGE and isinstance(params := data.get("params"), dict):
            params.setdefault("contentChanges", None)  # which loses the document; without them, the message is dropped
        message: dict[str, Any] = rewritten(
            data, self.spellings.opened if method in _OPENING else self.spellings.identity
        )
        return message

    def structure_message(self, data: dict[str, Any]) -> Any:
        if "jsonrpc" not in data:
            return data
        method = data.get("method", "")
        if isinstance(method, str) and (method.startswith(OWN) or method in PLAIN):
            given = {"jsonrpc": data["jsonrpc"], "method": method, "params": data.get("params")}
            return JsonRPCRequestMessage(id=data["id"], **given) if "id" in data else JsonRPCNotification(**given)
        if method == types.WORKSPACE_EXECUTE_COMMAND and "id" not in data:
            return self._command_without_answer(data)
        if method == types.INITIALIZE:
            _prefer_utf8(data)
        if method in _OF_FOLDERS:
            _tidy_folders(data.get("params"))
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            problem = _what_is_wrong(error)
            if "method" not in data:
                self._sent[data["id"]].set_exception(JsonRpcException(f"the answer cannot be read: {problem}"))
            elif "id" not in data:
                logger.warning("ignored %r: %s", method, problem)
            else:
                self.refuse(data["id"], types.ErrorCodes.InvalidParams.value, f"{method}: {problem}")
            return _Answered()

    def _command_without_answer(self, data: dict[str, Any]) -> Any:
        try:
            params = self._converter.structure(data.get("params"), types.ExecuteCommandParams)
        except Exception as error:  # what a client sends may be anything
            logger.warning("ignored %r: %s", data["method"], _what_is_wrong(error))
            return _Answered()
        return JsonRPCNotification(jsonrpc=data["jsonrpc"], method=data["method"], params=params)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Generator[Any, Any, Any]:
        handler = self.fm.commands.get(params.command)
        if handler is None:
            raise JsonRpcInvalidParams(
                f"command: there is no {params.command!r}; there are {', '.join(sorted(self.fm.commands))}."
            )
        result = yield handler, (params,), None
        return result

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> Generator[Any, Any, None]:
        self._shutdown_id = self.msg_id
        yield self.fm.features[types.SHUTDOWN], args, None
        for msg_id, future in list(self._request_futures.items()):  # each is forgotten as it ends
            if msg_id != self.msg_id:
                future.cancel()
        self._shutdown = True

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> NoReturn:
        """pygls closes the writer here: an answer to `shutdown` that is under way would be lost.  Without that, LSP
        wants 1."""
        sys.exit(1 if self._shutdown_id is None else 0)

    def adopt(self, body: asyncio.Task[Any]) -> None:
        """Let `$/cancelRequest` for the request being handled cancel `body`."""
        msg_id = self.msg_id
        self._bodies[msg_id] = body
        body.add_done_callback(lambda _: self._bodies.pop(msg_id, None))

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        """One that is answered already, as happens to whoever types fast, is nothing to log."""
        if not isinstance(msg_id, (str, int)):
            return
        if (body := self._bodies.pop(msg_id, None)) is not None:
            body.cancel()
        if msg_id not in self._sent and (future := self._request_futures.get(msg_id)) is not None:
            future.cancel()

    def _execute_handler(
        self,
        msg_id: Any,
        handler: Callable[..., Any],
        callback: Callable[[Any], Any],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        def done(future: Any) -> None:
            if self._request_futures.get(msg_id) is future:
                del self._request_futures[msg_id]
            if not future.cancelled():
                future.exception()  # looked at: of one whose request is cancelled nobody asks what came of it
            with suppress(asyncio.CancelledError):  # the loop ends: whoever asked is gone
                callback(future)

        super()._execute_handler(msg_id, handler, done, args, kwargs)

    def _send_handler_result(self, future: Any, *, msg_id: Any) -> None:
        """An exception of ours is answered with its sentence."""
        if not future.cancelled() and isinstance(error := future.exception(), errors.PalimpsestError):
            future = Future[Any]()
            future.set_exception(response_error(error))
        super()._send_handler_result(future, msg_id=msg_id)

    # What goes out --------------------------------------------------------------------------------------------

    def send_request(
        self, method: str, params: Any = None, callback: Callable[[Any], None] | None = None, msg_id: Any = None
    ) -> Future[Any]:
        """The client's answer, which may never come.  To cancel a wait for it does not cancel it."""
        identity = uuid4().hex if msg_id is None else msg_id
        future: Future[Any] = super().send_request(method, params, callback, identity)
        future.set_running_or_notify_cancel()
        self._sent[identity] = future
        future.add_done_callback(lambda _: self._forget(identity))
        return future

    def _forget(self, identity: Any) -> None:
        for known in (self._sent, self._request_futures, self._result_types):
            known.pop(identity, None)

    def _serialize_message(self, data: Any) -> Any:
        return rewritten(super()._serialize_message(data), self.spellings.written)

    def _send_response(self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None) -> None:
        if error is not None:
            inside = error.code == types.ErrorCodes.InternalError.value
            error = types.ResponseError(error.code, OUR_FAULT if inside else error.message)
        super()._send_response(msg_id, result, error)


def _prefer_utf8(message: dict[str, Any]) -> None:
    try:
        offered = message["params"]["capabilities"]["general"]["positionEncodings"]
        if "utf-8" in offered:
            offered.sort(key=lambda name: name != "utf-8")
    except (KeyError, TypeError, AttributeError):
        return  # not offered, or nonsense that is answered when it is structured


def _tidy_folders(value: Any) -> None:
    """What is no folder in a list of them is left out, and one without a name gets one, which nobody reads."""
    for name, given in value.items() if isinstance(value, dict) else ():
        if name == "event":
            _tidy_folders(given)
        elif name in ("workspaceFolders", "added", "removed") and given is not None:
            found = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
            value[name] = [{"uri": one["uri"], "name": ""} for one in found if isinstance(one.get("uri"), str)]


def _number(value: Any) -> None:
    """Give every document in a message a version, where it has none that LSP allows."""
    if isinstance(value, dict) and "uri" in value:
        given = value.get("version")
        if type(given) is not int or not UNVERSIONED < given < -UNVERSIONED:
            value["version"] = UNVERSIONED
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _number(inner)


LONGEST_ERROR = 2_000
"""Characters of an error's message: it may quote what was sent."""


def response_error(error: BaseException) -> JsonRpcException:
    """An exception of ours as the JSON-RPC error an editor shows; the code follows from the class."""
    if isinstance(error, JsonRpcException):
        return error
    code: int = types.LSPErrorCodes.RequestFailed.value
    if isinstance(error, (errors.InvalidArgument, errors.OutsideWorkspace)):
        code = types.ErrorCodes.InvalidParams.value
    elif isinstance(error, errors.StaleDocument):
        code = types.LSPErrorCodes.ContentModified.value
    elif isinstance(error, errors.Cancelled):
        code = types.LSPErrorCodes.ServerCancelled.value
    message = str(error)
    return JsonRpcException(message if len(message) <= LONGEST_ERROR else f"{message[:LONGEST_ERROR]}…", code)
