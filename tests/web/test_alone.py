"""Every page of the sample loads whole where there is no way out of the machine, and nothing asks for one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import program
from tests.web.conftest import CHROMIUM
from tests.web.paths import EVERY

DRIVER = Path(__file__).with_name("driver_alone.py")
UNSHARE = shutil.which("unshare")


def _may_be_alone() -> bool:
    """Does the kernel let us have a network of our own, with a loopback that works?"""
    if UNSHARE is None or shutil.which("ip") is None:
        return False
    command = [UNSHARE, "-rn", "sh", "-c", "ip link set lo up"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")
def test_every_page_loads_whole_without_a_network(tmp_path: Path) -> None:
    if not _may_be_alone():
        pytest.skip("this kernel gives no network namespaces to users (unshare -rn), or there is no ip command")
    environ = {**os.environ, "PYTHONPATH": f"{program.SOURCE}{os.pathsep}{DRIVER.parents[2]}"}
    command = f'ip link set lo up && exec "{sys.executable}" "{DRIVER}" "{tmp_path}" "{CHROMIUM}"'
    done = subprocess.run(
        [str(UNSHARE), "-rn", "sh", "-c", command],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["way out"] is False
    assert len(found["pages"]) > len(EVERY)
    for page in found["pages"]:
        assert page["status"] == 200, page
        assert page["title"], page
        assert page["failed"] == [], page
        assert page["elsewhere"] == [], page
        assert page["said"] == [], page
        assert page["violations"] == [], page
        assert page["unstyled"] is False, page
