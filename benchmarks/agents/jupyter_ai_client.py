"""A turn of the streaming agent through the client class of ``jupyter-ai-acp-client``, into a chat document.

Runs in the environment that `tools.jupyter_ai` makes: ``python jupyter_ai_client.py WORK AGENT``. Prints
JSON: the processor seconds, the bytes that the document sends to each browser, and the lag of each change.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
import time
from typing import Any


class Manager:
    """What the client asks of a persona's manager."""

    root_dir = "/"


class Persona:
    """What the client asks of a persona."""

    parent = Manager()

    id = "jupyter-ai-personas::bench"
    log = logging.getLogger("bench")

    def __init__(self, chat: Any) -> None:
        self.chat = chat

    def get_chat_dir(self) -> str:
        """The folder of the chat."""
        return "/"

    def get_mcp_settings(self) -> None:
        """No servers."""

    def set_status(self, *_: object) -> None:
        """Nobody looks at it."""

    clear_status = set_status


async def main() -> None:
    """Play the turn."""
    from jupyter_ai_acp_client.default_acp_client import JaiAcpClient
    from jupyterlab_chat.ychat import YChat

    chat = YChat()
    seen = {"bytes": 0, "updates": 0}
    lags: list[float] = []

    def changed(event: Any) -> None:
        seen["bytes"] += len(event.update)
        seen["updates"] += 1
        stamps = re.findall(rb"t(\d{13})", event.update[-400:])
        if stamps:
            lags.append(time.time() * 1000 - int(stamps[-1]))

    process = await asyncio.create_subprocess_exec(
        sys.executable, sys.argv[2], stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    client = JaiAcpClient(agent_subprocess=process, event_loop=asyncio.get_running_loop())  # type: ignore[arg-type]
    session = await client.create_session(Persona(chat))  # type: ignore[arg-type]
    subscription = chat.ydoc.observe(changed)
    cpu, begin = time.process_time(), time.perf_counter()
    await client.prompt_and_reply(session.session_id, sys.argv[1])
    found = {"cpu": time.process_time() - cpu, "seconds": time.perf_counter() - begin, **seen, "lags": lags}
    del subscription
    found["shown"] = sum(len(message.body) for message in chat.get_messages())
    process.kill()
    await process.wait()
    print(json.dumps(found))


if __name__ == "__main__":
    asyncio.run(main())
