"""Tilewright beside ONNX Runtime and OpenVINO on the same ONNX files: `python -m peers.files FOLDER`.

Each `NAME.onnx` of the folder has a `NAME.npz` beside it: `input-0`, `input-1`, … in the order of the file's inputs,
and `output-0`, … with what it gives. `scripts/models.py --files FOLDER` writes such pairs, `python -m
peers.package_files FOLDER` those of installed packages, with random inputs and ONNX Runtime's results.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

from . import bench, table
from .fleet import ROOT, Fleet
from .row import FileRow

#: The backend that runs a file, whose times are told as ours.
SESSION = "session"
PEERS = ("onnxruntime", "openvino")


def main() -> None:
    parser = argparse.ArgumentParser(prog="peers.files", description="Tilewright against others on ONNX files.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[], help="parts of names of files")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--turn", type=float, default=0.2, help="seconds that a library is timed for in a round")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds that loading or a turn may take")
    given = parser.parse_args()
    paths = [path for path in sorted(given.folder.glob("*.onnx")) if path.with_suffix(".npz").exists()]
    paths = [path for path in paths if not given.only or any(part in path.stem for part in given.only)]
    if not paths:
        sys.exit(f"{given.folder} has no ONNX file with arguments beside it")
    scratch = ROOT / "target" / "bench-peers"
    scratch.mkdir(parents=True, exist_ok=True)
    options = bench.Options(PEERS, given.rounds, given.turn, given.limit, keep=False)
    fleet, results = Fleet(scratch), []
    print(f"{'file':34}{'thr':>4}" + "".join(f"{table.SHORT[name]:>11}" for name in (bench.OURS, *PEERS)) + "  of best")
    try:
        for path in paths:
            row = FileRow(str(path), "", ())
            for threads in given.threads:
                results.append(measured(fleet, row, threads, options))
                print("\n".join([line(results[-1], row), *table.failures(results[-1])]), flush=True)
    except KeyboardInterrupt:
        print("interrupted")
    finally:
        fleet.end()
    print("\n" + "\n".join(table.summary(results)))


def measured(fleet: Fleet, row: FileRow, threads: int, options: bench.Options) -> bench.Result:
    """The times of all three, in turns, after each has given the results of the file."""
    result, single = bench.Result(row.name, threads, "files"), {}
    with tempfile.TemporaryDirectory() as folder:
        for at, value in enumerate(row.results()):
            np.save(Path(folder) / f"expected-{at:03}.npy", value)
        for library in (SESSION, *options.peers):
            request = {"do": "load", "row": row.name, "folder": folder, "check": True}
            answer = fleet.process(library, threads).ask(options.limit, **request)
            if "failed" in answer:
                result.failed[library] = answer["failed"]
            else:
                single[library] = answer["single"]
        bench.take_turns(fleet, result, single, options)
        for library in single:
            fleet.process(library, threads).ask(options.limit, do="unload")
    for told in (result.turns, result.least, result.failed):
        if SESSION in told:
            told[bench.OURS] = told.pop(SESSION)
    return result


def line(result: bench.Result, row: FileRow) -> str:
    times = "".join(f"{table.duration(result.time(name)):>11}" for name in (bench.OURS, *PEERS))
    of_best = table.number(table.against(result, result.best_peer()), ".2f")
    return f"{row.path.stem:34}{result.threads:>4}{times}{of_best:>9}"


if __name__ == "__main__":
    main()
