"""Options, modes and models: set by what the agent has advertised, changed from either side."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_notebook import AgentError, Chat
from tests.chat.keeper import keeper, notices, sent

Make = Callable[..., Chat]


@pytest.fixture
def make(project: Path) -> Iterator[Make]:
    """Make chats with the keeper that are closed afterwards."""
    made: list[Chat] = []

    def make(*able: str, store: Path | None = None, **config: Any) -> Chat:
        made.append(Chat(keeper(store, *able, **config), cwd=project, record=False))
        return made[-1]

    yield make
    for chat in made:
        chat.close()


def value(chat: Chat, option_id: str) -> object:
    """The current value of an option."""
    return next((option.value for option in chat.session.options if option.id == option_id), None)


def test_config_options_are_set_and_may_change_each_other(make: Make) -> None:
    """The answer is the full state: another model brings an option of its own, which is boolean."""
    chat = make(controls=["options"])
    chat.set_option("model", "big")
    assert [option.id for option in chat.session.options] == ["model", "mode", "loud"]
    chat.set_option("loud", True)

    assert value(chat, "loud") is True
    assert sent(chat, "session/set_config_option")[-1]["type"] == "boolean"
    assert {choice.group for choice in chat.session.options[0].choices} == {"House models"}


def test_modes_and_models_go_by_their_option_where_there_is_one(make: Make) -> None:
    """An agent that has both means the config options; the older methods are then not called."""
    chat = make(controls=["options", "modes", "models"])
    chat.set_mode("go")
    chat.set_model("big")

    assert (value(chat, "mode"), value(chat, "model")) == ("go", "big")
    assert [params["configId"] for params in sent(chat, "session/set_config_option")] == ["mode", "model"]
    assert sent(chat, "session/set_mode") == sent(chat, "session/set_model") == []


def test_modes_and_models_of_older_agents(make: Make) -> None:
    """Without config options the older methods are used, and the state follows."""
    chat = make(controls=["modes", "models"])
    chat.set_mode("go")
    chat.set_model("big")

    assert chat.session.mode == "go"
    assert chat.session.models is not None
    assert chat.session.models.current == "big"
    assert sent(chat, "session/set_model")[0]["modelId"] == "big"


def test_what_the_agent_refuses_is_told(make: Make) -> None:
    """-32602 is an AgentError with the agent's words; the option stays as it was."""
    chat = make(controls=["options"])
    with pytest.raises(AgentError, match="no model 'huge'") as caught:
        chat.set_model("huge")

    assert caught.value.code == -32602
    assert value(chat, "model") == "small"


def test_what_is_not_offered_is_not_asked_for(make: Make) -> None:
    """The error names what there is; nothing crosses the wire."""
    chat = make(controls=[])
    with pytest.raises(ValueError, match="offers no modes"):
        chat.set_mode("go")
    with pytest.raises(ValueError, match="choice of models"):
        chat.set_model("big")
    with pytest.raises(ValueError, match="no option 'speed'; it has: none"):
        chat.set_option("speed", "fast")
    assert sent(chat, "session/set_mode") == sent(chat, "session/set_config_option") == []


def test_the_agent_changes_the_mode(make: Make) -> None:
    """Its updates change the state as ours do."""
    chat = make(controls=["options", "modes"])
    chat.ask("mode go")

    assert (value(chat, "mode"), chat.session.mode) == ("go", "go")


def test_usage_title_and_commands(make: Make) -> None:
    """What the agent tells of itself is in the session: context, cost, title, slash commands."""
    chat = make()
    chat.ask("usage")

    context = chat.session.context
    assert context is not None
    assert context.cost is not None
    assert (context.used, context.size, context.cost.amount) == (900, 1000, 0.25)
    assert chat.session.title == "A chat about money"
    assert [command.name for command in chat.session.commands] == ["plan", "play", "test"]


def test_settings_come_back_after_a_restart(make: Make, tmp_path: Path) -> None:
    """Model first, since it brings the option; then what was set in it."""
    chat = make("resume", store=tmp_path, controls=["options"])
    chat.set_model("big")
    chat.set_option("loud", True)
    chat.set_mode("go")
    chat.ask("say hello")
    chat.restart()

    assert {option.id: option.value for option in chat.session.options} == {
        "model": "big",
        "mode": "go",
        "loud": True,
    }
    assert len(sent(chat, "session/resume")) == 1
    assert chat.session.warnings == ()


def test_older_settings_come_back_after_a_load(make: Make, tmp_path: Path) -> None:
    """Modes and models of the older methods, too; only what differs is asked for."""
    chat = make("load", store=tmp_path, controls=["modes", "models"])
    chat.set_mode("go")
    chat.ask("say hello")
    chat.restart()

    assert chat.session.mode == "go"
    assert len(sent(chat, "session/set_mode")) == 2
    assert sent(chat, "session/set_model") == []
    assert any("loaded" in notice for notice in notices(chat))


def test_another_session_keeps_its_own_settings(make: Make, tmp_path: Path) -> None:
    """Opening a session asks for nothing that was set in the one before, such as a mode that allows more."""
    chat = make("load", store=tmp_path, controls=["options"])
    chat.ask("say careful")
    careful = chat.session_id
    assert careful is not None
    chat.new_session()
    chat.set_mode("go")
    chat.open_session(careful)

    assert value(chat, "mode") == "ask"
    assert len(sent(chat, "session/set_config_option")) == 1


def test_settings_come_back_in_a_new_kernel(project: Path, tmp_path: Path) -> None:
    """Picked up from our own record, whichever way the agent has."""
    for able in (["load"], ["resume"], []):
        file, agent = tmp_path / f"{able}.jsonl", keeper(tmp_path / "store", *able, controls=["options"])
        with Chat(agent, cwd=project, record=file) as chat:
            chat.set_model("big")
            chat.set_option("loud", True)
            chat.ask("say hello")
        with Chat(agent, cwd=project, record=file, session="last") as chat:
            chat.start()
            assert (value(chat, "model"), value(chat, "loud")) == ("big", True)


def test_twins(make: Make) -> None:
    """Each has a twin that does not block."""
    chat = make(controls=["options"])

    async def main() -> None:
        await chat.aset_option("model", "big")
        await chat.aset_mode("go")
        await chat.aset_model("small")

    asyncio.run(main())
    assert (value(chat, "mode"), value(chat, "model")) == ("go", "small")
