"""The reference interpreter as a process: modules and arrays in, arrays out."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import tilewright as tw

from .values import from_bytes, to_bytes

ROOT = Path(__file__).resolve().parents[3]
CARGO = ["cargo", "run", "-q", "-p", "tilewright-filetests", "--bin", "interpret"]
#: The environment may name a binary that is there already.
BUILT = "TILEWRIGHT_INTERPRET"


@dataclass
class Answer:
    """What the interpreter says of a module's calls."""

    #: How closely compiled code agrees: `exact`, `function` or `formula` (crates/tilewright-filetests/src/requests.rs).
    agreement: str
    #: For each call the arrays of its result with their element types, or the interpreter's error.
    results: list[list[tuple[np.ndarray, str]] | str]


class Interpreter:
    """A process of the interpreter, built where it is not there yet."""

    def __init__(self) -> None:
        command = [os.environ[BUILT]] if BUILT in os.environ else CARGO
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()

    def run(self, module: tw.IRModule, calls: list[tuple[str, list[tuple[np.ndarray, str]]]]) -> Answer:
        """Calls functions of the module by name, with arrays and their element types."""
        sent = [{"function": name, "args": [encoded(*arg) for arg in args]} for name, args in calls]
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"module": tw.ir.save_json(module), "calls": sent}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the interpreter ended"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return Answer(answer["agreement"], [decoded(result) for result in answer["results"]])


def encoded(array: np.ndarray, dtype: str) -> dict:
    """An array as the interpreter reads it."""
    data = base64.b64encode(to_bytes(array, dtype)).decode()
    return {"dtype": dtype, "shape": list(array.shape), "data": data}


def decoded(result: dict) -> list[tuple[np.ndarray, str]] | str:
    """A result as the interpreter writes it."""
    if "error" in result:
        return result["error"]
    tensors = [(base64.b64decode(t["data"]), t["dtype"], t["shape"]) for t in result["tensors"]]
    return [(from_bytes(data, dtype, shape), dtype) for data, dtype, shape in tensors]
