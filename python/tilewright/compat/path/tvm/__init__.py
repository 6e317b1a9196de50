"""Found in processes that a program running under `tilewright.compat` starts: makes `tvm` mean Tilewright there too."""

import importlib
import sys

from tilewright.compat.finder import install

install()
del sys.modules["tvm"]
importlib.import_module("tvm")
