"""Full disks, folders that can't be written, damaged files: a sentence, and nothing that was stored is lost."""

from __future__ import annotations

import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.cli import main
from rag.config import load_config
from rag.doctor import examine
from rag.errors import LibraryError, VectorsAway
from rag.library.graph_files import fault_of
from rag.opening import open_library
from tests.conftest import ROOT
from tests.core.conftest import OpenAt
from tests.fakes import WordEmbedder, write_abstracts, write_lines

MILL = "MILLNET models tidal mills in harbours. It gains 4.2 points."
QUESTION = "What does MILLNET gain?"
NOBODY = 65534
# A limit on the size of files stands in for a full disk; without root's rights a folder's mode counts. All is imported
# first, since another user may not be able to read it.
PROGRAM = f"""
import os, resource, sys
import chromadb
from pathlib import Path
from rag.config import load_config
from rag.errors import RagError
from rag.library.corpus import read_bytes
from rag.opening import open_library
from tests.fakes import WordEmbedder
config = load_config({{"RAG_HOME": sys.argv[3]}}, Path(sys.argv[3]))
read_bytes(b"Import every form of abstracts.", "x")
with open_library(store=sys.argv[3] + "/first", config=config, embedder=WordEmbedder()) as first:
    first.index(sys.argv[3] + "/a.txt")
    first.ask("{QUESTION}")
limit, user = int(sys.argv[1]), int(sys.argv[2])
if user and os.geteuid() == 0:
    os.setuid(user)
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    with open_library(store=sys.argv[3] + "/lib", config=config, embedder=WordEmbedder()) as library:
        print(library.ask("{QUESTION}").text)
        library.index(sys.argv[4])
except RagError as error:
    sys.exit(str(error))
"""


@pytest.fixture
def folder(open_at: OpenAt) -> Iterator[Path]:
    """A folder that another user can reach, with a library of one abstract."""
    made = Path(tempfile.mkdtemp(prefix="rag-disk-"))
    made.chmod(0o755)
    library = open_at(made / "lib", WordEmbedder())
    library.index(write_abstracts(made / "a.txt", MILL))
    library.close()
    yield made
    for path in (made, *made.rglob("*")):
        path.chmod(0o755)
    shutil.rmtree(made)


def elsewhere(folder: Path, source: Path, *, limit: int = 0, user: int = 0) -> subprocess.CompletedProcess[str]:
    """Ask and index in a process whose rights or disk are limited."""
    command = [sys.executable, "-c", PROGRAM, str(limit), str(user), str(folder), str(source)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def test_a_library_that_can_not_be_written_answers_and_refuses_to_change(folder: Path) -> None:
    for path in (folder / "lib", *(folder / "lib").rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)

    done = elsewhere(folder, folder / "a.txt", user=NOBODY)

    assert "4.2 points" in done.stdout
    assert done.stderr.startswith("Library 'lib' can't be written (Permission denied); check the rights"), done.stderr


@pytest.mark.parametrize("limit", [100_000, 300_000, 700_000])
def test_a_full_disk_is_told_and_what_was_there_stays(folder: Path, open_at: OpenAt, limit: int) -> None:
    many = [{"id": f"m{n}", "abstract": f"Mill number {n} turns under load {n * 3} at night. " * 8} for n in range(400)]
    source = write_lines(folder / "many.jsonl", *many)

    done = elsewhere(folder, source, limit=limit)

    assert done.returncode == 1, done.stdout
    assert done.stderr.startswith("The ") and "check the disk's space" in done.stderr, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    library = open_at(folder / "lib", WordEmbedder())
    assert "4.2 points" in library.ask(QUESTION).text
    library.index(source)
    health = library.health()
    assert (health["papers"], health["vectors"], health["pending"]) == (401, health["chunks"], 0)


@pytest.mark.parametrize("damage", ["no database", "torn"])
def test_a_damaged_file_is_told_and_read_anew_on_request(
    folder: Path, open_at: OpenAt, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    file = folder / "lib" / "library.db"
    whole = file.read_bytes()
    file.write_bytes(b"no database at all " * 99 if damage == "no database" else whole[:8192] + os.urandom(90_000))

    with pytest.raises(
        LibraryError, match=r"^The library's file is damaged \(.*\); set it aside .* --rebuild --store "
    ):
        open_at(folder / "lib", WordEmbedder()).ask(QUESTION)

    assert main(["index", str(folder / "a.txt"), "--store", str(folder / "lib"), "--rebuild"]) == 0
    assert "1 paper, " in capsys.readouterr().out
    assert list((folder / "lib").glob("before-rebuild-library.db*"))


_GRAPH = ("header.bin", "data_level0.bin", "length.bin", "link_lists.bin", "index_metadata.pickle")
_TORN = ("header.bin", "data_level0.bin", "length.bin", "index_metadata.pickle", "chroma.sqlite3")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of so many passages that Chroma has written their graph to disk."""
    home = tmp_path_factory.mktemp("many")
    texts = [f"MILLNET number {n} models tidal mills in harbours. It gains 4.{n} points." for n in range(1100)]
    config = load_config({"RAG_HOME": str(home)}, home)
    with open_library(store=home / "lib", config=config, embedder=WordEmbedder()) as library:
        library.index(write_abstracts(home / "a.txt", *texts))
    return home


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        *((name, "gone") for name in _GRAPH),
        *((name, "torn") for name in _TORN),
        *((name, "noise") for name in (*_GRAPH, "chroma.sqlite3")),
    ],
)
def test_damaged_vectors_are_told_with_the_remedy_while_words_still_answer(
    many: Path, open_at: OpenAt, tmp_path: Path, name: str, damage: str
) -> None:
    shutil.copytree(many / "lib", tmp_path / "lib")
    (file,) = (tmp_path / "lib" / "chroma").rglob(name)
    if damage == "gone":
        file.unlink()
    else:
        size = file.stat().st_size
        noise = random.Random(name).randbytes(size)
        file.write_bytes(noise if damage == "noise" else file.read_bytes()[: size // 2])
    library = open_at(tmp_path / "lib", WordEmbedder())

    answer = library.ask("What does MILLNET number 7 gain?")

    assert "4.7 points" in answer.text
    (told,) = answer.warnings
    assert re.fullmatch(
        r"The vectors in .* (are damaged|can't be (opened|used)) \(.*\): for now .*: ?rag index --rebuild --store .*",
        told,
    )
    assert told in examine(library)["problems"]
    with pytest.raises(
        VectorsAway, match=r"the texts are stored and found by their words; .* rag index --rebuild --store"
    ):
        library.index(
            write_abstracts(tmp_path / "b.txt", "WEXNET models locks of canals in winter. It gains 9.1 points.")
        )
    assert "9.1 points" in library.ask("What does WEXNET gain?").text
    if (name, damage) == ("data_level0.bin", "torn"):
        assert library.rebuild() == 1101
        assert (library.search("WEXNET")[0].source, library.keeper.trouble) == ("both", "")


@pytest.mark.parametrize("name", ["data_level0.bin", "link_lists.bin", "length.bin"])
def test_a_few_bytes_of_noise_in_a_graph_are_noticed_on_opening_and_mended_by_the_deep_doctor(
    many: Path, open_at: OpenAt, tmp_path: Path, name: str
) -> None:
    shutil.copytree(many / "lib", tmp_path / "lib")
    (file,) = (tmp_path / "lib" / "chroma").rglob(name)
    whole = file.read_bytes()
    room, elements = struct.unpack_from("<QQ", file.with_name("header.bin").read_bytes(), 12)
    used = len(whole) if name == "link_lists.bin" else len(whole) * elements // room
    for start in (0, used // 2, used - 400):
        file.write_bytes(whole[:start] + random.Random(start).randbytes(400) + whole[start + 400 :])
        assert fault_of(tmp_path / "lib" / "chroma") == f"{name} is garbled"
    library = open_at(tmp_path / "lib", WordEmbedder())

    assert (
        library.ask("What does MILLNET number 7 gain?").warnings[0].startswith(f"The vectors in {file.parent.parent}")
    )
    found = examine(library, deep=True)

    assert f"({name} is garbled)" in found["proof"]["made_anew"]
    assert (found["problems"], found["library"]["vectors"]) == ([], 1100)
    assert library.ask("What does MILLNET number 7 gain?").warnings == ()


def test_a_graph_that_is_not_written_to_disk_yet_is_no_damage(many: Path, folder: Path) -> None:
    assert fault_of(folder / "lib" / "chroma") == fault_of(many / "lib" / "chroma") == fault_of(folder / "none") == ""
