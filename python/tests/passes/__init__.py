"""Passes written in Python by `docs/passes.md` alone."""
