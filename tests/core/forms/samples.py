"""Invented abstracts that the tests of every form use, and what a reading says in short."""

from __future__ import annotations

from rag.library.corpus import Reading

MILL = "MILLNET models tidal mills in harbours. It gains 4.2 points."
FERRY = "FERRYQ plans ferry routes by night. It saves 7 minutes a trip."
DIALECT = "We record nine dialects of one valley. The corpus holds 300 hours."
CAFE = "FERRYQ plans ferry routes at a café. It’s “quick” and saves 7 minutes."


def rows(reading: Reading) -> list[tuple[str, str, str]]:
    return [(p.id, p.title, p.abstract) for p in reading.papers]


def abstracts(reading: Reading) -> list[str]:
    return [paper.abstract for paper in reading.papers]


def reasons(reading: Reading) -> list[str]:
    return [row.reason for row in reading.skipped]


def skips(reading: Reading) -> dict[str, str]:
    return {row.record: row.reason for row in reading.skipped}
