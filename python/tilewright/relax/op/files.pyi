"""The modules in which TVM keeps its graph operators: `relax.op.binary`, `relax.op.nn.nn` and their like.

Made by `scripts/stubs.py`.
"""
