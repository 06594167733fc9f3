"""The command line.

It may import `answers` and `draw`, and what lies below.
Nothing is imported before it is needed: `pollux --version` does not even import click.
"""

from __future__ import annotations

import gc
import os
import sys

_CYCLES = 50_000
"""After so many new values Python looks for cycles. Imports alone make thousands of values, and hardly any cycle."""


def main() -> None:
    """Run pollux on the process's arguments and end the process with its exit status."""
    gc.set_threshold(_CYCLES)
    if sys.argv[1:] == ["--version"] and _print_version():
        return
    try:
        _interrupts(raised=False)
        if not sys.argv[1:] and (opened := _open_ui()) is not None:
            sys.exit(opened)
        from pollux.cli.app import run

        _interrupts(raised=True)
        status = run(sys.argv[1:])
    except KeyboardInterrupt as interrupt:  # before the command began, or after it ended; a signal has its own number
        os._exit(128 + getattr(interrupt, "number", 2))
    except RuntimeError as error:  # so Python 3.11 calls what interrupts the making of a class
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        os._exit(128 + getattr(error.__cause__, "number", 2))
    _end(status)


def _interrupts(*, raised: bool) -> None:
    """Let Ctrl-C raise an exception, or end the process without a word, as is best while modules are imported.

    There is nothing to clean up yet, and many an import drops an exception that comes out of nowhere.
    """
    import signal

    handler = signal.getsignal(signal.SIGINT)
    if raised and handler is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    elif not raised and handler is signal.default_int_handler:  # else the caller ignores it
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _print_version() -> bool:
    """Print the version, if standard output takes it. Otherwise the command explains what went wrong."""
    from pollux import __version__

    if sys.stdout is None:  # closed by the caller
        return False
    try:
        os.write(sys.stdout.fileno(), f"pollux {__version__}\n".encode())  # a failure leaves nothing in a buffer
    except OSError:
        return False
    return True


def _open_ui() -> int | None:
    """Open the terminal UI if it can be, without the rest of the command line, which would take longer to import.

    Returns the exit status, or None where it was not opened: then the command line says what is wrong.
    """
    from importlib import import_module

    from pollux.cli.at_once import can_open, library
    from pollux.errors import RequestError
    from pollux.system.directories import Places, present_folder

    if not can_open():
        return None
    ui = import_module("pollux.tui.run")
    _interrupts(raised=True)
    try:
        ui.run(library, present_folder(), Places().settings)
    except RequestError:  # the settings are wrong
        return None
    except Exception as error:  # noqa: BLE001 (it is told as that of a command is)
        from pollux.cli.app import tell

        return tell(error, [])
    return 0


def _end(status: int) -> None:
    """End the process at once: all is closed, and Python would take its time to free one by one what it still holds."""
    for name in ("stdout", "stderr"):
        try:
            getattr(sys, name).flush()
        except (OSError, ValueError, AttributeError):  # nobody takes it any more
            setattr(sys, name, None)  # Python would try again, and end with a status of its own
    if _is_something_at_work():
        sys.exit(status)
    if (last_steps := sys.modules.get("pollux.system.last_steps")) is not None:
        last_steps.run_last_steps()
    os._exit(status)


def _is_something_at_work() -> bool:
    """Is there a process or a thread that Python waits for at its end? For daemons it does not."""
    threads, processes = sys.modules.get("threading"), sys.modules.get("multiprocessing.process")
    if processes is not None and processes.active_children():
        return True
    main_thread = threads.main_thread() if threads is not None else None
    every = threads.enumerate() if threads is not None else ()
    return any(thread is not main_thread and not thread.daemon for thread in every)
