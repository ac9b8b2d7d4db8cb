"""Processes that think: started apart from the event loop, and gone when whoever started them is gone."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess


def workers(count: int) -> ProcessPoolExecutor:
    """Up to `count` processes, started as calls are submitted; only then is the module of a call imported.

    They are spawned, not forked: a copy of a process with threads and open sockets is a trap.
    """
    return ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"), initializer=_begin)


def stop(executor: ProcessPoolExecutor, grace: float) -> None:
    """Ends the processes: `grace` seconds for what they are at, then by force. Returns when they are gone."""
    # Python 3.14 calls this kill_workers(); before it there is no public way to the processes.
    processes = list((executor._processes or {}).values())
    force = threading.Timer(grace, _kill, [processes])
    force.daemon = True
    force.start()
    executor.shutdown(wait=True, cancel_futures=True)
    force.cancel()


def _kill(processes: Sequence[BaseProcess]) -> None:
    for process in processes:
        process.kill()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Processes started in here do not see Ctrl-C before they can say that they ignore it."""
    resource_tracker.ensure_running()  # started later, it would let the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """The first thing a worker does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the parent ends its workers
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one worker, one core; read when NumPy is imported, which is later
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    """A parent killed by force cannot say goodbye, and the queue between us never tells."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
