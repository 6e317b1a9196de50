"""The command line: `tilewright …` and `python -m tilewright …` are the same program."""

import sys

from . import _core


def main() -> int:
    """Runs the command line with this process's arguments; the result is its exit status."""
    if len(sys.argv) > 1 and sys.argv[1] in ("chat", "generate", "embed", "llm"):
        from .llm.commands import main as of_language_models

        return of_language_models(sys.argv[1:])
    return _core.command_line(["tilewright", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
