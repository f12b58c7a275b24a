"""Power cuts: an indexing process is killed hard, the next run completes it (long form: `tests.core.crashes`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.crashes import crash, whole_run


@pytest.mark.slow
def test_a_killed_run_loses_nothing_and_the_next_pays_for_nothing_twice(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    seconds = whole_run(tmp_path / "whole", 300)
    for number, share in enumerate((0.45, 0.7, 0.85)):
        folder = tmp_path / str(number)
        folder.mkdir()
        crash(folder, 300, share * seconds, number)
