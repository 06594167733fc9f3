# ruff: noqa: INP001 (a script, no package)
"""Pictures of the web UI, light and dark: `.venv/bin/python docs/pictures/shoot_web.py`, if there is a chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parent / "web"
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")
TIDES = "gemini:aa6812ea-4d8d-44e0-b98d-81820b95da31"
PAGES = {
    "sessions": "/",
    "search": "/?q=harbour",
    "session": f"/s/{TIDES}",
    "edits": "/edits",
    "file": "/file?path=/home/juno/code/tidewatch/tidewatch/tables.py",
    "stats": "/stats",
    "audit": f"/audit?key={TIDES}",
    "record": f"/record?key={TIDES}&line=10",
    "timeline": "/timeline",
    "projects": "/projects",
    "friction": "/friction",
    "compare": "/compare/gemini:6403bd4e-5b4f-4c04-acb7-32a4814e2f43/codex:01a1b23d-6e6d-76af-93ee-fed9b94e762c",
    "archive": "/archive",
    "doctor": "/doctor",
}


def main() -> None:
    """Each page over the bundled sample, in both schemes."""
    command = [sys.executable, "-m", "pollux", "--sample", "web", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as driver:  # noqa: S603 (ours)
        try:
            address = next(word for line in server.stdout or () for word in line.split() if "/enter?" in word)
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1280, "height": 720}, timezone_id="UTC", locale="en-GB")
            page.goto(address)
            page.wait_for_selector(".row")
            base = page.url.rstrip("/")
            for name, path in PAGES.items():
                page.goto(f"{base}{path}")
                for scheme in ("light", "dark"):
                    page.emulate_media(color_scheme=scheme)
                    page.screenshot(path=FOLDER / f"{name}-{scheme}.png")
            browser.close()
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
