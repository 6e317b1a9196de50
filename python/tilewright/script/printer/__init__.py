"""Texts of Python from documents: trees of its syntax that programs build."""

from . import doc, doc_printer

__all__ = ["doc", "doc_printer"]
