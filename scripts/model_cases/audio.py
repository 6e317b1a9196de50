"""Language models of transformers."""

CASES: list = []
