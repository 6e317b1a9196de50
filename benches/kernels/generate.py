"""Writes the corpus, `benches/kernels/corpus/*.py`, from the cases in `families`.

    python3 benches/kernels/generate.py

A change of a case changes what `digests.tsv` is about: afterwards `compare.py digest` has to write that again, with a
`tilewright` whose kernels are the ones to compare with.
"""

from __future__ import annotations

import pathlib

import families

CORPUS = pathlib.Path(__file__).with_name("corpus")


def main() -> None:
    CORPUS.mkdir(exist_ok=True)
    for old in CORPUS.glob("*.py"):
        old.unlink()
    for family in families.FAMILIES:
        (CORPUS / f"{family.__name__}.py").write_text(family().text())


if __name__ == "__main__":
    main()
