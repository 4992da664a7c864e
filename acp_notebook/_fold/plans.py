"""Plans: one item a plan and turn, at its first place, replaced there (protocol page "Agent Plan")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .frozen import evolve
from .items import PlanItem
from .read import mapping, plan_entry, string
from .state import Turn
from .timeline import add_item, find, put, remove


def plan(turn: Turn, update: Mapping[str, Any], t: float, inside: bool) -> Turn | None:
    """Fold a `plan`: the whole list each time."""
    return _show(turn, None, {"entries": update.get("entries")}, t, inside)


def plan_update(turn: Turn, update: Mapping[str, Any], t: float, inside: bool) -> Turn | None:
    """Fold a `plan_update`: a plan with an id, as entries, Markdown or a file."""
    news = mapping(update.get("plan"))
    plan_id = string(news.get("planId"))
    return None if plan_id is None else _show(turn, plan_id, news, t, inside)


def plan_removed(turn: Turn, update: Mapping[str, Any], t: float, inside: bool) -> Turn | None:
    """Fold a `plan_removed`."""
    del t, inside
    plan_id = string(update.get("planId"))
    if plan_id is None:
        return None
    found = find(turn, PlanItem, lambda item: item.plan_id == plan_id)
    return turn if found is None else remove(turn, found[0])


def _show(turn: Turn, plan_id: str | None, news: Mapping[str, Any], t: float, inside: bool) -> Turn | None:
    entries, text, uri = news.get("entries"), string(news.get("content")), string(news.get("uri"))
    if not isinstance(entries, list):
        if text is None and uri is None:
            return None
        entries = []
    read = tuple(plan_entry(entry) for entry in entries)
    found = find(turn, PlanItem, lambda item: item.plan_id == plan_id)
    if found is not None:
        ref, item = found
        return put(turn, ref, evolve(item, entries=read, text=text, uri=uri))
    if not read and text is None and uri is None:
        return turn
    return add_item(turn, PlanItem(plan_id, read, text, uri, t), t, inside=inside)
