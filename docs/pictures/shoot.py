# ruff: noqa: INP001 (a script, no package)
"""Pictures of a page and of a site: `.venv/bin/python docs/pictures/shoot.py`, wherever there is a chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from pollux.library.library import Library
from pollux.library.sample import sample_environment
from pollux.writers.base import Options
from pollux.writers.html import WRITER

FOLDER = Path(__file__).parent
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
OPENED = "for (const call of document.querySelectorAll('.call.ok:has(.diff), .call.error')) call.open = true"


def main() -> None:
    """The newest session of the sample, light and dark, its first edit and its failure unfolded; then all sessions."""
    environ, cwd = sample_environment(None)
    session = Library(environ, cwd, hunt=False).session("last")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder) / "page.html"
        with file.open("w", encoding="utf-8") as out:
            WRITER.write(session, out.write, Options())
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        light = browser.new_page(viewport={"width": 1120, "height": 760}, color_scheme="light", timezone_id="UTC")
        dark = browser.new_page(viewport={"width": 1120, "height": 760}, color_scheme="dark", timezone_id="UTC")
        for page, name in ((light, "page-light.png"), (dark, "page-dark.png")):
            page.goto(file.as_uri())
            if page is dark:
                page.evaluate("for (const call of document.querySelectorAll('.call')) folds.fill(call)")
                page.evaluate(OPENED)
                page.evaluate(
                    "document.querySelector('.call[open]').closest('article').scrollIntoView({behavior: 'instant'})"
                )
            page.screenshot(path=FOLDER / name)
        site = f"{folder}/site"
        command = [
            sys.executable,
            "-m",
            "pollux",
            "--sample",
            "export",
            "--all",
            "--to",
            "html",
            "-o",
            site,
        ]
        subprocess.run(command, check=True)  # noqa: S603 (ours)
        index = browser.new_page(viewport={"width": 1120, "height": 560}, color_scheme="light", timezone_id="UTC")
        index.goto((Path(site) / "index.html").as_uri())
        index.screenshot(path=FOLDER / "site.png")
        browser.close()


if __name__ == "__main__":
    main()
