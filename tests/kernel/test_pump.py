"""Waiting in a cell on real kernels: clicks are handled at once, everything else keeps its order."""

from __future__ import annotations

import time

import pytest

from tests.kernel.harness import Kernel

#: Seconds within which a click is to be heard; the pump needs milliseconds, a loaded machine more.
SOON = 2.0

SYNC = "print(button.wait())"
ASYNC = "print(await button.wait_async())"

#: What an interrupted cell ends in.
END = {SYNC: "KeyboardInterrupt", ASYNC: "CancelledError"}

both = pytest.mark.parametrize("cell", [SYNC, ASYNC], ids=["wait", "await"])


def click(kernel: Kernel, button: str, front: str | None = None, **content: object) -> str:
    return kernel.custom(button, content, subshell=front)


@both
def test_a_click_is_heard_while_the_cell_runs(
    kernel: Kernel, button: str, front: str | None, cell: str
) -> None:
    """A click without an answer is handled while the cell goes on waiting, a second one ends it."""
    running = kernel.execute(cell)
    kernel.heard(button, "waiting")
    click(kernel, button, front, look=1)
    kernel.heard(button, "clicked", 1, SOON)
    assert running not in kernel.replies
    click(kernel, button, front, value=7)
    kernel.heard(button, "clicked", 2, SOON)
    assert kernel.reply(running, SOON)["content"]["status"] == "ok"
    kernel.idle(running)
    assert kernel.printed(running) == "7\n"


@both
def test_a_click_is_busy_then_idle_and_parent_of_its_answers(kernel: Kernel, button: str, cell: str) -> None:
    """A trait's next change is sent after the idle of the last, and believed after an echo with it as parent."""
    running = kernel.execute(cell)
    kernel.heard(button, "waiting")
    change = kernel.ask(
        "comm_msg",
        {"comm_id": button, "data": {"method": "update", "state": {"value": 3}, "buffer_paths": []}},
    )
    kernel.idle(change, SOON)
    assert running not in kernel.replies
    assert kernel.states(change) == ["busy", "idle"]
    echoes = [m["content"]["data"] for m in kernel.published(change, "comm_msg")]
    assert echoes == [{"method": "echo_update", "state": {"value": 3}, "buffer_paths": []}]
    request = click(kernel, button, value=1)
    kernel.reply(running)
    kernel.idle(running)
    assert kernel.states(request) == ["busy", "idle"]
    # The cell is the parent again: what it prints after the click belongs to it.
    assert kernel.printed(running) == "1\n"


@pytest.mark.parametrize("first", [0, 1])
def test_two_waits_at_once_end_in_any_order(kernel: Kernel, button: str, first: int) -> None:
    """`gather` of two awaits: the one that was answered leaves, the other still hears its click."""
    other = kernel.widget("other = Button()")
    running = kernel.execute("print(await asyncio.gather(button.wait_async(), other.wait_async()))")
    comms = [button, other]
    for comm in comms:
        kernel.heard(comm, "waiting")
    click(kernel, comms[first], value=first)
    kernel.heard(comms[first], "clicked", 1, SOON)
    assert running not in kernel.replies
    click(kernel, comms[1 - first], value=1 - first)
    kernel.heard(comms[1 - first], "clicked", 1, SOON)
    kernel.reply(running)
    kernel.idle(running)
    assert kernel.printed(running) == "[0, 1]\n"


@both
def test_a_callback_may_wait_itself(kernel: Kernel, button: str, front: str | None, cell: str) -> None:
    """`ask` inside another widget's callback: the inner wait hears its click, then the outer one."""
    inner = kernel.widget(
        "inner = Button()\nbutton.on_click = lambda content: 'go' in content and inner.wait()"
    )
    running = kernel.execute(cell)
    kernel.heard(button, "waiting")
    click(kernel, button, front, go=1)
    kernel.heard(inner, "waiting", 1, SOON)
    click(kernel, inner, front, value="inner")
    kernel.heard(inner, "clicked", 1, SOON)
    assert running not in kernel.replies
    click(kernel, button, front, value="outer")
    kernel.reply(running)
    kernel.idle(running)
    assert kernel.printed(running) == "outer\n"


def test_a_callback_may_wait_on_an_idle_kernel(kernel: Kernel, button: str, front: str | None) -> None:
    """No cell runs: the callback blocks its shell, be it a subshell, and hears the click it waits for there."""
    inner = kernel.widget("inner = Button()\nbutton.on_click = lambda content: inner.wait()")
    request = click(kernel, button, front, go=1)
    kernel.heard(inner, "waiting")
    click(kernel, inner, front, look=1)
    kernel.heard(inner, "clicked", 1, SOON)
    # Another front end on the same kernel may use no subshells.
    click(kernel, inner, look=2)
    kernel.heard(inner, "clicked", 2, SOON)
    assert "idle" not in kernel.states(request)
    click(kernel, inner, front, value="inner")
    kernel.idle(request)
    assert kernel.run("print(inner.future.result())") == "inner\n"


def test_a_blocking_wait_inside_an_awaiting_cell(kernel: Kernel, button: str) -> None:
    """The loop stands still then, so both the click and the interrupt need the blocking wait's own means."""
    running = kernel.execute("await asyncio.sleep(0)\nprint(button.wait())")
    kernel.heard(button, "waiting")
    click(kernel, button, value=5)
    kernel.reply(running, SOON)
    kernel.idle(running)
    assert kernel.printed(running) == "5\n"

    running = kernel.execute("await asyncio.sleep(0)\nprint(button.wait())")
    kernel.heard(button, "waiting", 2)
    kernel.interrupt()
    kernel.failed(running, "KeyboardInterrupt")


@both
def test_an_interrupt_ends_the_wait_and_the_next_one_works(kernel: Kernel, button: str, cell: str) -> None:
    """The interrupt is raised in the cell soon, aborts queued cells, and leaves the future alone."""
    running = kernel.execute(cell)
    kernel.heard(button, "waiting")
    click(kernel, button, look=1)
    kernel.heard(button, "clicked", 1, SOON)
    queued = [kernel.execute(f"print({number})") for number in range(3)]
    # The info request comes back after the queued cells were taken off the channel.
    kernel.reply(kernel.ask("kernel_info_request"), SOON)
    kernel.interrupt()
    kernel.failed(running, END[cell])
    assert [kernel.reply(request)["content"]["status"] for request in queued] == ["aborted"] * 3
    assert kernel.run("print(button.future.done())") == "False\n"
    running = kernel.execute(cell)
    kernel.heard(button, "waiting", 2)
    click(kernel, button, value=2)
    assert kernel.reply(running)["content"]["status"] == "ok"


@both
def test_an_interrupt_ends_a_callback_that_hangs_and_the_cell_with_it(
    kernel: Kernel, button: str, cell: str
) -> None:
    """A callback that never returns can be interrupted, and the kernel lives on."""
    kernel.run("def hang(content):\n    while True: pass\nbutton.on_click = hang")
    running = kernel.execute(cell)
    kernel.heard(button, "waiting")
    click(kernel, button, look=1)
    kernel.heard(button, "clicked", 1, SOON)
    kernel.interrupt()
    kernel.failed(running, END[cell])
    assert kernel.run("print('well')") == "well\n"


@both
def test_a_callback_that_raises_ends_nothing(kernel: Kernel, button: str, cell: str) -> None:
    """An error in someone's callback is the log's, the cell waits on."""
    kernel.run("button.on_click = lambda content: content['missing'] if 'bad' in content else None")
    running = kernel.execute(cell)
    kernel.heard(button, "waiting")
    kernel.idle(click(kernel, button, bad=1), SOON)
    assert running not in kernel.replies
    click(kernel, button, value=1)
    assert kernel.reply(running)["content"]["status"] == "ok"


@both
def test_a_message_that_the_kernel_overlooks_is_heard(
    kernel: Kernel, button: str, cell: str, version: str
) -> None:
    """Ipykernel 7.3 may be told of no message any more; a cell that waits looks for itself."""
    if version != "7.3.0":
        pytest.skip("only ipykernel 7.0 to 7.3 overlook messages")
    kernel.run("awake.stop()")
    running = kernel.execute(
        f"deaf(host.kernel().shell_stream, True)\n{cell}\ndeaf(host.kernel().shell_stream, False)"
    )
    kernel.heard(button, "waiting")
    click(kernel, button, look=1)
    kernel.heard(button, "clicked", 1, SOON)
    click(kernel, button, value=1)
    assert kernel.reply(running, SOON)["content"]["status"] == "ok"
    kernel.run("host.kernel().shell_channel_thread.io_loop.add_callback(awake.start)")


@both
def test_queued_cells_keep_their_order(kernel: Kernel, button: str, cell: str) -> None:
    """Cells sent while one waits run after it, in order, and print where they belong."""
    running = kernel.execute(cell)
    kernel.heard(button, "waiting")
    requests = []
    for number in range(5):
        requests.append(kernel.execute(f"print({number})"))
        click(kernel, button, look=number)
    kernel.heard(button, "clicked", 5, SOON)
    assert not any(request in kernel.replies for request in [running, *requests])
    click(kernel, button, value="end")
    counts = [kernel.reply(request)["content"]["execution_count"] for request in [running, *requests]]
    assert counts == list(range(counts[0], counts[0] + 6))
    for number, request in enumerate(requests):
        kernel.idle(request)
        assert kernel.printed(request) == f"{number}\n"


@both
def test_a_page_that_reloads_meanwhile_gets_its_infos(kernel: Kernel, button: str, cell: str) -> None:
    """The kernel's and the comms' info, and a widget's state, are answered while the cell waits."""
    running = kernel.execute(cell)
    kernel.heard(button, "waiting")
    info = kernel.reply(kernel.ask("kernel_info_request"), SOON)
    assert info["content"]["implementation"] == "ipython"
    comms = kernel.reply(kernel.ask("comm_info_request", {"target_name": "jupyter.widget"}), SOON)
    assert button in comms["content"]["comms"]
    asked = kernel.ask("comm_msg", {"comm_id": button, "data": {"method": "request_state"}})
    kernel.idle(asked, SOON)
    assert [m["content"]["data"]["state"]["value"] for m in kernel.published(asked, "comm_msg")] == [0]
    assert running not in kernel.replies
    click(kernel, button, value=1)
    kernel.reply(running)


def test_a_message_of_someone_else_changes_nothing(kernel: Kernel, button: str) -> None:
    """A message with a wrong signature, one sent twice, one without content: the cell waits on."""
    running = kernel.execute(SYNC)
    kernel.heard(button, "waiting")
    session = kernel.client.session
    message = session.msg(
        "comm_msg", {"comm_id": button, "data": {"method": "custom", "content": {"value": "forged"}}}
    )
    frames = session.serialize(message)
    socket = kernel.client.shell_channel.socket
    socket.send_multipart([frames[0], b"0" * len(frames[1]), *frames[2:]])
    twice = session.serialize(
        session.msg("comm_msg", {"comm_id": button, "data": {"method": "custom", "content": {"look": 1}}})
    )
    socket.send_multipart(twice)
    socket.send_multipart(twice)
    kernel.idle(kernel.ask("comm_msg"), SOON)
    kernel.idle(kernel.ask("kernel_info_request"), SOON)
    assert len(kernel.customs(button, "clicked")) == 1
    click(kernel, button, value="real")
    kernel.reply(running)
    kernel.idle(running)
    assert kernel.printed(running) == "real\n"


def test_a_task_that_waits_after_its_cell_leaves_other_cells_alone(kernel: Kernel, button: str) -> None:
    """A background await pumps on while other cells run; these keep their output and their clicks."""
    kernel.run("task = asyncio.ensure_future(button.wait_async())")
    kernel.heard(button, "waiting")
    running = kernel.execute("print('before'); await asyncio.sleep(0.2); print('after')")
    kernel.until(lambda: kernel.printed(running))
    click(kernel, button, look=1)
    kernel.heard(button, "clicked", 1, SOON)
    kernel.reply(running)
    kernel.idle(running)
    assert kernel.printed(running) == "before\nafter\n"
    click(kernel, button, value=9)
    kernel.heard(button, "clicked", 2, SOON)
    assert kernel.run("print(await task)") == "9\n"


def test_what_an_old_task_sends_belongs_to_the_newest_cell(kernel: Kernel, button: str) -> None:
    """A task started in one cell publishes, after a click was handled, as part of the cell that runs."""
    kernel.run(
        "go = asyncio.Event()\n"
        "async def publish():\n"
        "    await go.wait()\n"
        "    host.run_in_empty_context(button.send, {'kind': 'task'})\n"
        "task = asyncio.ensure_future(publish())"
    )
    running = kernel.execute("print(await button.wait_async()); go.set(); await task")
    kernel.heard(button, "waiting")
    click(kernel, button, value=1)
    kernel.reply(running)
    assert kernel.heard(button, "task")["parent_header"]["msg_id"] == running


def test_waiting_costs_little(kernel: Kernel) -> None:
    """Two idle seconds of waiting cost a few milliseconds of processor time."""
    code = (
        "import time\nfuture = Future()\nstart = time.process_time()\n"
        "try: pump.wait(future, 2)\nexcept TimeoutError: print(time.process_time() - start)"
    )
    assert float(kernel.run(code)) < 0.2


def test_a_result_ends_the_wait_at_once(kernel: Kernel) -> None:
    """The wait ends with the future, not at the next look at the clock, which is 0.09 s later here."""
    code = (
        "import time\nlate = []\nfor _ in range(4):\n"
        "    future = Future()\n"
        "    threading.Timer(0.21, lambda: future.set_result(time.monotonic())).start()\n"
        "    late.append(-pump.wait(future) + time.monotonic())\n"
        "print(min(late))"
    )
    assert float(kernel.run(code)) < 0.05


def test_an_error_of_the_future_is_raised(kernel: Kernel) -> None:
    """What went wrong in the other thread comes out of the wait."""
    kernel.run("future = Future(); future.set_exception(LookupError('there'))")
    for call in ("pump.wait(future)", "await pump.wait_async(future)"):
        assert kernel.run(f"try: {call}\nexcept LookupError as error: print(error)") == "'there'\n".replace(
            "'", ""
        )


def test_in_a_thread_it_says_what_to_do(kernel: Kernel) -> None:
    """Nobody handles clicks for a thread's wait; it waits only when told to."""
    code = (
        "said = []\n"
        "def ask():\n"
        "    said.append(pump.can_pump())\n"
        "    try: pump.wait(Future())\n"
        "    except RuntimeError as error: said.append(str(error))\n"
        "    late = Future(); threading.Timer(0.05, late.set_result, ['late']).start()\n"
        "    said.append(pump.wait(late, fallback=True))\n"
        "t = threading.Thread(target=ask); t.start(); t.join(); print('\\n'.join(map(str, said)))"
    )
    reason, error, late = kernel.run(code).splitlines()
    assert reason == "the call comes from a thread other than the one that runs the cells"
    assert reason in error
    assert "chat.send" in error
    assert late == "late"


@both
@pytest.mark.parametrize("same", [True, False], ids=["same", "main"])
def test_a_cell_in_a_subshell_hears_clicks(kernel: Kernel, button: str, cell: str, same: bool) -> None:
    """A cell run in a subshell waits there, whether the clicks come to it or to the free main shell."""
    if kernel.subshell is None:
        pytest.skip("this ipykernel has no subshells")
    running = kernel.execute(cell, subshell=kernel.subshell)
    kernel.heard(button, "waiting")
    queued = kernel.execute("print('queued')", subshell=kernel.subshell)
    click(kernel, button, kernel.subshell if same else None, value=4)
    kernel.reply(running, SOON)
    kernel.idle(running)
    assert kernel.printed(running) == "4\n"
    kernel.reply(queued)
    kernel.idle(queued)
    assert kernel.printed(queued) == "queued\n"


def test_a_closed_channel_is_named(fresh_kernel: Kernel) -> None:
    """While a kernel goes down nothing waits for clicks that cannot come."""
    kernel = fresh_kernel
    kernel.run("from inside import *")
    code = (
        "found = channel.find()\nfuture = Future()\n"
        "found.stream.close()\n"
        "print(pump.can_pump())\n"
        "try: pump.wait(future)\nexcept RuntimeError as error: print(error)"
    )
    request = kernel.execute(code)
    kernel.until(lambda: kernel.printed(request).count("\n") == 2)
    first, second = kernel.printed(request).splitlines()
    assert first == "the kernel's shell channel is closed"
    assert first in second


def test_a_click_during_an_ordinary_cell(
    kernel: Kernel, button: str, front: str | None, version: str
) -> None:
    """A training loop runs and never waits: with a subshell the click is heard at once, on its thread."""
    running = kernel.execute("print(spin(button))")
    kernel.heard(button, "spinning")
    started = time.monotonic()
    click(kernel, button, front, value=1)
    heard = kernel.heard(button, "clicked", 1, 30)
    assert kernel.reply(running, 30)["content"]["status"] == "ok"
    kernel.idle(running)
    at_once = int(kernel.printed(running)) < 150
    assert at_once == (front is not None)
    assert heard["content"]["data"]["content"]["main"] == (front is None)
    if at_once:
        assert heard["arrived"] - started < SOON


def test_facts_about_the_host(kernel: Kernel, version: str) -> None:
    """Which cell, which kernel, and whether a person is there, come from the running request."""
    code = "print([host.cell_id(), host.is_headless(), host.is_ipykernel(), pump.can_pump(), host.on_main_thread()])"
    assert kernel.run(code, cell="cell-1") == "['cell-1', False, True, None, True]\n"
    assert kernel.run(code, stdin=False) == "[None, True, True, None, True]\n"
    known = kernel.run("print('.'.join(map(str, host.ipykernel_version())))").strip()
    assert known == version if version != "newest" else known >= "7.4.0"
