"""The `rag` command: one short function a sub-command; results to standard output, the rest to standard error.

Exit codes: 0 done, 1 the thing asked for failed, 2 it could not be tried.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.errors import InputError, RagError
from rag.keeping_commands import add_keeping_commands
from rag.survey.commands import Shell, add_commands, add_format, recorded, written, written_answer
from rag.terminal import Progress, found_by, print_json, read_history, read_text, render_answer, say

if TYPE_CHECKING:
    from rag.pipeline import Library


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

    shell = Shell(_command, _where, _json, _open, read_text, print_json)
    add_commands(commands, shell)
    add_keeping_commands(commands, shell)

    papers = _command(commands, "papers", _papers, "list the papers of a library")
    papers.add_argument("id", nargs="?", metavar="PAPER", help="show one paper whole, by id, title or name")
    add_format(papers)
    _where(papers)
    _json(papers)

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


def _ask(args: argparse.Namespace) -> int:
    if not args.question.strip():
        raise InputError('The question is blank; ask one, such as: rag ask "Which papers release their code?"')
    history = read_history(args.history)
    with _open(args) as library:
        answer = library.ask(args.question, history)
        recorded(args, answer, history, library)
        if written_answer(args, answer, library):
            return 0
    if args.json:
        print_json(answer.to_dict())
    else:
        print(render_answer(answer))
    return 0


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
        elif limits.nowhere and not filters and not args.everywhere and limits.rest:
            query, note = limits.rest, f"{limits.nowhere} All papers were searched."
        found = library.search(query, args.k, filters or None)
        trouble = library.keeper.trouble
    if trouble:
        say(trouble)
    if args.format:
        from rag.survey.export import of_hits

        return int(not written(args, lambda: of_hits(found)))
    if args.json:
        print_json(
            [{**hit.to_dict(), "matched": [list(span) for span in matched_spans(query, hit.passage)]} for hit in found]
        )
        return 0
    if note:
        print(note)
    for place, hit in enumerate(found, 1):
        print(f"{place:3}. {hit.title}  ({hit.paper_id})\n     {hit.score:.3f} {found_by(hit.source)}")
        if hit.source != "dense":
            print(f"     {marked(query, hit.passage)}")
    if not found:
        print("No paper fits.")
    return 0


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
        census = library.census(args.question, mode=args.mode, progress=Progress("Reading", "", "abstract"))
    if census.cost:
        sys.stderr.write(f"Used: {census.cost}.\n")
    if args.format:
        from rag.survey.export import of_census

        return int(not written(args, lambda: of_census(census)))
    if args.json:
        print_json(to_dict(census))
    elif args.csv:
        sys.stdout.write(to_csv(census))
    else:
        assembly = Assembly()
        assembly.extend(statements(census))
        print(assembly.text)
    return 0


def _papers(args: argparse.Namespace) -> int:
    with _open(args) as library:
        papers = list(library.papers()) if args.id is None else [library.chosen(args.id)]
    if args.format:
        from rag.survey.export import of_papers

        return int(not written(args, lambda: of_papers(papers)))
    if args.json:
        print_json([p.to_dict() for p in papers] if args.id is None else papers[0].to_dict())
    elif args.id is not None:
        print(f"{papers[0].title}\n\n{papers[0].abstract}")
    else:
        for paper in papers:
            print(f"{paper.id}  {paper.title}")
    return 0


def _check(args: argparse.Namespace) -> int:
    from rag import check
    from rag.text.given import sound_text

    text = read_text(args.file)
    with _open(args) as library:
        rows = check(sound_text(text), library.papers())
    if args.json:
        print_json([row.to_dict() for row in rows])
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


if __name__ == "__main__":
    sys.exit(main())
