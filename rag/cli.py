"""The `rag` command: one short function a sub-command; results to standard output, the rest to standard error.

Exit codes: 0 done, 1 the thing asked for failed, 2 it could not be tried.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.errors import InputError, NothingIndexed, RagError
from rag.survey.commands import Shell, add_commands, add_format, recorded, written, written_answer

if TYPE_CHECKING:
    from rag.pipeline import Library
    from rag.types import Answer


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    # A paper's text must not break a terminal that can't show one of its characters.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    args = _parser().parse_args(argv)
    run: Callable[[argparse.Namespace], int] = args.run
    # Importing Chroma makes a million objects that live as long as the process: looking for garbage among them, again
    # and again, is a tenth of what a short command costs.
    collecting = gc.isenabled()
    if args.command in _SHORT:
        gc.disable()
    try:
        return run(args)
    except RagError as error:
        print(f"rag: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("rag: interrupted; what was stored is kept, and the same command goes on from there.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of a pipe left; Python would complain again while it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    finally:
        if collecting:
            gc.enable()


_SHORT = frozenset({"ask", "search", "papers"})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="rag", description="Ask a conference's abstracts; every quote is verbatim.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    ask = _command(commands, "ask", _ask, "answer a question with cited quotes")
    ask.add_argument("question")
    ask.add_argument(
        "--history", metavar="FILE", help="earlier questions, or turns, as a JSON list; - reads it from standard input"
    )
    ask.add_argument("--record", action="store_true", help="write the answer down, to be replayed (rag replay)")
    add_format(ask)
    _answering(ask)
    _json(ask)

    search = _command(commands, "search", _search, "list the papers that fit some words best")
    search.add_argument("query")
    search.add_argument("-k", type=int, default=10, help="how many papers (10)")
    for name in ("venue", "year", "author", "keyword"):
        search.add_argument(f"--{name}", help=f"only papers with this {name}")
    search.add_argument("--everywhere", action="store_true", help="take no venue or year from the words of the query")
    add_format(search)
    _where(search)
    _json(search)

    census = _command(
        commands, "census", _census, "judge every abstract by a question: yes, no or unsure, each with its quote"
    )
    census.add_argument("question")
    census.add_argument("--csv", action="store_true", help="print a table, one row an abstract")
    census.add_argument(
        "--mode",
        choices=("extractive", "llm"),
        default="extractive",
        help="llm: a model judges each abstract too; its cost is said before and after",
    )
    add_format(census)
    _where(census)
    _json(census)

    add_commands(commands, Shell(_command, _where, _json, _open, _read_text, _print_json))

    index = _command(commands, "index", _index, "read abstracts into a library")
    index.add_argument("file", metavar="FILE", nargs="?", help="a file or folder of abstracts; - is standard input")
    index.add_argument("--keep", action="store_true", help="keep records that the source no longer has")
    index.add_argument("--rebuild", action="store_true", help="make both indexes anew from the texts, then read FILE")
    index.add_argument("--yes", action="store_true", help="do not ask before a paid embedding run")
    _where(index)
    _json(index)

    papers = _command(commands, "papers", _papers, "list the papers of a library")
    papers.add_argument("id", nargs="?", help="show one paper whole")
    add_format(papers)
    _where(papers)
    _json(papers)

    shelf = _command(commands, "libraries", _libraries, "list the libraries by name; move or delete one")
    shelf.add_argument("--move", nargs=2, metavar=("NAME", "TO"), help="give a library another name")
    shelf.add_argument("--delete", metavar="NAME", help="delete a library with everything in it")
    _json(shelf)

    fetch = _command(commands, "fetch", _fetch, "write a file of abstracts from OpenReview or arXiv")
    fetch.add_argument("origin", choices=("openreview", "arxiv"), help="the service")
    fetch.add_argument("query", help="a venue id such as ICML.cc/2026/Conference, or an arXiv query such as cat:cs.LG")
    fetch.add_argument("-o", "--output", metavar="FILE", help="where to write (a name made from the query)")
    fetch.add_argument("--limit", type=int, help="how many abstracts at most")
    fetch.add_argument("--address", help=argparse.SUPPRESS)

    check = _command(commands, "check", _check, "judge a text, sentence by sentence, against the abstracts")
    check.add_argument("file", metavar="FILE", help="a text file; - reads standard input")
    _where(check)
    _json(check)

    ui = _command(commands, "ui", _ui, "open the page in a browser")
    ui.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1: this machine only)")
    ui.add_argument("--port", type=int, default=7860, help="port to listen on (7860)")
    ui.add_argument("--auth", metavar="FILE", help="ask visitors for a name and password: lines name:password")
    ui.add_argument("--root-path", metavar="PATH", help="the path under which a proxy offers the page, such as /papers")
    ui.add_argument("--access-log", action="store_true", help="log requests to standard error, never their contents")
    _answering(ui)

    evaluation = _command(commands, "eval", _eval, "measure the answers against gold questions and hold the floors")
    if _asked_for("eval"):
        from eval.arguments import add_arguments

        add_arguments(evaluation)

    doctor = _command(commands, "doctor", _doctor, "say what is installed, configured and stored")
    doctor.add_argument(
        "--deep", action="store_true", help="prove that every passage finds itself, and mend what fails"
    )
    _where(doctor)
    _json(doctor)
    return parser


def _asked_for(command: str) -> bool:
    """Tell whether a command's own options are needed: only then is its package imported."""
    return command in sys.argv[1:2]


def _command(commands: Any, name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=text[:1].upper() + text[1:] + "."
    )
    parser.set_defaults(run=run)
    return parser


def _where(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--library", metavar="NAME", help="a library by name; without it the packaged abstracts")
    parser.add_argument("--store", metavar="FOLDER", help="a library in a folder of yours")
    parser.add_argument("--chroma", metavar="ADDRESS", help="vectors on a Chroma server, such as http://localhost:8000")


def _answering(parser: argparse.ArgumentParser) -> None:
    _where(parser)
    parser.add_argument("--mode", choices=("auto", "extractive", "llm"), help="how to answer (auto)")
    parser.add_argument("--model", metavar="NAME", help="the chat model; `local` is the packaged small one")


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _open(args: argparse.Namespace, *, create: bool = False) -> Library:
    from rag.opening import open_library

    return open_library(
        args.library,
        store=args.store,
        chroma=args.chroma,
        mode=getattr(args, "mode", None) or ("llm" if getattr(args, "model", None) else None),
        model=getattr(args, "model", None),
        progress=Progress(),
        create=create,
    )


def numbered(count: int, noun: str) -> str:
    """Return a number with its noun: "1 paper", "2 papers"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


class Progress:
    """A progress bar on a terminal's standard error; where that is no terminal, one line at the end."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._started = 0.0

    def __call__(self, done: int, total: int) -> None:
        """Show that so many of the total are done."""
        if self._bar is None and not self._started:
            self._started = time.monotonic()
            if sys.stderr.isatty():
                from tqdm import tqdm

                self._bar = tqdm(total=total, unit="passage", desc="Embedding", file=sys.stderr, leave=True)
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
        if done < total:
            return
        if self._bar is not None:
            self._bar.close()
        elif total:
            seconds = time.monotonic() - self._started
            print(f"Embedded {numbered(total, 'passage')} in {seconds:.0f} s.", file=sys.stderr)
        self._bar, self._started = None, 0.0


def _print_json(value: Any) -> None:
    # Where the terminal lacks a character, an escape keeps it: a "?" inside a quote would not be the abstract's.
    shows_all = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
    print(json.dumps(value, ensure_ascii=not shows_all, indent=2))


def _ask(args: argparse.Namespace) -> int:
    if not args.question.strip():
        raise InputError('The question is blank; ask one, such as: rag ask "Which papers release their code?"')
    history = _read_history(args.history)
    with _open(args) as library:
        answer = library.ask(args.question, history)
        recorded(args, answer, history, library)
        if written_answer(args, answer, library):
            return 0
    if args.json:
        _print_json(answer.to_dict())
    else:
        print(render_answer(answer))
    return 0


def _read_history(name: str | None) -> list[Any]:
    if name is None:
        return []
    text = _read_text(name)
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{name} is not JSON ({error}); give a list of earlier questions.") from error
    except (RecursionError, ValueError) as error:  # a number of too many digits is no JSONDecodeError
        raise InputError(f"{name} is JSON nested too deeply, or with too long a number; give a list.") from error
    if not isinstance(rows, list):
        raise InputError(f"{name} holds a JSON {type(rows).__name__}, but a list of earlier questions is wanted.")
    return rows


def _read_text(name: str) -> str:
    if name == "-":
        return sys.stdin.read()
    try:
        return Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{name!r} can't be read ({error.strerror}); give the path of a text file.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{name!r} is not UTF-8 text; save it as UTF-8.") from error


def render_answer(answer: Answer) -> str:
    """Return an answer as the terminal shows it: the text, then its sources grouped by paper, then what to know."""
    lines = [answer.text]
    by_paper: dict[str, list[Any]] = {}
    for citation in answer.citations:
        by_paper.setdefault(citation.paper_id, []).append(citation)
    if by_paper:
        lines += ["", "Sources"]
        for rows in by_paper.values():
            markers = "".join(f"[{c.marker}]" for c in rows)
            lines.append(f"  {markers} {rows[0].title}  ({rows[0].paper_id})")
    note = f" · {answer.confidence_note}" if answer.confidence_note else ""
    how = answer.mode if answer.model is None else f"{answer.mode} ({answer.model})"
    lines += ["", f"{answer.outcome} · confidence {answer.confidence:.2f}{note} · {how}"]
    lines += [f"Note: {warning}" for warning in answer.warnings]
    lines += [f"Left out: {row.claim} ({row.reason})" for row in answer.rejected]
    return "\n".join(lines)


def _search(args: argparse.Namespace) -> int:
    from rag.retrieval.matched import marked, matched_spans

    if not args.query.strip():
        raise InputError('The query is blank; give some words, such as: rag search "sparse attention"')
    filters = {k: v for k in ("venue", "year", "author", "keyword") if (v := getattr(args, k)) is not None}
    query, note = args.query, ""
    with _open(args) as library:
        limits = library.understood(query)
        if limits.filters and not filters and not args.everywhere and limits.rest:
            filters, query = dict(limits.filters), limits.rest
            note = f"Only {limits.shown}, for “{limits.words}”; --everywhere searches all papers."
        if limits.nowhere and not args.everywhere and limits.rest:
            query, note = limits.rest, " ".join(filter(None, [note, limits.nowhere]))
        found = library.search(query, args.k, filters or None)
        trouble = library.keeper.trouble
    if trouble:
        _say(trouble)
    if args.format:
        from rag.survey.export import of_hits

        return int(not written(args, lambda: of_hits(found)))
    if args.json:
        _print_json(
            [{**hit.to_dict(), "matched": [list(span) for span in matched_spans(query, hit.passage)]} for hit in found]
        )
        return 0
    if note:
        print(note)
    for place, hit in enumerate(found, 1):
        print(f"{place:3}. {hit.title}  ({hit.paper_id})\n     {hit.score:.3f} {_why(hit.source)}")
        if hit.source != "dense":
            print(f"     {marked(query, hit.passage)}")
    if not found:
        print("No paper fits.")
    return 0


def _why(source: str) -> str:
    """Return what found a paper, as said in the list."""
    return {"dense": "dense (by meaning)", "lexical": "lexical (by its words)"}.get(source, "both (words and meaning)")


def _census(args: argparse.Namespace) -> int:
    from rag.answering.assembly import Assembly
    from rag.census.rendering import statements, to_csv, to_dict

    if not args.question.strip():
        raise InputError('The question is blank; ask one, such as: rag census "Which papers release their code?"')
    if args.csv and args.json:
        raise InputError("Both --csv and --json were given; a census is printed in one of them.")
    with _open(args) as library:
        if args.mode == "llm":
            sys.stderr.write(f"Asking the model: about {library.second_judge(args.question).estimated}.\n")
        census = library.census(args.question, mode=args.mode)
    if census.cost:
        sys.stderr.write(f"Used: {census.cost}.\n")
    if args.format:
        from rag.survey.export import of_census

        return int(not written(args, lambda: of_census(census)))
    if args.json:
        _print_json(to_dict(census))
    elif args.csv:
        sys.stdout.write(to_csv(census))
    else:
        assembly = Assembly()
        assembly.extend(statements(census))
        print(assembly.text)
    return 0


def _index(args: argparse.Namespace) -> int:
    from rag.library.corpus import STANDARD_INPUT, read_file
    from rag.library.keeping import source_name
    from rag.opening import name_after

    if args.file is None:
        return _rebuild(args)
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
    with _open_to_write(args) as library:
        if args.rebuild:
            library.rebuild(Progress())
        report = library.add(reading, source, keep=args.keep, progress=Progress(), approve=_approval(args))
        total, name = library.count, library.name
    if args.json:
        _print_json({"library": name, "papers": total, **report.to_dict()})
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


def _open_to_write(args: argparse.Namespace) -> Library:
    """Open the library that is written; with --rebuild one that this version can't read makes room for a new one."""
    from rag.errors import LibraryError
    from rag.opening import set_aside

    try:
        return _open(args, create=True)
    except LibraryError as error:
        if not args.rebuild or not any(sign in str(error) for sign in ("has format", "is damaged")):
            raise
        set_aside(args.store, args.library)
        return _open(args, create=True)


def _rebuild(args: argparse.Namespace) -> int:
    if not args.rebuild:
        raise InputError("Nothing was named to read; give a file, a folder, or - for standard input.")
    with _open(args) as library:
        embedded = library.rebuild(Progress())
        total, name = library.count, library.name
    if args.json:
        _print_json({"library": name, "papers": total, "embedded": embedded})
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
            _say(left)
        return 0
    if args.move:
        move_library(config, *args.move)
        print(f"Library {args.move[0]!r} is now {args.move[1]!r}.")
        return 0
    found = libraries(config)
    if args.json:
        _print_json([asdict(row) for row in found])
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
    count = fetch(args.origin, args.query, path, limit=args.limit, address=args.address, say=_say)
    print(f"{path}: {count:,} abstracts; index them with: rag index {path}")
    return 0


def _say(text: str) -> None:
    print(f"rag: {text}", file=sys.stderr)


def _skips(skipped: Sequence[Any]) -> str:
    return "".join(f" Skipped {row.record}: {row.reason}." for row in skipped[:5])


def _papers(args: argparse.Namespace) -> int:
    with _open(args) as library:
        papers = list(library.papers()) if args.id is None else [p for p in [library.paper(args.id)] if p]
    if args.id is not None and not papers:
        raise InputError(f"There is no paper {args.id!r} in this library; list them with: rag papers")
    if args.format:
        from rag.survey.export import of_papers

        return int(not written(args, lambda: of_papers(papers)))
    if args.json:
        _print_json([p.to_dict() for p in papers] if args.id is None else papers[0].to_dict())
    elif args.id is not None:
        print(f"{papers[0].title}\n\n{papers[0].abstract}")
    else:
        for paper in papers:
            print(f"{paper.id}  {paper.title}")
    return 0


def _check(args: argparse.Namespace) -> int:
    from rag import check
    from rag.text.given import sound_text

    text = _read_text(args.file)
    with _open(args) as library:
        rows = check(sound_text(text), library.papers())
    if args.json:
        _print_json([row.to_dict() for row in rows])
        return 0
    for row in rows:
        print(f"{row.verdict:14} {row.sentence}" + (f"\n{'':14} {row.reason}" if row.reason else ""))
    return 0


def _ui(args: argparse.Namespace) -> int:
    from ui.app import serve
    from ui.serving import log_accesses, read_auth
    from ui.shelves import shelf_of

    auth = read_auth(Path(args.auth)) if args.auth else None
    if args.access_log:
        log_accesses()
    with _open(args) as library:
        serve(
            library,
            host=args.host,
            port=args.port,
            mode=library.mode,
            model=library.model,
            announce=_announce,
            shelf=shelf_of(library, library.mode),
            auth=auth,
            root_path=args.root_path,
        )
    return 0


def _announce(address: str) -> None:
    print(f"The page is at {address} (Ctrl-C stops it)", flush=True)


def _eval(args: argparse.Namespace) -> int:
    from eval.cli import main as evaluate

    return evaluate(args)


def _doctor(args: argparse.Namespace) -> int:
    from rag.doctor import examine

    with _open(args) as library:
        findings = examine(library, deep=args.deep)
    if args.json:
        _print_json(findings)
        return 0 if not findings["problems"] else 1
    for section, values in findings.items():
        for key, value in values.items() if isinstance(values, dict) else ():
            print(f"{section:10} {key:14} {value}")
    for problem in findings["problems"]:
        print(f"problem    {problem}")
    return 0 if not findings["problems"] else 1


if __name__ == "__main__":
    sys.exit(main())
