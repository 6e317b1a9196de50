#!/usr/bin/env python3
"""Writes the table of language models: docs/architectures.md, from `tilewright.llm.model.ARCHITECTURES`.

scripts/llm_architectures.py          writes the page
scripts/llm_architectures.py --check  says whether it is up to date; writes nothing
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
PAGE = ROOT / "docs" / "architectures.md"
HEAD = """# Architectures of language models

<!-- Written by scripts/llm_architectures.py -->

What `tilewright.llm.open_model` opens. The logits of each, from a small model with random weights, are those of
`transformers` in the tests; [Model architectures](book/model-architectures.md) says how one is added.

| architecture | models | `model_type` of config.json | `general.architecture` of GGUF | MLC LLM | remarks |
|---|---|---|---|---|---|
"""


def page() -> str:
    """The text of the page."""
    from tilewright.llm import ARCHITECTURES

    def code(names: tuple[str, ...]) -> str:
        return ", ".join(f"`{name}`" for name in names)

    rows = (
        f"| {own.name} | {own.title} | {code(own.model_types)} | {code(own.gguf)} | {'yes' if own.mlc else ''} | "
        f"{own.remarks} |\n"
        for own in ARCHITECTURES
    )
    return HEAD + "".join(rows)


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text() != page():
            sys.exit(f"{PAGE.relative_to(ROOT)} is not up to date: run scripts/llm_architectures.py")
    else:
        PAGE.write_text(page())
