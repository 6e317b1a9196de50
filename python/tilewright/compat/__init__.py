"""Running programs that `import tvm`, unchanged.

`python -m tilewright.compat SCRIPT.py ARGUMENTS…` runs a script in which `tvm` means this package. In a program of
one's own, `import tilewright.compat.tvm` before the first `import tvm` does the same.

`tvm.x.y` is the very module object `tilewright.x.y`, so a class is the same by either path. It takes precedence over an
installed apache-tvm, and says so once on standard error.
"""

from .finder import install

__all__ = ["install"]
