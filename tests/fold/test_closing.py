"""What is told about the process after the chat was closed."""

from __future__ import annotations

from tests.fold.wire import Wire


def test_a_closed_chat_does_not_tell_of_a_death():
    """We ended the process, by a signal if need be: that is the close, not a death of the agent's."""
    wire = Wire().end().note("closed")
    session = wire.note("exit", code=None, signal="SIGKILL", stderr="bye").session
    assert (session.status, session.exit) == ("ended", None)
    assert Wire().note("exit", code=None, signal="SIGKILL").session.exit is not None
