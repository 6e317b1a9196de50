"""The graph operators of `distributed`.

Made by `scripts/stubs.py`.
"""
