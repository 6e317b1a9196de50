"""Work in another process: compiling and running what may crash or never end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from ..error import TVMError

__all__ = ["ask", "environment", "worker"]


def environment() -> dict[str, str]:
    """The variables of a process that finds this package."""
    home = str(Path(__file__).parents[2])
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return {"PYTHONPATH": os.pathsep.join([home, *filter(None, inherited)])}


def worker(limit: float) -> tuple[list[str], list[tuple[str, str]], float]:
    """The command of the measuring process, its variables, and the seconds that it has for a candidate."""
    return [sys.executable, "-m", "tilewright", "tune-worker"], list(environment().items()), limit


def ask(work: str, request: dict[str, Any], limit: float) -> Any:
    """What another process makes of a request within a time limit; an error if it makes nothing."""
    command = [sys.executable, "-m", __name__, work]
    try:
        run = subprocess.run(
            command,
            input=json.dumps(request),
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
            env={**os.environ, **environment()},
        )
    except subprocess.TimeoutExpired:
        raise TVMError(f"it took longer than {limit:g} s") from None
    answer = run.stdout.rpartition("\n\0")[2]
    if run.returncode != 0 or not answer:
        lines = run.stderr.strip().splitlines()
        raise TVMError(lines[-1] if lines else f"the process ended with status {run.returncode}")
    return json.loads(answer)


def _build(request: dict[str, Any]) -> None:
    from ..driver import build
    from ..ir import load_json

    build(load_json(request["ir"]), request["target"]).export_library(request["path"])


def _run(request: dict[str, Any]) -> list[float]:
    import numpy as np

    from ..runtime import load_module
    from ..runtime.device import device
    from ..runtime.ndarray import array

    executable = load_module(request["path"])
    names = executable.function_names()
    name = "main" if "main" in names else names[0]
    random = np.random.default_rng(0)
    args = []
    for _, dtype, shape in request["args"]:
        made = random.uniform(-1, 1, shape) if "float" in dtype else random.integers(0, 10, shape)
        args.append(array(made.astype("float32" if dtype == "bfloat16" else dtype)))
    timer = executable.time_evaluator(
        name,
        device("cpu"),
        number=request["number"],
        repeat=request["repeat"],
        min_repeat_ms=request["min_repeat_ms"],
    )
    return list(timer(*args).results)


if __name__ == "__main__":
    done = {"build": _build, "run": _run}[sys.argv[1]](json.load(sys.stdin))
    # A kernel may print as well.
    sys.stdout.write("\n\0" + json.dumps(done))
