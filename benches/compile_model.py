"""Importing a network of torchvision, the pipelines, compiling: seconds and peak memory, against Apache TVM.

    python benches/compile_model.py [--model resnet50] [--peer PYTHON] [--rounds 3]

`PYTHON` is the interpreter of an environment with apache-tvm; it takes PyTorch from this one. Each round runs every
program in a process of its own, one after the other; the table has the shortest times. Memory is the peak that the
process had during the step, with what PyTorch and the network need (the line above). No kernel is kept on the disk, and
each of the two compilations is a process's first.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

COMPILED = ("compile", "compile what zero gives")
STEPS = ("import", "pipeline zero", *COMPILED)


def peak_megabytes() -> float:
    """The peak memory of the process since the last call of `forget_peak`."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def measure(package: str, model: str, compiled: str) -> None:
    """Runs the steps with a package up to one compilation, and prints what they took."""
    import torch
    import torchvision

    network = getattr(torchvision.models, model)(weights=None).eval()
    traced = torch.fx.symbolic_trace(network)
    if package == "tvm":
        from tvm import relax
        from tvm.relax.frontend.torch import from_fx
    else:
        from tilewright import relax
        from tilewright.relax.frontend.torch import from_fx
    found: dict[str, tuple[float, float]] = {"before": (0.0, peak_megabytes())}

    def step(name, run):
        forget_peak()
        start = time.perf_counter()
        result = run()
        found[name] = (time.perf_counter() - start, peak_megabytes())
        return result

    with torch.no_grad():
        module = step("import", lambda: from_fx(traced, [((1, 3, 224, 224), "float32")]))
    fused = step("pipeline zero", lambda: relax.get_pipeline("zero")(module))
    step(compiled, lambda: relax.build(module if compiled == "compile" else fused, "llvm"))
    print(json.dumps(found))


def run(python: str, package: str, model: str, compiled: str) -> dict[str, list[float]]:
    """One round of a package, up to one compilation, in a process of its own."""
    torch_home = subprocess.run(
        [sys.executable, "-c", "import pathlib, torch; print(pathlib.Path(torch.__file__).parent.parent)"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    environment = dict(os.environ) | {"TILEWRIGHT_CACHE_DIR": ""}
    if python != sys.executable:
        environment["PYTHONPATH"] = torch_home
    command = [python, __file__, "--measure", package, "--model", model, "--compiled", compiled]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        sys.exit(f"{package} fails:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="resnet50")
    parser.add_argument("--peer", help="the Python of an environment with apache-tvm")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--compiled", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, options.model, options.compiled)
        return
    programs = [(sys.executable, "tilewright")] + ([(options.peer, "tvm")] if options.peer else [])
    rounds = [
        {package: run(python, package, options.model, compiled) for python, package in programs}
        for _ in range(options.rounds)
        for compiled in COMPILED
    ]

    def least(package: str, step: str) -> tuple[float, float]:
        return tuple(min(one[package][step][at] for one in rounds if step in one[package]) for at in (0, 1))

    packages = [package for _, package in programs]
    print(f"{options.model}, the least of {options.rounds} rounds")
    for package in packages:
        print(f"{package}: {least(package, 'before')[1]:.0f} MB with PyTorch and the network")
    heads = "".join(f"{package + ' s':>16}{'MB':>8}" for package in packages)
    print(f"{'step':26}{heads}{'ratio':>8}" if options.peer else f"{'step':26}{heads}")
    for step in STEPS:
        cells = "".join(f"{least(package, step)[0]:16.3f}{least(package, step)[1]:8.0f}" for package in packages)
        ratio = f"{least('tilewright', step)[0] / least('tvm', step)[0]:8.2f}" if options.peer else ""
        print(f"{step:26}{cells}{ratio}")


if __name__ == "__main__":
    main()
