"""Runs the tests in several processes: `pytest --workers 4`.

The processes are forked once the tests are collected, so that importing and collecting them is paid for once, however
many there are, and each takes the next test when it is done with its last. Collecting starts no threads.
"""

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from tempfile import TemporaryFile
from typing import Any

import pytest
from _pytest.capture import CaptureManager

_fork = get_context("fork")


class Workers:
    """A pytest plugin that has worker processes run the tests and reports what they report."""

    def __init__(self, count: int, prepare: Callable[[], None]) -> None:
        """`prepare` is called in each worker before its first test."""
        self._count = count
        self._prepare = prepare
        self._next = _fork.Value("i", 0)
        """The index of the next test to run, which the workers share."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run all tests; a worker that dies fails the test that it runs."""
        if session.testsfailed or session.config.option.collectonly:
            return None
        workers = dict(self._start(session) for _ in range(min(self._count, len(session.items))))
        try:
            self._report(session, workers)
        finally:
            for worker in workers.values():
                worker.terminate()
                worker.join()
        return True

    def _start(self, session: pytest.Session) -> tuple["Connection[Any, Any]", ForkProcess]:
        ours, theirs = _fork.Pipe(duplex=False)
        worker = _fork.Process(target=self._work, args=(session, theirs))
        worker.start()
        theirs.close()
        return ours, worker

    def _report(self, session: pytest.Session, workers: dict["Connection[Any, Any]", ForkProcess]) -> None:
        items, missing, open = session.items, set(range(len(session.items))), set(workers)
        running = dict.fromkeys(workers, -1)
        while open:
            for connection in wait(open):
                assert isinstance(connection, Connection)
                try:
                    message: tuple[int, list[dict[str, Any]]] = connection.recv()
                except EOFError:
                    open.discard(connection)
                    workers[connection].join()
                    if (index := running[connection]) in missing:
                        missing.discard(index)
                        _fail(items[index], f"its worker ended with status {workers[connection].exitcode}")
                    continue
                index, reports = message
                running[connection] = index
                if reports:
                    missing.discard(index)
                    _log(items[index], reports)
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)
        for index in sorted(missing):
            _fail(items[index], "not run, as its worker had ended")

    def _work(self, session: pytest.Session, reports: "Connection[Any, Any]") -> None:
        """Run tests until there are none left; in a worker."""
        _separate_output(session.config)
        self._prepare()
        hook, items, sent = session.config.hook, session.items, _Reports(session.config)
        session.config.pluginmanager.register(sent)
        index = self._take()
        with suppress(KeyboardInterrupt):
            while index < len(items):
                following = self._take()
                reports.send((index, []))
                sent.reports.clear()
                hook.pytest_runtest_protocol(
                    item=items[index], nextitem=items[following] if following < len(items) else None
                )
                reports.send((index, sent.reports))
                index = following

    def _take(self) -> int:
        with self._next.get_lock():
            self._next.value += 1
            return self._next.value - 1


class _Reports:
    """The reports of a test in a form that can be sent."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.reports: list[dict[str, Any]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.reports.append(self._config.hook.pytest_report_to_serializable(config=self._config, report=report))


def _separate_output(config: pytest.Config) -> None:
    """Have this process capture output in files of its own, and leave what is shown of its tests to the first one.

    The streams stay the same objects, as modules may have kept them while they were imported.
    """
    vars(config.get_terminal_writer())["_file"] = open(os.devnull, "w")  # noqa: SIM115  (as long as the process)
    capture = config.pluginmanager.getplugin("capturemanager")
    assert isinstance(capture, CaptureManager)
    capture.resume_global_capture()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError), TemporaryFile() as own:  # One without a descriptor is this process's own already.
            if stream.fileno() > 2:
                os.dup2(own.fileno(), stream.fileno(), inheritable=False)
    capture.suspend_global_capture()


def _log(item: pytest.Item, reports: Iterable[dict[str, Any]]) -> None:
    hook = item.config.hook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for data in reports:
        report = hook.pytest_report_from_serializable(config=item.config, data=data)
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def _fail(item: pytest.Item, reason: str) -> None:
    report = pytest.TestReport(item.nodeid, item.location, {}, "failed", reason, "call")
    _log(item, [item.config.hook.pytest_report_to_serializable(config=item.config, report=report)])
