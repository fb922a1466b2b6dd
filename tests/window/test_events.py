"""Events reach those who registered for them, in that order, until they have had enough."""

from palimpsest.window.events import DocumentClosed, Events, FilesChanged, WindowClosing


def test_who_registered_hears_in_the_order_of_registration() -> None:
    events, heard = Events(), list[str]()
    events.on(DocumentClosed, lambda event: heard.append(f"first {event.uri}"))
    events.on(FilesChanged, lambda event: heard.append(f"files {len(event.uris)}"))
    events.on(DocumentClosed, lambda event: heard.append(f"second {event.uri}"))
    events.emit(DocumentClosed("a"))
    events.emit(WindowClosing())  # nobody listens
    events.emit(FilesChanged(["a", "b"]))
    assert heard == ["first a", "second a", "files 2"]


def test_a_listener_may_leave_also_while_it_is_told() -> None:
    events, heard = Events(), list[str]()

    def once(event: DocumentClosed) -> None:
        heard.append(event.uri)
        leave()

    leave = events.on(DocumentClosed, once)
    events.on(DocumentClosed, lambda event: heard.append(f"still {event.uri}"))
    events.emit(DocumentClosed("a"))
    events.emit(DocumentClosed("b"))
    assert heard == ["a", "still a", "still b"]
