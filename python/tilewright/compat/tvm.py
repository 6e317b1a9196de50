"""Importing this makes `import tvm` mean this package from here on."""

from .finder import install

install()
