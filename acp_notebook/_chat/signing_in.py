"""Signing in with the agent, on the agent's loop (protocol page "Authentication").

An agent may refuse anything with -32000 until somebody has signed in. Its process then stays, prompts of
a person wait, and after a sign-in they go out: nothing is restarted that need not be.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from acp_notebook._chat import sign_in_values
from acp_notebook._chat.refused import Refused
from acp_notebook._errors import AgentError, AuthRequiredError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from acp_notebook._chat.engine import Engine
    from acp_notebook._chat.handle import Prompt
    from acp_notebook._chat.log import Log
    from acp_notebook._fold.auth import AuthMethod

STILL = "The agent still asks for a sign-in."


class SigningIn:
    """What a chat does about signing in. Lives on the agent's loop.

    Parameters
    ----------
    engine, log
        The chat's own.
    """

    def __init__(self, engine: Engine, log: Log) -> None:
        self._engine = engine
        self._log = log
        self.keep_secret: Callable[[Iterable[str]], None] = lambda _texts: None
        """Told of texts that must not appear in any record."""
        self.refused = Refused(self.explained)
        """What else was refused, and waits too."""
        self.held: Prompt | None = None
        """The prompt that was refused last and waits for a sign-in."""

    @property
    def holds(self) -> bool:
        """Whether a prompt still waits for a sign-in."""
        return self.held is not None and self.held in self._engine.queue

    def explained(self, error: AuthRequiredError) -> AuthRequiredError:
        """The error with the ways that there are."""
        return AuthRequiredError(error.message, [_called(method) for method in self._methods], error.data)

    def works(self) -> None:
        """The agent does its work: somebody may have signed in elsewhere."""
        auth = self._engine.session.auth
        if auth is None or not auth.required:
            self.refused.again_soon()

    def due(self, error: AuthRequiredError) -> None:
        """The agent opens no session yet: prompts that nobody can help wait no longer."""
        queue = self._engine.queue
        for prompt in queue.unattended():
            queue.drop(prompt, error=error)

    def keeps(self, prompt: Prompt, error: BaseException | None) -> bool:
        """Whether a prompt that was refused waits for a sign-in: somebody is there, and did not stop it."""
        turn = self._engine.find(prompt)
        refused = isinstance(error, AuthRequiredError) and prompt.attended
        return refused and turn is not None and turn.status == "error" and not turn.cancel_requested

    async def sign_in(
        self,
        method_id: str | None,
        env: Mapping[str, str] | None = None,
        meta: Mapping[str, Any] | None = None,
        values: Mapping[str, str] | None = None,
    ) -> None:
        """Sign in by one of the ways, and let what waits go on.

        Parameters
        ----------
        method_id, env, meta
            As in `Chat.sign_in`.
        values
            What a person typed into the fields of the method.

        Raises
        ------
        ValueError
            A turn is running, there is no such way, or variables are missing.
        AuthRequiredError
            The agent still asks for a sign-in.
        AgentError
            It could not sign in.
        """
        engine = self._engine
        if engine.session.running:
            raise ValueError("A turn is running: stop it first, or wait until it has ended.")
        await self._connect()
        method = self._choose(method_id)
        if method.kind not in ("terminal", "env_var"):
            if meta is not None:
                self.keep_secret(_texts(meta))
            elif values:
                self.keep_secret(sign_in_values.secrets(method, values))
                meta = sign_in_values.to_meta(method, values, self._agent_name)
            await self._by_the_agent(method, meta)
        else:
            await self._by_a_new_process(method, env or {})
        await self.refused.again()
        engine.resume()

    async def sign_out(self) -> None:
        """Sign out, where the agent lets a person do that.

        Raises
        ------
        ValueError
            It does not, or a turn is running.
        AgentError
            It refuses.
        """
        engine = self._engine
        if engine.session.running:
            raise ValueError("A turn is running: stop it first, or wait until it has ended.")
        await self._connect()
        auth, link = engine.session.auth, engine.link
        if auth is None or not auth.logout or link is None:
            raise ValueError("This agent offers no way to sign out here; its own program may.")
        await link.request("logout", {})

    @property
    def _methods(self) -> tuple[AuthMethod, ...]:
        auth = self._engine.session.auth
        return () if auth is None else auth.methods

    @property
    def _agent_name(self) -> str | None:
        link = self._engine.link
        return None if link is None else link.offers.name

    def _choose(self, method_id: str | None) -> AuthMethod:
        methods = self._methods
        if not methods:
            raise ValueError("This agent offers no way to sign in here; use its own program in a terminal.")
        if method_id is None and len(methods) == 1:
            return methods[0]
        found = next((method for method in methods if method.id == method_id), None)
        if found is None:
            offers = ", ".join(_called(method) for method in methods)
            raise ValueError(f"Choose a way to sign in, chat.sign_in(ID): {offers}.")
        return found

    async def _connect(self) -> None:
        """Have a process that can be asked; whether it opens a session does not matter here."""
        if self._engine.link is None:
            try:
                await self._engine.start()
            except AuthRequiredError:
                return

    async def _by_the_agent(self, method: AuthMethod, meta: Mapping[str, Any] | None) -> None:
        params: dict[str, Any] = {"methodId": method.id}
        if meta:
            params["_meta"] = dict(meta)
        link = self._engine.link
        if link is None:
            raise AgentError(None, "The agent does not run (any more).")
        try:
            await link.request("authenticate", params)
        except AgentError as error:
            raise self._without_secrets(error) from None
        if link.session_id is None:
            await self._engine.start()

    def _without_secrets(self, error: AgentError) -> AgentError:
        """An agent may repeat the key that it does not like, and tracebacks are saved with the notebook."""
        said = self._log.redact({"message": error.message, "data": error.data})
        if isinstance(error, AuthRequiredError):
            return self.explained(AuthRequiredError(said["message"], (), said["data"]))
        return AgentError(error.code, said["message"], said["data"])

    async def _by_a_new_process(self, method: AuthMethod, env: Mapping[str, str]) -> None:
        """Variables and what a terminal has left behind are read by a process when it starts."""
        engine = self._engine
        agent = engine.settings.agent
        there = {**os.environ, **agent.env, **env}
        missing = [v.name for v in method.variables if not v.optional and not there.get(v.name)]
        if missing:
            given = ", ".join(f"{name!r}: …" for name in missing)
            raise ValueError(f"Give it {', '.join(missing)}: chat.sign_in({method.id!r}, env={{{given}}}).")
        if env:
            self.keep_secret(env.values())
            engine.settings = replace(engine.settings, agent=agent.with_env(env))
        self._log.note({"kind": "sign_in", "method": method.id})
        try:
            await engine.reconnect()
        except AuthRequiredError:
            self._log.note({"kind": "sign_in", "error": STILL})
            raise


def _called(method: AuthMethod) -> str:
    return f"{method.id!r} ({method.name})" if method.name != method.id else repr(method.id)


def _texts(value: object) -> list[str]:
    """All texts inside a JSON value: any of them may be a key."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [text for part in parts for text in _texts(part)]
