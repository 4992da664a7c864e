"""The explorer: what a transcript displays. Keeps the index and answers the browser's questions."""

from __future__ import annotations

import json
import threading
import uuid
from typing import Any

from acp_notebook._fold.transcript import Transcript
from acp_notebook._front import host
from acp_notebook._front.display import replace, show
from acp_notebook._front.widget import asset
from acp_notebook._render.twin import assemble

from .bounded import WHOLE, Cutter, items_payload, turn_payload
from .messages import Asset, Hello, ItemQuery, Message, Records, Rows, Search, Seek, Turns, parse
from .moments import Moments
from .outline import outline, part_of, rows
from .places import turn_at, whose
from .reader import Reader
from .search import Only, Query, Row, matches
from .trail import Ref
from .widget import ExplorerWidget

AT_ONCE = 20_000
"""Records that are read before the cell ends; more are read beside it, and the view grows meanwhile."""
FIRST = 2_000
"""Of those that are read beside the cell so many are read before, so that the view has something to show."""
HITS = 80
"""Hits that are sent at once."""
RECORD_TEXT = 20_000
"""Characters of one raw record that are sent."""
RECORDS = 20


class Explorer:
    """Shows one transcript.

    Parameters
    ----------
    transcript : Transcript
    reader : Reader
        Of its records; shared with whoever else looks into them.
    """

    def __init__(self, transcript: Transcript, reader: Reader) -> None:
        self.id = uuid.uuid4().hex[:12]
        self.closed = False
        self._transcript = transcript
        self._reader = reader
        self._hits: tuple[Search, list[Row]] | None = None
        self._moments: Moments | None = None
        self.widget = ExplorerWidget(self)

    def _read_beside(self, display_id: str) -> None:
        """Read beside the cells; tell the views what there is after the first part and at the end."""
        told = False
        while not self.closed and self._reader.read_on():
            if not told:
                told = True
                with self._reader.lock:
                    self._reader.sum_up()
                self._tell()
        if self.closed:
            return
        # The views come last: they let people search, which had better not wait behind the copy.
        try:
            host.run_in_empty_context(replace, self._twin(), display_id)
        finally:
            self._tell()

    # ------------------------------------------------------------------------------------- displaying

    def show(self) -> None:
        """Display it in the cell that runs, with a static copy beside it."""
        beside = len(self._transcript.records) > AT_ONCE and not host.is_headless() and not self._reader.ready
        if not beside:
            self._reader.read()
        else:
            with self._reader.lock:
                self._reader.read_on(FIRST)
                self._reader.sum_up()
        bundle = self.widget._repr_mimebundle_()
        if bundle is not None:
            show(*bundle)
        display_id = f"acp-notebook-{self.id}"
        show(self._twin() if not beside else _PLACEHOLDER, display_id=display_id)
        if beside:
            threading.Thread(
                target=self._read_beside, args=(display_id,), name="acp-notebook-explorer", daemon=True
            ).start()
        else:
            self.widget.push_state()

    def close(self) -> None:
        """Let go of the records; the view can be read on as far as it was loaded."""
        self.closed = True
        self.widget.close()

    def _twin(self) -> dict[str, Any]:
        twin = assemble(self._reader.trail.session, "text", self.id)
        return {
            "text/html": twin.html,
            "text/markdown": twin.markdown,
            "text/plain": "A static copy of the transcript.",
        }

    def plain(self) -> str:
        """One readable line."""
        return repr(self._transcript) if self._reader.ready else "<Transcript>"

    # ---------------------------------------------------------------------------------------- answering

    def snapshot(self) -> dict[str, Any]:
        """What the state trait serialises to."""
        reader = self._reader
        with reader.lock:
            facts = {
                "id": self.id,
                "warnings": [text[:300] for text in self._transcript.warnings[:20]],
                "complete": not reader.ready or self._transcript.complete,
            }
            return outline(reader.trail, reader.summary, reader.axis, reader.index, facts)

    def _tell(self) -> None:
        self.widget.post({"kind": "outline", "state": self.snapshot()})

    def handle(self, content: Any) -> None:
        """Answer a message of the browser; any thread."""
        if self.closed:
            return
        ident = content.get("id") if isinstance(content, dict) else None
        message = parse(content)
        try:
            if message is None:
                raise ValueError("The explorer sent something the kernel does not understand.")  # noqa: TRY301
            with self._reader.lock:
                answer = self._answer(message)
        except Exception as error:  # noqa: BLE001 - whoever asked gets an answer, whatever it was
            answer = {"kind": "failed", "id": ident, "error": str(error) or type(error).__name__}
        self.widget.post(answer, near=getattr(message, "near", False))

    def _answer(self, message: Message) -> dict[str, Any]:
        match message:
            case Hello():
                return {"kind": "outline", "state": self.snapshot()}
            case Asset(name=name):
                return {"kind": "asset", "name": name, "source": asset(f"parts/{name}.js")}
            case Rows(id=ident, first=first):
                found = rows(self._reader.trail, self._reader.summary, self._reader.axis, max(0, first))
                return {"kind": "rows", "id": ident, "first": first, "rows": found}
            case Turns():
                return self._turns(message)
            case ItemQuery():
                return self._item(message)
            case Search():
                return self._search(message)
            case Seek():
                return self._seek(message)
            case Records():
                return self._records(message)

    def _seek(self, message: Seek) -> dict[str, Any]:
        # The axis is another one when more has been read.
        if self._moments is None or self._moments.axis is not self._reader.axis:
            self._moments = Moments(self._reader.trail, self._reader.axis)
        return self._moments.answer(message)

    def _place(self, position: int) -> int:
        """The place of the turn at a position of the outline."""
        if position < 0:
            raise LookupError("There is no such turn.")
        return self._reader.trail.shown()[position]

    def _turns(self, message: Turns) -> dict[str, Any]:
        trail = self._reader.trail
        session = trail.session if message.at is None else trail.at(message.at)
        first = max(0, message.first)
        found: list[dict[str, Any]] = []
        size = 0
        for position, place in enumerate(trail.shown()[first : first + message.count], first):
            turn = turn_at(session, place)
            if turn is None:
                break
            payload = turn_payload(turn, message.focus if position == message.first else 0)
            size += len(json.dumps(payload))
            if found and size > 800_000:
                break
            final = turn is turn_at(trail.session, place)
            found.append({"final": final, **part_of(session, place, position, payload)})
        return {"kind": "turns", "id": message.id, "at": message.at, "turns": found}

    def _item(self, message: ItemQuery) -> dict[str, Any]:
        trail = self._reader.trail
        session = trail.session if message.at is None else trail.at(message.at)
        turn = turn_at(session, self._place(message.turn))
        items = () if turn is None else turn.after if message.after else turn.items
        cutter = Cutter(WHOLE)
        found = items_payload(items[message.item : message.item + 1], cutter)
        if turn is None or not found:
            raise LookupError("There is no such item.")
        terminals = {} if found[0]["kind"] != "tool_call" else found[0]["call"]["terminals"]
        shown = {name: turn.terminals[name] for name in terminals if name in turn.terminals}
        return {
            "kind": "item",
            "id": message.id,
            "item": found[0],
            "terminals": {name: cutter(one.output) for name, one in shown.items()},
        }

    def _search(self, message: Search) -> dict[str, Any]:
        index = self._reader.index
        if index is None:
            return {"kind": "hits", "id": message.id, "total": -1, "first": 0, "hits": []}
        query = Query.parse(message.text)
        asked = message.model_copy(update={"id": "", "first": 0})
        if self._hits is None or self._hits[0] != asked:
            only = Only(
                frozenset(message.kinds),
                frozenset(message.statuses),
                frozenset(message.sessions),
                message.path,
            )
            found = index.find(query, only)
            self._hits = (asked, found)
        found = self._hits[1]
        part = found[max(0, message.first) : max(0, message.first) + HITS]
        positions = {place: position for position, place in enumerate(self._reader.trail.shown())}
        hits = [
            {
                **{name: getattr(match, name) for name in match.__slots__},
                "turn": positions[row.ref.turn],
                "number": match.turn + 1,
                "session": whose(self._reader.trail.session, row.ref.turn),
            }
            for row, match in zip(part, matches(index, self._reader.trail, query, part), strict=True)
        ]
        return {
            "kind": "hits",
            "id": message.id,
            "total": len(found),
            "first": message.first,
            "hits": hits,
            "words": list(query.words),
        }

    def _records(self, message: Records) -> dict[str, Any]:
        ranges = self._reader.trail.behind(Ref(self._place(message.turn), message.item, message.after))
        indices = [index for first, end in ranges for index in range(first, end)]
        part = indices[max(0, message.first) : max(0, message.first) + RECORDS]
        found = []
        for index in part:
            record = self._reader.trail.records[index]
            text = json.dumps(record.msg, ensure_ascii=False, indent=2)
            cut = max(0, len(text) - RECORD_TEXT)
            found.append(
                {
                    "index": index,
                    "t": record.t,
                    "dir": record.dir,
                    "text": text[:RECORD_TEXT],
                    "left_out": cut,
                }
            )
        return {
            "kind": "records",
            "id": message.id,
            "total": len(indices),
            "first": message.first,
            "records": found,
        }


_PLACEHOLDER = {
    "text/html": "<p>The transcript is being read.</p>",
    "text/plain": "The transcript is being read.",
}

# ------------------------------------------------------------------------- one explorer a cell and transcript

_lock = threading.Lock()
_living: list[tuple[str, str, Explorer]] = []


def display(transcript: Transcript, reader: Reader, held: Explorer | None) -> Explorer:
    """Show a transcript in the cell that runs; an explorer that the same cell made before is closed.

    Parameters
    ----------
    transcript : Transcript
    reader : Reader
    held : Explorer or None
        The transcript's explorer, if it has been displayed before.
    """
    cell = host.cell_id()
    run = str((host.request() or {}).get("header", {}).get("msg_id"))
    explorer = held if held is not None and not held.closed else Explorer(transcript, reader)
    if cell is not None:
        with _lock:
            stale = [one for one in _living if one[0] == cell and one[1] != run and one[2] is not explorer]
            kept = [one for one in _living if one not in stale and one[2] is not explorer]
            _living[:] = [*kept, (cell, run, explorer)]
        for _, _, old in stale:
            old.close()
    explorer.show()
    return explorer
