"""The tables of the catalogue, and the statements that add rows to them."""

from __future__ import annotations

from pollux.index.catalogue.rollups import UsageRow
from pollux.model import FIGURES

_FIGURES = ", ".join(f"{name} INTEGER" for name in FIGURES)
TABLES = f"""
CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE roots(
    id INTEGER PRIMARY KEY, agent TEXT, path TEXT, snapshot TEXT, due INTEGER, since INTEGER, UNIQUE(agent, path));
CREATE TABLE layouts(root INTEGER, number INTEGER, piece BLOB, PRIMARY KEY(root, number));
CREATE TABLE news(root INTEGER PRIMARY KEY, news BLOB);
CREATE TABLE closed(root INTEGER, path TEXT, PRIMARY KEY(root, path)) WITHOUT ROWID;
CREATE TABLE peeks(
    root INTEGER, path TEXT, kind TEXT, stamp TEXT, peek BLOB, PRIMARY KEY(root, path, kind)) WITHOUT ROWID;
CREATE TABLE bundles(
    id INTEGER PRIMARY KEY, root INTEGER, key TEXT, fingerprint TEXT, dependencies BLOB, files INTEGER, problem TEXT,
    notices BLOB, UNIQUE(root, key));
CREATE INDEX bundles_problem ON bundles(root) WHERE problem IS NOT NULL;
CREATE TABLE sessions(
    no INTEGER PRIMARY KEY, root INTEGER, bundle INTEGER, key TEXT, id TEXT, agent TEXT, kind TEXT, parent TEXT,
    project TEXT, evidence TEXT, project_hash TEXT, started INTEGER, moment INTEGER,
    messages INTEGER, exact INTEGER, proof BLOB, troubled INTEGER, cut INTEGER, summary BLOB, notices BLOB,
    unsettled TEXT);
CREATE INDEX sessions_bundle ON sessions(bundle);
CREATE INDEX sessions_id ON sessions(id, agent, root, kind, bundle, no);
CREATE INDEX sessions_parent ON sessions(parent) WHERE parent IS NOT NULL;
CREATE INDEX sessions_newest ON sessions(
    moment, key, root, kind, agent, parent, started, project, project_hash);
CREATE INDEX sessions_where ON sessions(root, project, project_hash, evidence, key);
CREATE INDEX sessions_unsettled ON sessions(unsettled, root, bundle) WHERE unsettled IS NOT NULL;
CREATE TABLE abouts(session INTEGER PRIMARY KEY, words TEXT, marks BLOB, anchors BLOB);
CREATE TABLE facts(session INTEGER, name TEXT, value TEXT, PRIMARY KEY(session, name, value)) WITHOUT ROWID;
CREATE INDEX facts_name ON facts(name, value);
CREATE TABLE links(session INTEGER, kind TEXT, target TEXT, evidence TEXT);
CREATE INDEX links_session ON links(session);
CREATE TABLE usage(
    session INTEGER, number INTEGER, message TEXT, at INTEGER, model TEXT, fate TEXT, inherited INTEGER,
    {_FIGURES}, exact INTEGER, file INTEGER, line INTEGER, PRIMARY KEY(session, number)) WITHOUT ROWID;
CREATE TABLE calls(
    session INTEGER, number INTEGER, message TEXT, name TEXT, canonical TEXT, kind TEXT, status TEXT, at INTEGER,
    inherited INTEGER, seconds REAL, PRIMARY KEY(session, number)) WITHOUT ROWID;
CREATE TABLE edits(
    session INTEGER, number INTEGER, path TEXT, change TEXT, message TEXT, place INTEGER, part INTEGER, turn INTEGER,
    tool TEXT, status TEXT, at INTEGER, moment INTEGER, fate TEXT, inherited INTEGER,
    PRIMARY KEY(session, number)) WITHOUT ROWID;
CREATE INDEX edits_newest ON edits(moment);
CREATE TABLE turns(
    session INTEGER, place INTEGER, message TEXT, words TEXT, PRIMARY KEY(session, place)) WITHOUT ROWID;
CREATE TABLE frictions(
    session INTEGER, number INTEGER, kind TEXT, message TEXT, place INTEGER, at INTEGER, moment INTEGER, fate TEXT,
    inherited INTEGER, what TEXT, status TEXT, exit_code INTEGER, earlier INTEGER, edits_between INTEGER,
    undoing TEXT, PRIMARY KEY(session, number)) WITHOUT ROWID;
CREATE INDEX frictions_newest ON frictions(moment);
CREATE TABLE quarters(
    session INTEGER, quarter INTEGER, model TEXT, step INTEGER, {_FIGURES},
    PRIMARY KEY(session, quarter, model, step)) WITHOUT ROWID;
CREATE TABLE prompts(
    session INTEGER, quarter INTEGER, prompts INTEGER, PRIMARY KEY(session, quarter)) WITHOUT ROWID;
CREATE TABLE garbage(session INTEGER PRIMARY KEY);
CREATE TABLE pending(session INTEGER PRIMARY KEY, lacks_details INTEGER);
CREATE INDEX pending_details ON pending(session) WHERE lacks_details;
"""


def _insert(table: str, *columns: str) -> str:
    """A statement that takes the values of these columns."""
    return f"INSERT INTO {table}({', '.join(columns)}) VALUES({', '.join('?' * len(columns))})"


INSERTS = {
    "sessions": f"INSERT INTO sessions VALUES({', '.join('?' * 21)})",
    "abouts": "INSERT INTO abouts VALUES(?, ?, ?, ?)",
    "facts": "INSERT OR IGNORE INTO facts VALUES(?, ?, ?)",
    "links": "INSERT INTO links VALUES(?, ?, ?, ?)",
    "usage": _insert("usage", "session", "number", *UsageRow.__struct_fields__),
    "calls": f"INSERT INTO calls VALUES({', '.join('?' * 10)})",
    "edits": f"INSERT INTO edits VALUES({', '.join('?' * 14)})",
    "turns": "INSERT INTO turns VALUES(?, ?, ?, ?)",
    "frictions": f"INSERT INTO frictions VALUES({', '.join('?' * 15)})",
    "quarters": _insert("quarters", "session", "quarter", "model", "step", *FIGURES),
    "prompts": "INSERT INTO prompts VALUES(?, ?, ?)",
}
"""The statement that adds a row to each table, with the values in the order of an `Entry`."""

PARTS = ("abouts", "facts", "links", "usage", "calls", "edits", "turns", "frictions", "quarters", "prompts", "pending")
"""The tables with rows of sessions, beside that of the sessions themselves."""
