"""A real `chroma run` server on a free loopback port."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PATIENCE = 30.0  # seconds a server may take to answer


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running(folder: Path, port: int) -> Iterator[str]:
    """Run a Chroma server on a folder; a machine without the command skips the test by name."""
    program = shutil.which("chroma", path=str(Path(sys.executable).parent)) or shutil.which("chroma")
    if program is None:
        pytest.skip("needs the `chroma` command, which the chromadb package brings")
    command = [program, "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        if not _answers(address, process):
            pytest.fail("`chroma run` did not start: " + (folder / "log").read_text(encoding="utf-8")[-300:])
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


def _answers(address: str, process: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/api/v2/heartbeat", timeout=2):
                return True
        except OSError:
            time.sleep(0.1)
    return False
