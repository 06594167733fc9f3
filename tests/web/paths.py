"""The addresses of every page over the sample."""

from __future__ import annotations

from tests.web.serving import REWOUND_KEY, SAMPLE_KEY

FIRST = "gemini:6403bd4e-5b4f-4c04-acb7-32a4814e2f43"
SECOND = "codex:01a1b23d-6e6d-76af-93ee-fed9b94e762c"
TABLES = "/home/juno/code/tidewatch/tidewatch/tables.py"
LISTS = ("/", "/?q=packet", "/?q=agent:codex", "/?all=1", "/?q=nothingatall")
SESSIONS = (f"/s/{SAMPLE_KEY}", f"/s/{REWOUND_KEY}?view=live")
REPORTS = (
    "/edits",
    f"/edits?key={SAMPLE_KEY}",
    f"/file?path={TABLES}",
    "/stats",
    "/stats?by=session&of=cost",
    "/stats?by=tool",
    "/stats?model=gpt-5.5",
    "/timeline?of=prompts",
    "/projects",
    "/audit",
    f"/audit?key={SAMPLE_KEY}",
    f"/audit?key={SAMPLE_KEY}&since=2026-11-14&model=gemini-2.5-pro",
)
RECORDS = (
    f"/record?key={SAMPLE_KEY}",
    f"/record?key={SAMPLE_KEY}&line=10",
    f"/record?key={REWOUND_KEY}&line=2",
    f"/record?key={SECOND}&line=3",
)
FACTS = (
    *RECORDS,
    "/friction",
    f"/friction?key={SAMPLE_KEY}",
    "/archive",
    f"/archive?key={SAMPLE_KEY}",
    "/doctor",
    "/compare",
    f"/compare?key={FIRST}",
    f"/compare/{FIRST}/{SECOND}",
)
EVERY = (*LISTS, *SESSIONS, *REPORTS, *FACTS)
