"""Documents of Python code, and their text."""

from . import doc, doc_printer

__all__ = ["doc", "doc_printer"]
