"""What `palimpsest/status` has for an editor to show as it is."""

from palimpsest.lsp.report import StatusReport
from palimpsest.window.switches import told_left


def test_the_headline_is_the_cause_or_what_goes_on() -> None:
    assert StatusReport().headline == "Loading the model"
    assert StatusReport(message="The engine is starting.").headline == "The engine is starting."
    assert StatusReport(state="ready", message="something").headline == "Ready"
    assert StatusReport(state="degraded", cause="It died twice.").headline == "It died twice."


def test_figures_are_told_where_there_are_any() -> None:
    assert StatusReport().told()["figures"] == []
    status = StatusReport(
        url="https://gpu:8443",
        tokens={"used": 1539, "total": 4096},
        last={"decoded": 1, "reused": 1200, "ms": 45.6},
        conversation={"used": 700, "total": 2048, "kv": "leave", "left": 300},
    )
    assert status.told()["figures"] == [
        "Engine: https://gpu:8443",
        "Context: 1,539 of 4,096 tokens",
        "Last answer: 1 token decoded, 1,200 reused, 46 ms",
        "Conversation: 700 of 2,048 tokens; its cache stays when blocks change (300 as they were)",
    ]


def test_what_is_left_of_a_snooze_is_told_in_minutes_and_in_seconds_at_its_end() -> None:
    left = [told_left(seconds) for seconds in (300, 299, 61, 60, 1, 0.5, 0, -5)]
    assert left == ["5 min", "5 min", "2 min", "60 s", "1 s", "1 s", "", ""]
