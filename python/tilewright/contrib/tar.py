"""Archives of objects."""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from pathlib import Path

__all__ = ["tar", "untar"]


def tar(output: str, files: str | Sequence[str]) -> None:
    """Puts files into an archive; those of equal names get different ones."""
    listed = [files] if isinstance(files, str) else list(files)
    taken: set[str] = set()
    with tarfile.open(output, "w") as archive:
        for path in listed:
            name, number = Path(path).name, 0
            while name in taken:
                number += 1
                name = f"{Path(path).stem}_{number}{Path(path).suffix}"
            taken.add(name)
            archive.add(path, name)


tar.output_format = "tar"


def untar(tar_file: str, directory: str) -> None:
    """Unpacks an archive into a folder; members that would leave it are refused."""
    with tarfile.open(tar_file) as archive:
        archive.extractall(directory, filter="data")
