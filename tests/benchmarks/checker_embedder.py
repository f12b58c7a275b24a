"""Would the embedder help the checker? Sentences that share few words with their abstract, let through by cosine.

    python -m tests.benchmarks.checker_embedder --data FOLDER

It prints, for each least cosine, how many alarms on authors' summaries of SciTLDR (train) would go, and how many
summaries of the nearest other paper would still be caught. The two are too alike for it to be of use.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rag.checking.checker import check_sentence
from rag.library.embedding import packaged_embedder
from tests.benchmarks.checker import adds_nothing, load_scitldr

_FEW_WORDS_SHARED = ("the abstract does not say th", "no sentence of the abstract")


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the data files")
    parser.add_argument("--limit", type=int, default=500, help="papers to use")
    options = parser.parse_args(argv)
    embedder = packaged_embedder()
    if embedder is None:
        sys.stderr.write("The embedder's weights are not installed; see rag doctor.\n")
        return 2
    rows = load_scitldr(options.data, "train")[: options.limit]
    abstracts = np.array(embedder.embed([f"{paper.title}. {paper.abstract}" for paper, _, _ in rows]))
    summaries = np.array(embedder.embed([texts[0] for _, texts, _ in rows]))
    likeness = summaries @ abstracts.T
    own = np.diag(likeness)
    alarms = [
        index
        for index, (paper, texts, _) in enumerate(rows)
        if adds_nothing(texts[0], paper) and check_sentence(texts[0], [paper]).reason.startswith(_FEW_WORDS_SHARED)
    ]
    others = likeness.copy()
    np.fill_diagonal(others, -1.0)
    nearest = [(int(others[:, j].argmax()), j) for j in range(len(rows))]
    verdicts = [check_sentence(rows[i][1][0], [rows[j][0]]) for i, j in nearest]
    for least in (1.1, 0.7, 0.6, 0.5, 0.4):
        gone = sum(own[index] >= least for index in alarms)
        caught = sum(
            row.verdict == "unsupported" and not (row.reason.startswith(_FEW_WORDS_SHARED) and likeness[pair] >= least)
            for row, pair in zip(verdicts, nearest, strict=True)
        )
        sys.stdout.write(
            f"cosine from {least:.1f}: alarms gone {gone} of {len(alarms)}; "
            f"nearest other paper's summary caught {caught / len(rows):.3f} (n {len(rows)})\n"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
