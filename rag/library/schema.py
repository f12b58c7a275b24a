"""The tables of a catalog, their format, and how an older one is brought up to it."""

from __future__ import annotations

import sqlite3

SCHEMA = "3"
_GIVEN = """CREATE TABLE IF NOT EXISTS given(
    source TEXT NOT NULL, paper_id TEXT NOT NULL, PRIMARY KEY(paper_id, source)) WITHOUT ROWID"""
TABLES = f"""
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS papers(
    id TEXT PRIMARY KEY, source TEXT NOT NULL, position INTEGER NOT NULL, title TEXT NOT NULL, title_derived INTEGER NOT NULL,
    abstract TEXT NOT NULL, source_text TEXT NOT NULL, metadata TEXT NOT NULL, digest TEXT NOT NULL,
    named INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS papers_unnamed ON papers(position) WHERE named = 0;
CREATE TABLE IF NOT EXISTS chunks(
    number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, paper_id TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
    digest TEXT NOT NULL, embedded INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS chunks_of_paper ON chunks(paper_id);
CREATE INDEX IF NOT EXISTS chunks_pending ON chunks(embedded) WHERE embedded = 0;
{_GIVEN};
CREATE TABLE IF NOT EXISTS withdrawn(chunk_id TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS names(key TEXT NOT NULL, text TEXT NOT NULL, paper_id TEXT NOT NULL, count INTEGER NOT NULL, owned INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS names_of_paper ON names(paper_id);
CREATE TABLE IF NOT EXISTS lexical(number INTEGER PRIMARY KEY, terms TEXT NOT NULL);
"""
OLDER = ("1", "2")


def upgraded(db: sqlite3.Connection, found: str) -> None:
    """Bring an older catalog up to this format: its texts stay, what is derived from them is made anew.

    Format 1 knew one source a paper; format 2 kept the words in an FTS5 table and found the names with them.
    """
    if found == "1":
        db.execute(_GIVEN)
        db.execute("INSERT OR IGNORE INTO given SELECT source, id FROM papers")
    for table in ("vocabulary", "lexical"):
        db.execute(f"DROP TABLE IF EXISTS {table}")
    db.execute("ALTER TABLE papers ADD COLUMN named INTEGER NOT NULL DEFAULT 0")
    db.execute("INSERT OR REPLACE INTO meta VALUES ('schema', ?), ('code', '')", (SCHEMA,))
