"""What pygls leaves open in the protocol itself.

In: messages as dictionaries.  Out: messages for pygls.  Knows JSON-RPC, no feature.

* A request whose parameters are wrong is answered (−32602, the field named); pygls drops it and the client waits.
* Methods of our own (`palimpsest/…`), and those of other clients that LSP does not know, keep their parameters as plain
  dictionaries.
* A command that is sent as a notification, as some clients do, is carried out.
* `$/cancelRequest` reaches the body of a command, too; pygls cancels `async def` request handlers only.
* A command's handler gets the request's parameters as they are: the argument and the progress token.
* Documents are ours: pygls would keep each a second time, and bring it up to date at every keystroke.
* A request that is refused with a reason is no failure of ours: pygls logs it with a traceback, we one line.
* UTF-8 positions are preferred over the client's own order: for most lines there is nothing to convert.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from cattrs.v import transform_error
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import JsonRPCNotification, LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import JsonRPCRequestMessage

logger = logging.getLogger(__name__)

OWN = "palimpsest/"
PLAIN = {"textDocument/copilotInlineEdit", "textDocument/didShowInlineEdit", "textDocument/didFocus"}
"""Methods of other clients that LSP does not know."""
_OF_PYGLS = "pygls.protocol.json_rpc"
Handed = Generator[Any, Any, None]
"""What pygls makes of a handler of its own: it yields the one to call next."""


@dataclass(frozen=True)
class _Answered:
    """Stands for a message that needs nothing more; pygls passes over an unknown version."""

    jsonrpc: str = ""


def _what_is_wrong(error: BaseException) -> str:
    cause = error.__cause__ or error
    try:
        problems = [p.replace("$.", "") for p in transform_error(cause, path="$")]
    except Exception:
        problems = [str(cause) or type(cause).__name__]
    return "; ".join(problems)


def _refusals_in_one_line(record: logging.LogRecord) -> bool:
    """What the editor is told as an error of the request's, without code that it may quote."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, JsonRpcException) and error.code != types.ErrorCodes.InternalError.value:
        record.levelno, record.levelname = logging.INFO, logging.getLevelName(logging.INFO)
        record.msg, record.args = "a request was refused (%s): %s", (error.code, error.message.partition(", got ")[0])
        record.exc_info = record.exc_text = None
    return True


class Protocol(LanguageServerProtocol):
    """pygls's protocol with the differences above."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        logging.getLogger(_OF_PYGLS).addFilter(_refusals_in_one_line)  # the same one is added once only
        self._bodies: dict[Any, asyncio.Task[Any]] = {}

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
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            problem = _what_is_wrong(error)
            if "id" not in data or "method" not in data:
                logger.warning("ignored %r: %s", method or "a response", problem)
            else:
                wrong = JsonRpcInvalidParams(f"{method}: {problem}")
                self._send_response(data["id"], None, wrong.to_response_error())
            return _Answered()

    def _command_without_answer(self, data: dict[str, Any]) -> Any:
        try:
            params = self._converter.structure(data.get("params"), types.ExecuteCommandParams)
        except Exception as error:
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

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Handed:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Handed:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Handed:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    def adopt(self, body: asyncio.Task[Any]) -> None:
        """Let `$/cancelRequest` for the request being handled cancel `body`."""
        msg_id = self.msg_id
        self._bodies[msg_id] = body
        body.add_done_callback(lambda _: self._bodies.pop(msg_id, None))

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        if (body := self._bodies.pop(msg_id, None)) is not None:
            body.cancel()
        super()._handle_cancel_notification(msg_id)


def _prefer_utf8(message: dict[str, Any]) -> None:
    try:
        offered = message["params"]["capabilities"]["general"]["positionEncodings"]
        if "utf-8" in offered:
            offered.sort(key=lambda name: name != "utf-8")
    except (KeyError, TypeError, AttributeError):
        return  # not offered, or nonsense that is answered when it is structured


def response_error(error: BaseException) -> JsonRpcException:
    """An exception of ours as the JSON-RPC error an editor shows; the code follows from the class."""
    from palimpsest import errors

    if isinstance(error, JsonRpcException):
        return error
    code: int = types.LSPErrorCodes.RequestFailed.value
    if isinstance(error, (errors.InvalidArgument, errors.OutsideWorkspace)):
        code = types.ErrorCodes.InvalidParams.value
    elif isinstance(error, errors.StaleDocument):
        code = types.LSPErrorCodes.ContentModified.value
    elif isinstance(error, errors.Cancelled):
        code = types.LSPErrorCodes.ServerCancelled.value
    data = {"code": error.code} if isinstance(error, errors.PalimpsestError) else None
    return JsonRpcException(str(error), code, data)
