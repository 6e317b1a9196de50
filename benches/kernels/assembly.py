"""The kernels in an assembly file, each as text in which no symbol has a name.

`tilewright compile --emit asm` writes all kernels of a module into one file: entries, the functions of their parallel
parts, tables and constants. A *blob* is what stands behind one label that is no label of a basic block, up to the next.
The text of a kernel is its entry's blob and those that it mentions, each where it is first mentioned; a label is the
number of its first mention. So the text is that of machine code and data, whatever symbols are called, in whichever
order functions stand, and whichever other kernels the file has. What no file defines, such as `memcpy`, keeps its name.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re

ENTRY = "tilewright.kernel."
LABEL = re.compile(r"^([.\w$]+):$")
WORD = re.compile(r"(?<![%\w.$])[.A-Za-z_][\w.$]*")
# Directives that say what a symbol is, and how long, but not what stands there.
SILENT = (".type", ".size", ".globl", ".hidden", ".local", ".file", ".ident", ".addrsig", ".cfi_", ".loc")
SECTIONS = (".text", ".data", ".bss", ".section")
BLOCK = ".LBB"


@dataclasses.dataclass
class Blob:
    """A function or a constant: its section and alignment, and its lines."""

    head: list[str]
    lines: list[str] = dataclasses.field(default_factory=list)
    # The label of the next blob, where this one's has no lines of its own.
    next: str | None = None


class File:
    """An assembly file."""

    def __init__(self, text: str):
        self.blobs: dict[str, Blob] = {}
        # The blob in which each label stands.
        self.owner: dict[str, str] = {}
        self.entries: list[str] = []
        self.section = ".text"
        # An alignment stands before the label or the line that it is for.
        self.align: list[str] = []
        self.current: str | None = None
        for line in map(str.strip, text.splitlines()):
            self.read(line)

    def read(self, line: str) -> None:
        label = LABEL.match(line)
        if label and not label[1].startswith(".Lfunc_end"):
            self.read_label(label[1])
        elif label:
            self.current = None
        elif line.startswith(SECTIONS):
            self.section, self.align, self.current = line, [], None
        elif line.startswith(".p2align"):
            self.align = [line]
        elif line and not line.startswith(SILENT):
            self.put(line)

    def read_label(self, label: str) -> None:
        if label.startswith(BLOCK) and self.current:
            self.owner[label] = self.current
            self.put(f"{label}:")
            return
        if self.current and not self.blobs[self.current].lines:
            self.blobs[self.current].next = label
        self.current = self.owner[label] = label
        self.blobs[label] = Blob([self.section, *self.align])
        self.align = []
        if label.startswith(ENTRY):
            self.entries.append(label)

    def put(self, line: str) -> None:
        if self.current is None:
            raise ValueError(f"a line of assembly belongs to no label: {line}")
        self.blobs[self.current].lines += [*self.align, line]
        self.align = []

    def kernels(self) -> dict[str, str]:
        """The text of each kernel by its name, in the file's order."""
        return {entry.removeprefix(ENTRY): self.kernel(entry) for entry in self.entries}

    def kernel(self, entry: str) -> str:
        numbers: dict[str, str] = {}
        wanted, seen, text = [entry], {entry}, []

        def numbered(word: re.Match[str]) -> str:
            label = word[0]
            owner = self.owner.get(label)
            if owner is None:
                return label
            if owner not in seen:
                seen.add(owner)
                wanted.append(owner)
            return numbers.setdefault(label, f"@{len(numbers)}")

        while wanted:
            label = wanted.pop(0)
            blob = self.blobs[label]
            text += [*blob.head, WORD.sub(numbered, f"{label}:")]
            text += [f"\t{WORD.sub(numbered, line)}" for line in blob.lines]
            if blob.next:
                text.append("\tgoes on as " + WORD.sub(numbered, blob.next))
        return "\n".join(text) + "\n"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
