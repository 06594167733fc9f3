"""Decoders are made by one thread at a time."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pollux
from pollux.system.decoders import json_decoder, learned, msgpack_decoder

SOURCES = Path(pollux.__file__).parent


def test_each_is_made_once() -> None:
    assert json_decoder(list[int]) is json_decoder(list[int])
    assert msgpack_decoder(list[int]) is msgpack_decoder(list[int])
    assert learned(list[int]) == list[int]


def test_threads_may_learn_a_type_at_the_same_moment() -> None:
    """In a process of its own, as it would crash; msgspec is slowed down, so that the threads do meet."""
    script = """if True:
        import threading, time
        import msgspec
        from msgspec import _utils
        from pollux.model import Session
        from pollux.system.decoders import json_decoder, msgpack_decoder

        bases = _utils._get_class_mro_and_typevar_mappings

        def slowly(kind):
            time.sleep(0.005)
            return bases(kind)

        _utils._get_class_mro_and_typevar_mappings = slowly

        session = Session(agent="a", id="1")
        document, packed = msgspec.json.encode(session), msgspec.msgpack.encode(session)
        decoded = []

        def decode(make):
            content = document if make is json_decoder else packed
            decoded.append(make(Session).decode(content).id)

        threads = [threading.Thread(target=decode, args=(make,)) for make in (json_decoder, msgpack_decoder) * 10]
        for thread in threads:
            thread.start()
            time.sleep(0.004)
        for thread in threads:
            thread.join()
        print(*decoded)
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["1"] * 20
    assert done.stderr == ""


def test_no_other_module_makes_one() -> None:
    """Plain values need no learning: those may be decoded anywhere."""
    own = re.compile(r"Decoder\((?!\))|\bdecode\([^\n]*\btype=(?!msgspec\.Raw|str\b|dict\[str, |list\[msgspec\.Raw)")
    others = {
        str(file.relative_to(SOURCES)): found
        for file in SOURCES.rglob("*.py")
        if file.name != "decoders.py" and (found := own.findall(file.read_text("utf-8")))
    }
    assert others == {}
