"""The commands that look at many papers: table, compare, near, map, replay; and `--format` for all that list papers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.errors import InputError

if TYPE_CHECKING:
    from rag.pipeline import Library
    from rag.survey.export import Sheet
    from rag.survey.mapping import Map
    from rag.types import Answer

FORMATS = ("md", "csv", "json", "bibtex", "ris")
_PICTURES = (".html", ".svg")


@dataclass(frozen=True, slots=True)
class Shell:
    """What the command line lends its commands: how one is added, where a library is named and opened, what is read."""

    command: Callable[[Any, str, Callable[[argparse.Namespace], int], str], argparse.ArgumentParser]
    where: Callable[[argparse.ArgumentParser], None]
    json: Callable[[argparse.ArgumentParser], None]
    open: Callable[..., Library]
    read: Callable[[str], str]
    print_json: Callable[[Any], None]


def add_format(parser: argparse.ArgumentParser) -> None:
    """Give a command that lists papers the option to write them for other programs."""
    parser.add_argument("--format", choices=FORMATS, help="write Markdown, CSV, JSON, BibTeX or RIS, quotes as notes")


def written(args: argparse.Namespace, make: Callable[[], Sheet]) -> bool:
    """Write a sheet to standard output where `--format` asks for one; tell whether it did."""
    if getattr(args, "format", None) is None:
        return False
    if getattr(args, "json", False) or getattr(args, "csv", False):
        raise InputError("--format was given beside --json or --csv; the result is printed in one of them.")
    _put(make(), args.format)
    return True


def written_answer(args: argparse.Namespace, answer: Answer, library: Library) -> bool:
    """Write an answer where `--format` asks for it; tell whether it did."""
    from rag.survey.export import of_answer

    def sheet() -> Sheet:
        cited = {c.paper_id: library.paper(c.paper_id) for c in answer.citations}
        return of_answer(answer, {key: paper for key, paper in cited.items() if paper})

    return written(args, sheet)


def recorded(args: argparse.Namespace, answer: Answer, history: Sequence[Any], library: Library) -> None:
    """Write an answer down where `--record` asks for it, and say under which id."""
    if args.record:
        record = library.record(answer, history)
        sys.stderr.write(f"Recorded as {record.id}; ask it again with: rag replay {record.id}\n")


def add_commands(commands: Any, shell: Shell) -> None:
    """Add the commands of this package to the command line."""
    _add_table(commands, shell)
    _add_compare(commands, shell)
    _add_near(commands, shell)
    _add_map(commands, shell)
    _add_replay(commands, shell)


def _finish(parser: argparse.ArgumentParser, shell: Shell) -> None:
    add_format(parser)
    shell.where(parser)
    shell.json(parser)


def _add_table(commands: Any, shell: Shell) -> None:
    def run(args: argparse.Namespace) -> int:
        from rag.survey.export import of_table

        with shell.open(args) as library:
            table = library.table(args.columns, _selected(args, library))
        return _shown(args, shell, lambda: of_table(table))

    table = shell.command(commands, "table", run, "read the same things from many abstracts: cells are quotes or empty")
    table.add_argument("columns", help='names of columns, such as "method, headline number, code link"')
    table.add_argument("ids", nargs="*", metavar="PAPER", help="by id, title or name; without any, all of the library")
    table.add_argument("--search", metavar="WORDS", help="only the papers that fit these words best")
    table.add_argument("-k", type=int, default=20, help="how many papers a search gives (20)")
    table.add_argument("--which", metavar="QUESTION", help="only the papers that a census of this question says yes to")
    _finish(table, shell)


def _selected(args: argparse.Namespace, library: Library) -> list[str] | None:
    given = [bool(args.ids), args.search is not None, args.which is not None]
    if sum(given) > 1:
        raise InputError("Papers were chosen in two ways; give ids, or --search, or --which.")
    if args.search is not None:
        return [hit.paper_id for hit in library.search(args.search, args.k)]
    if args.which is not None:
        return [finding.paper.id for finding in library.census(args.which).having("yes")]
    return list(args.ids) or None


def _add_compare(commands: Any, shell: Shell) -> None:
    def run(args: argparse.Namespace) -> int:
        from rag.survey.export import of_comparison

        with shell.open(args) as library:
            comparison = library.compare(args.ids)
        return _shown(args, shell, lambda: of_comparison(comparison))

    compare = shell.command(commands, "compare", run, "lay two to five papers side by side, every cell quoted")
    compare.add_argument("ids", nargs="+", metavar="PAPER", help="the papers, by id, title or name of their method")
    _finish(compare, shell)


def _add_near(commands: Any, shell: Shell) -> None:
    def run(args: argparse.Namespace) -> int:
        from rag.survey.export import of_near

        draft = shell.read(args.file)
        with shell.open(args) as library:
            near = library.near(draft)
        return _shown(args, shell, lambda: of_near(near))

    near = shell.command(commands, "near", run, "find the papers near a draft: same problem, same method, same claim")
    near.add_argument("file", metavar="FILE", help="the draft of an abstract; - reads standard input")
    _finish(near, shell)


def _shown(args: argparse.Namespace, shell: Shell, make: Callable[[], Sheet]) -> int:
    """Print a sheet in the format asked for; without one as Markdown."""
    if written(args, make):
        return 0
    sheet = make()
    if args.json:
        shell.print_json(sheet.value)
    else:
        sys.stdout.write(sheet.markdown)
    return 0


def _put(sheet: Sheet, form: str) -> None:
    from rag.survey.export import write

    sys.stdout.write(write(sheet, form))


def _add_map(commands: Any, shell: Shell) -> None:
    def run(args: argparse.Namespace) -> int:
        target = _picture(args.out)
        with shell.open(args) as library:
            drawn = library.map(args.topics)
        if target is not None:
            _draw(drawn, args.by, target)
        if args.json:
            shell.print_json(drawn.to_dict())
        else:
            sys.stdout.write(map_text(drawn))
        return 0

    drawing = shell.command(commands, "map", run, "show the topics of a library, and draw them")
    drawing.add_argument("--out", metavar="FILE", help="draw the map into this .html or .svg file")
    drawing.add_argument("--by", choices=("topic", "venue", "year"), default="topic", help="what colours mean (topic)")
    drawing.add_argument("--topics", type=int, help="how many topics (by the size of the library)")
    shell.where(drawing)
    shell.json(drawing)


def _picture(name: str | None) -> Path | None:
    if name is None:
        return None
    path = Path(name)
    if path.suffix.lower() not in _PICTURES:
        raise InputError(f"{name!r} is no picture that can be drawn; name a file that ends in .html or .svg.")
    return path


def _draw(drawn: Map, by: Any, target: Path) -> None:
    from rag.survey.drawing import page, svg

    text = page(drawn, by) if target.suffix.lower() == ".html" else svg(drawn, by)
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{target} can't be written ({error.strerror}); name another file.") from error


def map_text(drawn: Map) -> str:
    """Return a map as the terminal shows it: a topic a paragraph, then the papers a year."""
    lines = [f"{len(drawn.points):,} papers in {len(drawn.topics)} topics"]
    for topic in drawn.topics:
        lines.append(f"\n{topic.number}. {topic.name} ({len(topic.papers):,})")
        lines += [f"   {paper.title}  ({paper.id})" for paper in topic.representatives]
    if drawn.years:
        lines.append("\nPapers a year: " + ", ".join(f"{year} {count}" for year, count in drawn.years.items()))
    if drawn.unplaced:
        lines.append(f"\n{drawn.unplaced:,} papers have no vector yet and are not placed.")
    return "\n".join(lines) + "\n"


def _add_replay(commands: Any, shell: Shell) -> None:
    def run(args: argparse.Namespace) -> int:
        from rag.survey.records import in_words

        with shell.open(args) as library:
            if args.id is None:
                rows = [f"{record.id}  {record.question}" for record in library.records()]
                sys.stdout.write(
                    "\n".join(rows or ["Nothing is recorded; record an answer with: rag ask --record"]) + "\n"
                )
                return 0
            replay = library.replay(args.id)
        if args.json:
            shell.print_json(replay.to_dict())
        else:
            sys.stdout.write(in_words(replay) + "\n")
        return 0 if replay.identical else 1

    replay = shell.command(
        commands, "replay", run, "ask a recorded question again and say what differs (1 if anything)"
    )
    replay.add_argument("id", nargs="?", metavar="ID", help="the record; without it, the records are listed")
    shell.where(replay)
    shell.json(replay)
