"""No reader makes cycles: the collector rests while sessions are read, so each of them would stay in memory."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import pytest

from pollux import Library

CORPUS = Path(__file__).parents[2] / "corpus"
HOMES = sorted(CORPUS.glob("*/*/home"))


@pytest.mark.parametrize("home", HOMES, ids=lambda home: "-".join(home.parts[-3:-1]))
def test_what_was_read_goes_at_once(home: Path, tmp_path: Path) -> None:
    variables = home.parent / "env.json"
    environ = json.loads(variables.read_bytes()) if variables.exists() else {}
    environ = {name: value.replace("{HOME}", str(home)) for name, value in environ.items()}
    library = Library({"HOME": str(home), "XDG_CACHE_HOME": str(tmp_path), **environ}, cwd=home, hunt=False)
    bundles = library._files.bundles()
    assert bundles
    for source, bundle in bundles:
        source.read(bundle)  # what is made once and kept, such as decoders
    gc.collect()
    gc.disable()
    try:
        readings = [len(source.read(bundle).sessions) for source, bundle in bundles]
        assert gc.collect() == 0, f"{sum(readings)} sessions leave cycles"
    finally:
        gc.enable()
