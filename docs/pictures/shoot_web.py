# ruff: noqa: INP001 (a script, no package)
"""Pictures of the web UI, light and dark: `.venv/bin/python docs/pictures/shoot_web.py`, if there is a chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from pollux.library.sample import HOME

FOLDER = Path(__file__).parent / "web"
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
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
    "doctor": "/doctor",
}
KEPT = {"archive": "/archive"}


def kept_sample(folder: Path) -> dict[str, str]:
    """The environment of somebody whose history is the sample, and who has kept it."""
    home = folder / "home"
    shutil.copytree(HOME, home)
    usual = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    environ = {**usual, "HOME": str(home)}
    subprocess.run([sys.executable, "-m", "pollux", "archive", "on"], env=environ, check=True)
    shutil.rmtree(home / ".qwen")  # as an agent that cleans up
    return environ


def shoot(browser: Browser, command: list[str], environ: dict[str, str], pages: dict[str, str]) -> None:
    """Some pages of a server, in both schemes."""
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 (ours)
        try:
            address = next(word for line in server.stdout or () for word in line.split() if "/enter?" in word)
            page = browser.new_page(viewport={"width": 1280, "height": 720}, timezone_id="UTC", locale="en-GB")
            page.goto(address)
            page.wait_for_selector(".row")
            base = page.url.rstrip("/")
            for name, path in pages.items():
                page.goto(f"{base}{path}")
                for scheme in ("light", "dark"):
                    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                    page.screenshot(path=FOLDER / f"{name}-{scheme}.png")
        finally:
            server.terminate()


def main() -> None:
    """Each page over the bundled sample; the archive over a copy that was kept."""
    program = [sys.executable, "-m", "pollux"]
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        shoot(browser, [*program, "--sample", "web", "--no-open"], {**os.environ}, PAGES)
        shoot(browser, [*program, "web", "--no-open"], kept_sample(Path(folder)), KEPT)
        browser.close()


if __name__ == "__main__":
    main()
