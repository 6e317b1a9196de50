"""The graph operators of `ccl`.

Made by `scripts/stubs.py`.
"""
