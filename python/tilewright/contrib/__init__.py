"""Tools around the compiler: temporary folders, compilers of C, archives, results that are kept."""

from . import cc, clang, ndk, nvcc, pickle_memoize, tar, tvmjs, utils

__all__ = ["cc", "clang", "ndk", "nvcc", "pickle_memoize", "tar", "tvmjs", "utils"]
