"""The ways to a session: a new one, or one from before by load, resume, copy, or our own record.

Which ways there are is what the agent has advertised (protocol pages "Session Setup", "Session List");
which one was taken becomes a note, so that the person is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from acp_notebook._chat import controls
from acp_notebook._errors import AcpNotebookError, AgentError, AuthRequiredError
from acp_notebook._fold.reopened import holds
from acp_notebook._fold.state import Session

if TYPE_CHECKING:
    from acp_notebook._agent.protocol import Initialized
    from acp_notebook._chat.link import Link
    from acp_notebook._chat.log import Log
    from acp_notebook._chat.past import Past

Way = Literal["load", "resume", "fork"]
How = Literal["new", "load", "resume", "fork", "recap"]


@dataclass(frozen=True)
class Wanted:
    """A session from before that a start should lead to.

    Attributes
    ----------
    session_id
        The agent's id.
    past
        Our own record of it, if there is one.
    way
        The only way to take; None: the best that the agent offers, in the end a new session and a recap.
    """

    session_id: str
    past: Past | None = None
    way: Way | None = None


def offers(agent: Initialized, way: Way) -> bool:
    """Whether the agent has advertised a way."""
    return agent.load_session if way == "load" else way in agent.session


async def enter(link: Link, log: Log, wanted: Wanted | None, *, ask: controls.Ask, told: bool = False) -> How:
    """Have the link in a session.

    Parameters
    ----------
    ask
        Asks the agent to set again what was set before.
    told
        Whether a new session is worth a word, too.

    Returns
    -------
    str
        The way that was taken; ``recap``: the agent knows nothing, the next prompt should tell it.

    Raises
    ------
    AgentError, AuthRequiredError
        The agent refuses; also the only way that was asked for.
    AcpNotebookError
        It offers no way to that session, and we have no record of it.
    """
    if wanted is None:
        await link.enter("session/new")
        if told:
            log.note({"kind": "session", "how": "new"})
        return "new"
    before = _before(log.session, wanted)
    how = await _by_the_agent(link, log, wanted)
    if how is None:
        await link.enter("session/new")
        how = "recap"
        _take_over(log, wanted)
    note = {"kind": "session", "how": how}
    goes_on = (
        {} if link.session_id == wanted.session_id else {"session": link.session_id, "of": wanted.session_id}
    )
    log.note({**note, **goes_on})
    await controls.restore(ask, lambda: log.session, before, log.warn)
    return how


async def _by_the_agent(link: Link, log: Log, wanted: Wanted) -> How | None:
    """Take the first way that works; None if none does and our own record has to do."""
    held = holds(log.session, wanted.session_id)
    # What stands here already need not be replayed.
    ways: tuple[Way, ...] = ("resume", "load") if held else ("load", "resume")
    if wanted.way is not None:
        ways = (wanted.way,)
    problem: AcpNotebookError | None = None
    for way in ways:
        if not offers(link.offers, way):
            continue
        try:
            await link.enter(f"session/{way}", wanted.session_id)
        except AuthRequiredError:
            raise
        except AgentError as error:
            problem = error
            continue
        if not holds(log.session, wanted.session_id) and _take_over(log, wanted) and way == "load":
            log.note({"kind": "session", "how": "transcript"})
        return way
    if wanted.way is not None or not (held or wanted.past is not None):
        word = f"by {wanted.way} " if wanted.way is not None else ""
        text = f"This agent cannot bring back the session {wanted.session_id!r} {word}".rstrip()
        raise problem or AcpNotebookError(f"{text}, and there is no record of it.")
    return None


def _before(session: Session, wanted: Wanted) -> Session:
    """The state whose settings are to come back: never those of another session, which may allow more."""
    if session.session_id == wanted.session_id:
        return session
    past = None if wanted.past is None else wanted.past.session
    return Session() if past is None or past.session_id != wanted.session_id else past


def _take_over(log: Log, wanted: Wanted) -> bool:
    """Show the session from our own record, unless the records hold it already."""
    if wanted.past is None or holds(log.session, wanted.session_id):
        return False
    lines: list[dict[str, Any]] = [record.to_line() for record in wanted.past.transcript.records]
    log.note({"kind": "history", "records": lines})
    return True
