"""Kernels for the tests: one process for each ipykernel, kept as long as it is well."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernel import venvs
from tests.kernel.harness import Kernel

HERE = Path(__file__).resolve().parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.kernel)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Make the environments before the clock of the first test runs."""
    for name in venvs.KERNELS:
        if any(name in item.callspec.params.values() for item in session.items if hasattr(item, "callspec")):
            venvs.python(name)
    if any("nbdime" in getattr(item, "fixturenames", ()) for item in session.items):
        venvs.nbdime()


@pytest.fixture(scope="session")
def nbdime() -> Path:
    """The interpreter that has nbdime."""
    return venvs.nbdime()


class Kernels:
    """Starts kernels and ends them."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory
        self._kept: dict[str, Kernel] = {}

    def start(self, name: str) -> Kernel:
        return Kernel(venvs.python(name), self._factory.mktemp(f"kernel-{name}"))

    def borrow(self, name: str) -> Kernel:
        # One version at a time: the tests of a version run in a row.
        for other in [other for other in self._kept if other != name]:
            self._kept.pop(other).close()
        if name not in self._kept:
            self._kept[name] = self.start(name)
            self._kept[name].run("import asyncio\nfrom inside import *")
        return self._kept[name]

    def drop(self, name: str) -> None:
        if name in self._kept:
            self._kept.pop(name).close()

    def close(self) -> None:
        for name in list(self._kept):
            self.drop(name)


@pytest.fixture(scope="session")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernels]:
    kernels = Kernels(tmp_path_factory)
    yield kernels
    kernels.close()


@pytest.fixture(params=list(venvs.KERNELS), scope="session")
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def kernel(kernels: Kernels, version: str) -> Iterator[Kernel]:
    """A kernel that may have served other tests; afterwards it must answer and be as it was."""
    kernel = kernels.borrow(version)
    before = kernel.run("print(channel.find().stream._recv_callback)")
    well = False
    try:
        yield kernel
        assert kernel.run("print(channel.find().stream._recv_callback)") == before
        well = True
    finally:
        if not well:
            kernels.drop(version)


@pytest.fixture
def fresh_kernel(kernels: Kernels, version: str) -> Iterator[Kernel]:
    """A kernel of the test's own, for tests that end it."""
    kernel = kernels.start(version)
    try:
        yield kernel
    finally:
        kernel.close()


@pytest.fixture(params=["main", "subshell"])
def front(request: pytest.FixtureRequest, kernel: Kernel) -> str | None:
    """The subshell that the front end names in its clicks, None for front ends that know none."""
    if request.param == "main":
        return None
    if not kernel.has_subshells:
        pytest.skip("this ipykernel has no subshells")
    return kernel.subshell


@pytest.fixture
def button(kernel: Kernel) -> str:
    """A button in the kernel, `button` there; its comm's id here."""
    return kernel.widget("button = Button()")
