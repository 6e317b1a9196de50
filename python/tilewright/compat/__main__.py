"""`python -m tilewright.compat SCRIPT.py ARGUMENTS…`: runs a script in which `tvm` means this package.

The script runs as Python runs one: as `__main__`, with `sys.argv` and `sys.path[0]` its own, compiled with its real
path. Tracebacks begin at the script's own frames.
"""

from __future__ import annotations

import builtins
import io
import os
import sys
import traceback
from types import ModuleType

from .finder import install

USAGE = "usage: python -m tilewright.compat SCRIPT.py [ARGUMENTS ...]"


def run(path: str, arguments: list[str]) -> int:
    """Runs the script at `path`; the result is the exit status that Python would have given."""
    install()
    try:
        with io.open_code(os.path.abspath(path)) as file:
            code = compile(file.read(), path, "exec", dont_inherit=True)
    except OSError as error:
        print(f"{USAGE}\n{path}: {error.strerror}", file=sys.stderr)
        return 2
    except SyntaxError as error:
        traceback.print_exception(error.with_traceback(None))
        return 1
    main = ModuleType("__main__")
    main.__dict__.update(__file__=path, __builtins__=builtins)
    sys.modules["__main__"] = main
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    try:
        exec(code, main.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        own = error.__traceback__.tb_next if error.__traceback__ else None
        sys.excepthook(type(error), error.with_traceback(own), own)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(USAGE)
    sys.exit(run(sys.argv[1], sys.argv[2:]))
