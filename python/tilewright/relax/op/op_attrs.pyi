"""The graph operators of `op_attrs`.

Made by `scripts/stubs.py`.
"""
