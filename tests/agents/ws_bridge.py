"""Serves an agent by WebSocket: each connection gets a process of its own, a frame a line.

``python ws_bridge.py CONFIG`` with JSON: ``agent`` (the command), ``token`` (the Authorization header that is asked
for), ``cert`` and ``key`` (files: TLS), ``drop`` (a prompt with this text cuts the connection without a word). It
prints its port, and ends with its standard input.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import sys
from http import HTTPStatus

from websockets.asyncio.server import ServerConnection, serve

CONFIG = json.loads(sys.argv[1])


def check(connection: ServerConnection, request):
    if "token" in CONFIG and request.headers.get("Authorization") != CONFIG["token"]:
        return connection.respond(HTTPStatus.UNAUTHORIZED, "who are you?\n")
    return None


async def bridge(connection: ServerConnection) -> None:
    pipe = asyncio.subprocess.PIPE
    agent = await asyncio.create_subprocess_exec(*CONFIG["agent"], stdin=pipe, stdout=pipe)

    async def back() -> None:
        async for line in agent.stdout:
            await connection.send(line.decode().rstrip("\n"))
        await connection.close()

    task = asyncio.create_task(back())
    try:
        async for frame in connection:
            if "drop" in CONFIG and f'"{CONFIG["drop"]}"' in frame:
                connection.transport.abort()
                return
            agent.stdin.write(frame.encode() + b"\n")
    finally:
        task.cancel()
        with contextlib.suppress(ProcessLookupError):
            agent.kill()
        await agent.wait()


async def main() -> None:
    context = None
    if "cert" in CONFIG:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CONFIG["cert"], CONFIG["key"])
    async with serve(bridge, "127.0.0.1", 0, ssl=context, process_request=check) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
