"""Drives batches on any executor of concurrent.futures: hands them out, takes rows back, survives dead
workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from anabranch import _native
from anabranch.errors import WorkerError
from anabranch.progress import Show


@contextmanager
def kept_in(folder: str | None) -> Iterator[None]:
    """Add to an exception where the finished runs are."""
    try:
        yield
    except BaseException as raised:
        if folder is not None:
            raised.add_note(f"finished runs are kept in {folder}: the same call continues from there")
        raise


def run_batch(batch: bytes) -> bytes:
    """Run a batch of a sweep; any process with this package can.

    Parameters
    ----------
    batch : bytes
        The scenario, the files that it names, and the seeds.

    Returns
    -------
    bytes
        A row a run.
    """
    return _native.run_batch(batch)


def drive(sweep: _native.Sweep, executor: Executor, retries: int, show: Show) -> None:
    """Run a sweep's batches on an executor until every point has enough runs.

    Parameters
    ----------
    sweep : _native.Sweep
        Hands out batches and takes their rows.
    executor : concurrent.futures.Executor
        Runs :func:`run_batch`.
    retries : int
        How often a batch is sent again because its worker died.
    show : callable
        Takes the progress.

    Raises
    ------
    WorkerError
        A batch lost its worker more often.
    """
    driver = _Driver(executor, run_batch, sweep.take, sweep.accept, retries)
    driver.run(lambda: show(*sweep.progress))


Rows = TypeVar("Rows")


def run_all(
    executor: Executor,
    work: Callable[[bytes], Rows],
    batches: Iterable[bytes],
    accept: Callable[[Rows], None],
    retries: int,
    show: Show,
) -> None:
    """Run batches that are all known on an executor.

    Parameters
    ----------
    executor : concurrent.futures.Executor
        Runs `work`.
    work : callable
        A function of a module, which any process with this package has.
    batches : iterable of bytes
        What it is called with.
    accept : callable
        Takes what it gives.
    retries : int
        How often a batch is sent again because its worker died.
    show : callable
        Takes the progress, in batches.

    Raises
    ------
    WorkerError
        A batch lost its worker more often.
    """
    waiting = list(batches)
    expected, done = len(waiting), 0
    waiting.reverse()

    def keep(rows: Rows) -> None:
        nonlocal done
        accept(rows)
        done += 1

    driver = _Driver(executor, work, lambda: waiting.pop() if waiting else None, keep, retries)
    driver.run(lambda: show(done, expected))


@dataclass
class _Sent:
    """A batch that was sent, and how often its worker died."""

    batch: bytes
    deaths: int = 0


@dataclass
class _Driver(Generic[Rows]):
    executor: Executor
    work: Callable[[bytes], Rows]
    take: Callable[[], bytes | None]
    """Gives the next batch; None if there is nothing to hand out now."""
    accept: Callable[[Rows], None]
    retries: int
    out: dict[Future[Rows], _Sent] = field(default_factory=dict)
    own: ProcessPoolExecutor | None = None
    """A pool in the place of the caller's, which died with its process."""

    def __post_init__(self) -> None:
        self.workers = _Workers(self.executor)

    def run(self, show: Callable[[], None]) -> None:
        """Run batches until there is none, and show the progress after each look."""
        try:
            while self.fill():
                self.take_back()
                show()
        finally:
            self.end()

    def fill(self) -> bool:
        """Keep every worker busy; say whether anything is on its way."""
        while len(self.out) < 2 * self.workers.count():
            batch = self.take()
            if batch is None:
                break
            self.send(_Sent(batch))
        return bool(self.out)

    def send(self, sent: _Sent) -> None:
        """Send a batch. A pool of processes that died is made anew: it cannot be used any more."""
        for _ in range(self.retries + 1):
            try:
                self.out[self.executor.submit(self.work, sent.batch)] = sent
                return
            except BrokenExecutor as broken:
                self.revive(broken)
        raise WorkerError(f"a pool of processes died {self.retries + 1} times before it took a batch")

    def revive(self, broken: BrokenExecutor) -> None:
        """Go on with a new pool like the one that died."""
        died = self.executor
        if not isinstance(died, ProcessPoolExecutor):
            raise WorkerError("the executor broke, and only pools of processes can be made anew") from broken
        if self.own is not None:
            self.own.shutdown(wait=False)
        workers, context = died._max_workers, died._mp_context  # type: ignore[attr-defined]
        self.own = ProcessPoolExecutor(workers, context, died._initializer, died._initargs)
        self.executor = self.own

    def take_back(self) -> None:
        """Take the rows of the batches that ended, and send those again whose workers died."""
        # A short wait, so that Ctrl-C is answered.
        ended, _ = wait(self.out, timeout=MOMENT, return_when=FIRST_COMPLETED)
        lost = []
        for future in ended:
            sent = self.out.pop(future)
            try:
                rows = future.result()
            except BaseException as error:
                if not is_death(error):
                    raise
                sent.deaths += 1
                if sent.deaths > self.retries:
                    raise WorkerError(f"a batch lost its worker {sent.deaths} times") from error
                lost.append(sent)
            else:
                self.accept(rows)
        for sent in lost:
            self.send(sent)

    def end(self) -> None:
        """Cancel what is on its way, as after an error; a pool of this driver ends with it."""
        for future in self.out:
            future.cancel()
        if self.own is not None:
            self.own.shutdown(wait=False, cancel_futures=True)


class _Workers:
    """The number of workers of an executor; those of a cluster come and go."""

    def __init__(self, executor: Executor) -> None:
        known: int | None = getattr(executor, "_max_workers", None)
        client = getattr(executor, "_client", None)
        self._ask: Callable[[], int] | None = None
        if known is None and client is not None:
            self._ask = lambda: sum(client.nthreads().values())
        self._count = known or UNKNOWN_WORKERS
        self._asked = float("-inf")

    def count(self) -> int:
        if self._ask is not None and time.monotonic() - self._asked > ASK_EVERY:
            self._count, self._asked = max(1, self._ask()), time.monotonic()
        return self._count


def is_death(error: BaseException) -> bool:
    """True if a batch failed because its worker died, and not because of the batch."""
    # Dask's own: KilledWorker after several deaths, CommClosedError, a cancelled future of a lost worker.
    is_of_dask = type(error).__module__.partition(".")[0] == "distributed"
    return is_of_dask or isinstance(error, BrokenExecutor | CancelledError | ConnectionError)


MOMENT = 0.2
ASK_EVERY = 1.0
UNKNOWN_WORKERS = 8
