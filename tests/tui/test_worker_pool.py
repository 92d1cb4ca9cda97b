"""The pool of threads: bounded, shared by clients in turn, and no obstacle to the end."""

import asyncio
from concurrent.futures import CancelledError, Future
from threading import Barrier, Event

import pytest

from fugue_tui.control.core.fair_queue import on_behalf_of
from fugue_tui.tui.worker_pool import THREADS, WorkerPool

WAIT = 30.0


@pytest.fixture
def pool() -> WorkerPool:
    return WorkerPool()


def test_a_clients_job_waits_for_those_that_run_and_not_for_those_of_others(pool: WorkerPool) -> None:
    begun, go_on, order = Barrier(THREADS + 1), Event(), list[str]()

    def draw(number: int) -> None:
        if number < THREADS:
            begun.wait(WAIT)
            assert go_on.wait(WAIT)
        order.append(f"a{number}")

    with on_behalf_of("a"):
        flood = [pool.submit(draw, number) for number in range(500)]
    begun.wait(WAIT)
    with on_behalf_of("b"):
        other = pool.submit(order.append, "b")
    go_on.set()
    for future in (*flood, other):
        future.result(WAIT)
    assert len(order) == 501
    # Each of the threads may take one of the first client's jobs before, and run it slowly.
    assert order.index("b") <= 2 * THREADS
    pool.shutdown()


def test_no_more_jobs_run_at_once_than_there_are_threads(pool: WorkerPool) -> None:
    begun, go_on, running = Barrier(THREADS + 1), Event(), list[int]()

    def job(number: int) -> None:
        running.append(number)
        if number < THREADS:
            begun.wait(WAIT)
            assert go_on.wait(WAIT)

    jobs = [pool.submit(job, number) for number in range(3 * THREADS)]
    begun.wait(WAIT)
    assert sorted(running) == list(range(THREADS))
    go_on.set()
    for each in jobs:
        each.result(WAIT)
    pool.shutdown()


def test_results_and_errors_reach_the_caller(pool: WorkerPool) -> None:
    assert pool.submit(int, "7", base=8).result(WAIT) == 7
    with pytest.raises(ValueError, match="invalid literal"):
        pool.submit(int, "x").result(WAIT)
    assert pool.submit(int, "7").result(WAIT) == 7
    pool.shutdown()


def test_what_has_not_begun_is_cancelled_at_the_end(pool: WorkerPool) -> None:
    begun, go_on = Barrier(THREADS + 1), Event()

    def hang() -> None:
        begun.wait(WAIT)
        assert go_on.wait(WAIT)

    hanging = [pool.submit(hang) for _ in range(THREADS)]
    begun.wait(WAIT)
    later: Future[None] = pool.submit(hang)
    pool.shutdown()
    with pytest.raises(CancelledError):
        later.result(0)
    with pytest.raises(RuntimeError):
        pool.submit(hang)
    go_on.set()
    for each in hanging:
        each.result(WAIT)


async def test_the_loop_runs_calls_for_the_client_of_the_task() -> None:
    pool = WorkerPool()
    asyncio.get_running_loop().set_default_executor(pool)
    with on_behalf_of("a"):
        assert await asyncio.to_thread(str, 1) == "1"
    pool.shutdown()
