"""Putting things into the output of the cell that runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp_notebook._front import host

if TYPE_CHECKING:
    from acp_notebook._front.widget import ChatWidget, TurnWidget


def show_widget(widget: ChatWidget | TurnWidget) -> None:
    """Display a widget in the cell that runs."""
    bundle = widget._repr_mimebundle_()
    if bundle is not None:
        data, metadata = bundle
        show(data, metadata)


def show(data: dict[str, Any], metadata: dict[str, Any] | None = None, display_id: str | None = None) -> None:
    """Display a MIME bundle; with a `display_id` it can be replaced by `replace`."""
    from IPython.display import display

    display(data, metadata=metadata, raw=True, display_id=display_id)


def replace(data: dict[str, Any], display_id: str) -> None:
    """Replace every output that was displayed with this id."""
    if host.kernel() is None:
        return
    from IPython.display import update_display

    update_display(data, display_id=display_id, raw=True)
