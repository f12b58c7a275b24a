"""Run a command in a network namespace that holds nothing but loopback: `python tests/namespace.py exec|page COMMAND…`.

`exec` becomes the command. `page` starts it, waits for the address that it prints, fetches the page and what the page
loads from its own server, prints their sizes, and stops it. Linux only.
"""

from __future__ import annotations

import fcntl
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import urllib.request
from pathlib import Path
from shutil import which

_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1  # SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP of <linux/if.h>
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
_ASSET = re.compile(r"""(?:src|href)="(\.?/[^"]+)\"""")
_HOSTS_ASKED = re.compile(r"inet_(?:addr|pton)\((?:AF_INET6, )?\"([^\"]+)\"")
_PORT = re.compile(r"sin6?_port=htons\((\d+)\)")
_NAME_SERVICE = 53  # a resolver on loopback would carry a question for a name outside


def inside(mode: str, command: list[str]) -> list[str]:
    """Return the command line that runs a command in an empty namespace of its own."""
    own = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--net"]
    return [*own, sys.executable, str(Path(__file__)), mode, *command]


def why_not() -> str:
    """Return why namespaces can't be had here, or nothing."""
    if which("unshare") is None:
        return "there is no unshare (util-linux)"
    tried = subprocess.run(inside("exec", ["true"]), capture_output=True, text=True, timeout=30)
    return tried.stderr.strip().splitlines()[-1] if tried.returncode else ""


def tracing(record: Path) -> list[str]:
    """Return the prefix that records every address a command and its children speak to; empty without strace."""
    strace = ["strace", "-f", "-q", "--seccomp-bpf", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o", str(record)]
    if which("strace") is None:
        return []
    return strace if subprocess.run([*strace, "true"], capture_output=True, timeout=30).returncode == 0 else []


def outside(record: str) -> list[str]:
    """Return the recorded calls that were meant for somewhere outside: not loopback, or a name service."""
    found = []
    for line in record.splitlines():
        hosts, port = _HOSTS_ASKED.findall(line), _PORT.search(line)
        away = [host for host in hosts if not (host.startswith("127.") or host in ("::1", "::ffff:127.0.0.1"))]
        if away or (hosts and port and int(port[1]) == _NAME_SERVICE):
            found.append(line)
    return found


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(handle, _GET_FLAGS, request))[1]
        fcntl.ioctl(handle, _SET_FLAGS, struct.pack("16sh14x", b"lo", flags | _UP))


def visit(address: str) -> dict[str, int]:
    """Fetch a page and what it names on its own server; return the size of each."""
    with urllib.request.urlopen(address, timeout=30) as reply:
        body = reply.read()
    sizes = {"/": len(body)}
    for path in sorted(set(_ASSET.findall(body.decode("utf-8"))))[:20]:
        with urllib.request.urlopen(f"{address}/{path.lstrip('./')}", timeout=30) as reply:
            sizes[path] = len(reply.read())
    return sizes


def serve_and_visit(command: list[str], **options) -> dict[str, int]:
    """Start `rag ui`, visit the page that it announces, and stop it as Ctrl-C would."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True, **options) as served:
        try:
            found = next((m[0] for line in served.stdout if (m := _ADDRESS.search(line))), None)
            if found is None:
                raise RuntimeError(f"{command} ended with {served.wait(30)} and announced no address")
            return visit(found)
        finally:
            os.killpg(served.pid, signal.SIGINT)
            try:
                served.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(served.pid, signal.SIGKILL)


def main(mode: str, command: list[str]) -> None:
    """Raise loopback and run the command."""
    _raise_loopback()
    if mode == "exec":
        os.execvp(command[0], command)
    for path, size in serve_and_visit(command).items():
        print(path, size)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
