"""What every test shares: a data folder of the run's own, a library that is indexed once, and the real command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RunRag = Callable[..., "subprocess.CompletedProcess[str]"]

_HOME = pytest.StashKey[Path]()
_COUNTED = ("browser", "network", "model")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the user's libraries, models and keys out of every test, those run in this process included."""
    for name in [n for n in os.environ if n.startswith(("RAG_", "OPENAI_"))]:
        del os.environ[name]
    config.stash[_HOME] = Path(tempfile.mkdtemp(prefix="rag-tests-"))
    os.environ["RAG_HOME"] = str(config.stash[_HOME])


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_HOME], ignore_errors=True)


def pytest_terminal_summary(terminalreporter) -> None:
    """Say how many tests of the kinds that a machine may lack something for were run and skipped."""
    for kind in _COUNTED:
        ran = [r for r in terminalreporter.stats.get("passed", []) if kind in r.keywords and r.when == "call"]
        failed = [r for r in terminalreporter.stats.get("failed", []) if kind in r.keywords]
        skipped = [r for r in terminalreporter.stats.get("skipped", []) if kind in r.keywords]
        if ran or failed or skipped:
            terminalreporter.write_line(f"{kind} tests: {len(ran) + len(failed)} run, {len(skipped)} skipped")


@pytest.fixture(scope="session")
def environ(pytestconfig: pytest.Config) -> dict[str, str]:
    """The environment of a `rag` process: the tree under test first, the run's data folder, nothing of the user's."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "RAG_HOME": str(pytestconfig.stash[_HOME])}


@pytest.fixture(scope="session")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is not the checkout, to run commands from."""
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture(scope="session")
def home(environ: dict[str, str], elsewhere: Path) -> Path:
    """The data folder, its default library indexed by the real command."""
    done = _run(["papers"], environ, elsewhere)
    assert done.returncode == 0, done.stderr
    return Path(environ["RAG_HOME"])


@pytest.fixture(scope="session")
def run_rag(home: Path, environ: dict[str, str], elsewhere: Path) -> RunRag:
    """Run `rag` with arguments in a process of its own and return what it printed."""

    def run(*arguments: str, env: Mapping[str, str] | None = None, **options) -> subprocess.CompletedProcess[str]:
        return _run(arguments, {**environ, **(env or {})}, options.pop("cwd", elsewhere), **options)

    return run


def _run(
    arguments: Sequence[str], environ: Mapping[str, str], cwd: Path, **options
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rag.cli", *arguments],
        env=dict(environ),
        cwd=cwd,
        text=True,
        encoding="utf-8",
        capture_output=True,
        timeout=options.pop("timeout", 120),
        **options,
    )
