"""With the network taken away everything works, and nothing tries to call out.

The real process runs in an empty network namespace; where strace is present, its calls are listed too, since a guard
inside Python would not see Chroma's Rust core.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.namespace import inside, outside, tracing, why_not

pytestmark = pytest.mark.network

ROOT = Path(__file__).resolve().parents[1]
SEEDS = ROOT / "seeds" / "icml-2026.txt"
CALLS = '7 connect(3, {sa_family=AF_INET, sin_port=htons(%d), sin_addr=inet_addr("%s")}, 16) = -1 ENETUNREACH\n'
CALLS_6 = '7 connect(3, {sa_family=AF_INET6, sin6_port=htons(80), inet_pton(AF_INET6, "%s", &sin6_addr)}, 28) = 0\n'


@dataclass(frozen=True)
class Run:
    """What a command printed in the namespace, and the calls that were recorded (None without strace)."""

    code: int
    stdout: str
    stderr: str
    calls: str | None


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


COMMANDS = {
    # On a data folder of its own, so that embedding the packaged abstracts is part of it.
    "ask": ("exec", ["ask", "How much faster does PBS-Attn make prefilling?"], "2.75×"),
    "index": ("exec", ["index", str(SEEDS), "--library", "mine"], "19 papers, 19 passages embedded"),
    "eval": ("exec", ["eval", "--kind", "too_vague", "--no-gate"], "gate: none"),
    "page": ("page", ["ui"], "/ "),
}


@pytest.fixture(scope="module", params=COMMANDS)
def ran(request, environ, tmp_path_factory) -> tuple[str, Run]:
    reason = why_not()
    if reason:
        pytest.skip(f"network namespaces are forbidden here: {reason}")
    folder = tmp_path_factory.mktemp(f"no-network-{request.param}")
    mode, arguments, _ = COMMANDS[request.param]
    if request.param == "page":
        arguments = [*arguments, "--port", free_port()]
    record = folder / "calls"
    traced = tracing(record)
    done = subprocess.run(
        inside(mode, [*traced, sys.executable, "-m", "rag.cli", *arguments]),
        # A key and a server in the environment are a temptation, not an instruction.
        env={**environ, "RAG_HOME": str(folder / "home"), "OPENAI_API_KEY": "sk-test-0000-NOT-REAL"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=180,
    )
    calls = record.read_text(encoding="utf-8", errors="replace") if traced else None
    return request.param, Run(done.returncode, done.stdout, done.stderr, calls)


def test_it_works_without_a_network(ran):
    name, run = ran
    assert run.code == 0, run.stderr
    assert COMMANDS[name][2] in run.stdout


def test_it_speaks_to_nothing_but_loopback(ran):
    _, run = ran
    if run.calls is None:
        pytest.skip("there is no strace that works here")
    assert outside(run.calls) == []


def test_the_embedding_runtime_gathers_nothing_to_report(tmp_path, environ):
    # ONNX Runtime sends what it gathered after some seconds; until then it lies in a file of the user's cache.
    program = "from rag.library.embedding import packaged_embedder; packaged_embedder().embed(['one text'])"
    own = {**environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=own, check=True, timeout=120)
    assert list(tmp_path.rglob("*")) == []


def test_the_namespace_is_empty_and_a_call_out_would_be_seen(tmp_path):
    reason = why_not()
    if reason:
        pytest.skip(f"network namespaces are forbidden here: {reason}")
    record = tmp_path / "calls"
    traced = tracing(record)
    # 192.0.2.1 is set aside for documentation and belongs to nobody.
    knock = "import socket; socket.create_connection(('192.0.2.1', 9), timeout=5)"
    done = subprocess.run(
        inside("exec", [*traced, sys.executable, "-c", knock]), capture_output=True, text=True, timeout=60
    )
    assert done.returncode != 0 and "unreachable" in done.stderr
    if traced:
        assert "192.0.2.1" in outside(record.read_text(encoding="utf-8"))[0]


@pytest.mark.parametrize(
    ("call", "away"),
    [
        (CALLS % (7860, "127.0.0.1"), 0),
        (CALLS % (53, "127.0.0.53"), 1),
        (CALLS % (80, "192.0.2.1"), 1),
        (CALLS_6 % "::1", 0),
        (CALLS_6 % "2001:db8::1", 1),
        ('7 connect(3, {sa_family=AF_UNIX, sun_path="/run/x"}, 110) = 0\n', 0),
    ],
)
def test_a_recorded_call_is_told_apart_by_its_address(call, away):
    assert len(outside(call)) == away
