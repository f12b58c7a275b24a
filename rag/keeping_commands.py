"""The commands that keep libraries: index, libraries, fetch, doctor."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.errors import InputError, NothingIndexed
from rag.survey.commands import Shell
from rag.terminal import Progress, numbered, print_json, say

if TYPE_CHECKING:
    from rag.pipeline import Library


def add_keeping_commands(commands: Any, shell: Shell) -> None:
    """Add the commands of this module to the command line."""
    _add_index(commands, shell)
    _add_libraries(commands, shell)
    _add_fetch(commands, shell)
    _add_doctor(commands, shell)


def _add_index(commands: Any, shell: Shell) -> None:
    index = shell.command(commands, "index", lambda args: _index(args, shell), "read abstracts into a library")
    index.add_argument("file", metavar="FILE", nargs="?", help="a file or folder of abstracts; - is standard input")
    index.add_argument("--keep", action="store_true", help="keep records that the source no longer has")
    index.add_argument("--rebuild", action="store_true", help="make both indexes anew from the texts, then read FILE")
    index.add_argument("--yes", action="store_true", help="do not ask before a paid embedding run")
    shell.where(index)
    shell.json(index)


def _add_libraries(commands: Any, shell: Shell) -> None:
    shelf = shell.command(commands, "libraries", _libraries, "list the libraries by name; move or delete one")
    shelf.add_argument("--move", nargs=2, metavar=("NAME", "TO"), help="give a library another name")
    shelf.add_argument("--delete", metavar="NAME", help="delete a library with everything in it")
    shell.json(shelf)


def _add_fetch(commands: Any, shell: Shell) -> None:
    fetch = shell.command(commands, "fetch", _fetch, "write a file of abstracts from OpenReview or arXiv")
    fetch.add_argument("origin", choices=("openreview", "arxiv"), help="the service")
    fetch.add_argument("query", help="a venue id such as ICML.cc/2026/Conference, or an arXiv query such as cat:cs.LG")
    fetch.add_argument("-o", "--output", metavar="FILE", help="where to write (a name made from the query)")
    fetch.add_argument("--limit", type=int, help="how many abstracts at most")
    fetch.add_argument("--address", help=argparse.SUPPRESS)


def _add_doctor(commands: Any, shell: Shell) -> None:
    doctor = shell.command(
        commands, "doctor", lambda args: _doctor(args, shell), "say what is installed, configured and stored"
    )
    doctor.add_argument(
        "--deep", action="store_true", help="prove that every passage finds itself, and mend what fails"
    )
    shell.where(doctor)
    shell.json(doctor)


def _index(args: argparse.Namespace, shell: Shell) -> int:
    from rag.library.corpus import STANDARD_INPUT, read_file
    from rag.library.keeping import source_name
    from rag.opening import name_after

    if args.file is None:
        return _rebuild(args, shell)
    piped, named = args.file == STANDARD_INPUT, args.library is not None or args.store is not None
    if piped and not named:
        raise InputError("Standard input has no name; say where its abstracts go: rag index - --library NAME")
    path = Path(args.file)
    reading = read_file(args.file)
    if not named:
        args.library = name_after(path.resolve().name)
    source = source_name(path)
    if not reading.papers:
        raise NothingIndexed(f"{path} holds no abstract; nothing was changed.{_skips(reading.skipped)}")
    with _open_to_write(args, shell) as library:
        if args.rebuild:
            library.rebuild(Progress())
        report = library.add(reading, source, keep=args.keep, progress=Progress(), approve=_approval(args))
        total, name = library.count, library.name
    if args.json:
        print_json({"library": name, "papers": total, **report.to_dict()})
        return 0
    print(f"Library {name!r}: {report.summary()}; {_stored(total, report.embedded)}.")
    for row in report.skipped:
        print(f"  skipped {row.record}: {row.reason}")
    for line in _remarks(report.notes):
        print(f"  {line}")
    for warning in report.warnings:
        print(f"rag: {warning}", file=sys.stderr)
    return 0


def _stored(papers: int, embedded: int) -> str:
    return f"{numbered(papers, 'paper')}, {numbered(embedded, 'passage')} embedded"


_SHOWN = 5  # records named for each remark; --json names all


def _remarks(notes: Sequence[Any]) -> list[str]:
    """Return one line a kind of remark: how many records, and the first of them."""
    by_reason: dict[str, list[str]] = {}
    for row in notes:
        by_reason.setdefault(row.reason, []).append(row.record)
    lines = []
    for reason, labels in by_reason.items():
        more = f" and {len(labels) - _SHOWN} more (--json names all)" if len(labels) > _SHOWN else ""
        lines.append(f"{len(labels)} read with a remark, {reason}: {', '.join(labels[:_SHOWN])}{more}")
    return lines


def _open_to_write(args: argparse.Namespace, shell: Shell) -> Library:
    """Open the library that is written; with --rebuild one that this version can't read makes room for a new one."""
    from rag.errors import LibraryError
    from rag.opening import set_aside

    try:
        return shell.open(args, create=True)
    except LibraryError as error:
        if not args.rebuild or not any(sign in str(error) for sign in ("has format", "is damaged")):
            raise
        set_aside(args.store, args.library)
        return shell.open(args, create=True)


def _rebuild(args: argparse.Namespace, shell: Shell) -> int:
    if not args.rebuild:
        raise InputError("Nothing was named to read; give a file, a folder, or - for standard input.")
    with shell.open(args) as library:
        embedded = library.rebuild(Progress())
        total, name = library.count, library.name
    if args.json:
        print_json({"library": name, "papers": total, "embedded": embedded})
    else:
        print(f"Library {name!r}: built again from its {_stored(total, embedded)}.")
    return 0


def _approval(args: argparse.Namespace) -> Callable[[int, int, float | None], bool] | None:
    """Return what asks before a paid run, where somebody is there to answer."""
    if args.yes or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None

    def ask(passages: int, tokens: int, cost: float | None) -> bool:
        price = f", about {cost:.2f} in the currency of your price" if cost is not None else ""
        print(f"{passages} passages are to be embedded: about {tokens:,} tokens{price}.", file=sys.stderr)
        return input("Go on? [y/N] ").strip().casefold() in ("y", "yes")

    return ask


def _libraries(args: argparse.Namespace) -> int:
    from rag.config import load_config
    from rag.opening import delete_library, libraries, move_library

    config = load_config()
    if args.delete and args.move:
        raise InputError("Both --delete and --move were given; do one after the other.")
    if args.delete:
        left = delete_library(config, args.delete)
        print(f"Library {args.delete!r} is deleted.")
        if left:
            say(left)
        return 0
    if args.move:
        move_library(config, *args.move)
        print(f"Library {args.move[0]!r} is now {args.move[1]!r}.")
        return 0
    found = libraries(config)
    if args.json:
        print_json([asdict(row) for row in found])
        return 0
    for row in found:
        pending = f", {numbered(row.pending, 'passage')} not embedded yet" if row.pending else ""
        origin = f"; from {', '.join(row.sources)}" if row.sources else ""
        print(f"{row.name}: {numbered(row.papers, 'paper')}, {row.megabytes:.1f} MB{pending}{origin}")
    if not found:
        print("No library yet; make one with: rag index FILE")
    return 0


def _fetch(args: argparse.Namespace) -> int:
    from rag.library.fetching import fetch, file_name

    path = Path(args.output or file_name(args.origin, args.query))
    count = fetch(args.origin, args.query, path, limit=args.limit, address=args.address, say=say)
    print(f"{path}: {count:,} abstracts; index them with: rag index {path}")
    return 0


def _skips(skipped: Sequence[Any]) -> str:
    return "".join(f" Skipped {row.record}: {row.reason}." for row in skipped[:5])


def _doctor(args: argparse.Namespace, shell: Shell) -> int:
    from rag.doctor import examine

    with shell.open(args) as library:
        findings = examine(library, deep=args.deep)
    if args.json:
        print_json(findings)
        return 0 if not findings["problems"] else 1
    for section, values in findings.items():
        for key, value in values.items() if isinstance(values, dict) else ():
            print(f"{section:10} {key:14} {value}")
    for problem in findings["problems"]:
        print(f"problem    {problem}")
    return 0 if not findings["problems"] else 1
