#!/usr/bin/env python3
"""Runs models of torchvision, of transformers and of our own through each importer, and writes the table of them.

scripts/models.py                    writes docs/models_run.md
scripts/models.py --only resnet50 …  runs these models and prints what does not agree; writes nothing
scripts/models.py --paths "ONNX, traced" …  runs these paths alone; writes nothing
scripts/models.py --files FOLDER     writes each model as a file of ONNX with arguments and results beside it
scripts/models.py --plant            plants an error of 1 % in a weight of each model that is imported: all must differ

A model is built from a small configuration, with weights drawn at random so that every layer matters. It is exported
(`torch.export`, and ONNX by both exporters of PyTorch), imported, compiled and run with two batches, with symbolic
sizes if the exporter takes them. Its results, and those of three modules inside it, are compared with PyTorch's. It
*agrees* if nothing is farther away than 1e-4 of the scale of its tensor, and *differs* if not; *refused* says which of
our steps has raised an error. The *exporter* is at fault where it fails, or where ONNX Runtime does not get PyTorch's
results from its file either. In a model that agrees, errors of 1 % in up to twelve of its weights are checked to be
seen by the same comparison, each in turn.

`make models` installs what it needs (scripts/requirements-models.txt) beside PyTorch, and runs it.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
PAGE = ROOT / "docs" / "models_run.md"
#: A model on one path has so many seconds, and so many bytes of memory.
SECONDS = 600
BYTES = 16 << 30
#: Colours of a terminal, and folders of packages.
PRINTED = re.compile(r"\x1b\[[0-9;]*m|\S*/site-packages/")
OUTCOMES = ("agrees", "differs", "refused", "exporter")


def worker(arguments: argparse.Namespace) -> None:
    """Runs one model on each path, and appends what comes of it to a file."""
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
    warnings.simplefilter("ignore")
    import torch
    from model_cases import cases
    from model_cases.paths import outcome

    torch.set_num_threads(1)
    [case] = [case for case in cases() if case.name == arguments.worker]
    results, done = arguments.results / "models.jsonl", known(arguments.results)
    for path in arguments.paths:
        record: dict[str, Any] = {"model": case.name, "path": path}
        if (case.name, path) in done:
            continue
        with results.open("a") as file:
            # What ends the process is told from this line, which a later one replaces.
            ended = {"outcome": "refused", "why": f"the process ended, or ran more than {SECONDS} s"}
            file.write(json.dumps({**record, **ended}) + "\n")
        # The signal's own action ends the process, also inside compiled code.
        signal.alarm(SECONDS)
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = outcome(case, path, Path(folder), arguments.plant)
            except Exception as error:
                found = {"outcome": "refused", "why": f"the case itself: {type(error).__name__}: {error}"[:1500]}
        signal.alarm(0)
        with results.open("a") as file:
            file.write(json.dumps({**record, **found}) + "\n")


def known(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The outcomes so far, by model and path."""
    path = folder / "models.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {(record["model"], record["path"]): record for record in records}


def main() -> None:
    """Runs each model in a process of its own, which may end."""
    from model_cases import cases
    from model_cases.paths import PATHS

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--paths", nargs="*", default=list(PATHS))
    parser.add_argument("--plant", action="store_true")
    parser.add_argument("--files", type=Path)
    parser.add_argument("--results", type=Path, help="keep the outcomes in this folder, and go on from there")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker is not None:
        worker(arguments)
        return
    names = [case.name for case in cases()]
    if arguments.files is not None:
        write_files(arguments.files, arguments.only)
        return
    if unknown := [name for name in arguments.only if name not in names]:
        raise SystemExit(f"no model {', '.join(unknown)}; there are {', '.join(names)}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.results or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, __file__, "--results", str(folder), "--paths", *arguments.paths]
        command += ["--plant"] if arguments.plant else []
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        for name in arguments.only or names:
            while any((name, path) not in known(folder) for path in arguments.paths):
                before = len(known(folder))
                # Exporters print whole graphs.
                with (folder / f"{name}.log").open("a") as log:
                    run = subprocess.run([*command, "--worker", name], env=environment, stdout=log, stderr=log)
                if run.returncode and len(known(folder)) == before:
                    print((folder / f"{name}.log").read_text()[-2000:], file=sys.stderr)
                    raise SystemExit(f"{name}: the process ends before it runs the model")
            for path in arguments.paths:
                print(line_of(known(folder)[name, path]), flush=True)
        records = [known(folder)[name, path] for name in arguments.only or names for path in arguments.paths]
    report(records, arguments, list(PATHS))


def write_files(folder: Path, only: list[str]) -> None:
    """A file of each model."""
    from model_cases import cases
    from model_cases.paths import write_file

    folder.mkdir(parents=True, exist_ok=True)
    for case in cases():
        if not only or case.name in only:
            print(write_file(case, folder), flush=True)


def line_of(record: dict[str, Any]) -> str:
    """An outcome for the terminal."""
    worst = " ".join(f"{one:.1e}" for one in record.get("worst", ()))
    seconds = " ".join(f"{name} {value:.1f}" for name, value in record.get("seconds", {}).items())
    words = [f"{record['outcome']:<8} {record['model']}, {record['path']}: {worst}", seconds, sizes_of(record)]
    unseen = [name for name, value in record.get("sight", {}).items() if value <= 1e-4]
    return " | ".join([*words, record["why"], *([f"not seen: {', '.join(unseen)}"] if unseen else [])])


def sizes_of(record: dict[str, Any]) -> str:
    """Which sizes are symbolic, or why none is."""
    if record.get("sizes"):
        return ", ".join(record["sizes"])
    return f"fixed ({record['symbolic']})" if record.get("symbolic") else "fixed"


def report(records: list[dict[str, Any]], arguments: argparse.Namespace, paths: list[str]) -> None:
    """Prints the counts, and writes the page."""
    if arguments.plant:
        missed = [record for record in records if record["outcome"] == "agrees"]
        print(f"of {len(records)} planted errors {len(missed)} are not seen")
        raise SystemExit(bool(missed))
    print(summary(records))
    if not arguments.only and arguments.paths == paths:
        PAGE.write_text(page(records))


def summary(records: list[dict[str, Any]]) -> str:
    """The counts in a sentence."""
    counts = collections.Counter(record["outcome"] for record in records)
    by_model: dict[str, set[str]] = collections.defaultdict(set)
    for record in records:
        by_model[record["model"]].add(record["outcome"])
    whole = sum(outcomes <= {"agrees", "exporter"} and "agrees" in outcomes for outcomes in by_model.values())
    seen = [value > 1e-4 for record in records for value in record.get("sight", {}).values()]
    symbolic = sum(record["outcome"] == "agrees" and bool(record.get("sizes")) for record in records)
    told = ", ".join(f"{counts[one]} {word}" for one, word in zip(OUTCOMES, WORDS, strict=True))
    return (
        f"Of {len(records)} pairs of a model and a path {told}. {symbolic} of those that agree have symbolic sizes. "
        f"{whole} of {len(by_model)} models agree on each path that exports them. Of {len(seen)} planted errors "
        f"{sum(seen)} are seen."
    )


WORDS = ("agree", "differ", "are refused", "fail in the exporter")


def page(records: list[dict[str, Any]]) -> str:
    """The table of the models."""
    import torch
    import torchvision
    import transformers

    versions = [f"{one.__name__} {one.__version__.partition('+')[0]}" for one in (torch, torchvision, transformers)]
    lines = [
        "# Models that are run",
        "",
        f"Made by `scripts/models.py` with {', '.join(versions)}. Each model is built from a small",
        "configuration, its weights are drawn at random so that every layer matters, and it is run with two batches.",
        "The errors are the largest differences from PyTorch's results, as a part of the scale of each tensor: of the",
        "results, and of those of three modules inside. A model *agrees* if no error is above 1e-4. *exporter*:",
        "PyTorch's exporter fails, or ONNX Runtime does not get PyTorch's results from its file either. Seconds are",
        "those of one thread; run is one call of each batch. Sizes are those that are symbolic; fixed ones have an",
        "export for each batch.",
        "",
        summary(records),
        "",
        "| model | path | outcome | results | intermediates | sizes | import | compile | run | reason |",
        "|---|---|---|---|---|---|---|---|---|---|",
        *map(row, records),
    ]
    return "\n".join(lines) + "\n"


def row(record: dict[str, Any]) -> str:
    """A row of the table."""
    agrees = record["outcome"] == "agrees"
    worst = [f"{one:.1e}" for one in record.get("worst", ())] if agrees else ["", ""]
    seconds = [f"{record['seconds'][name]:.2f}" if agrees else "" for name in ("import", "compile", "run")]
    why = record["why"] or record.get("symbolic", "")
    why = PRINTED.sub("", why).replace("|", "\\|").replace("<", "&lt;")[:160]
    sizes = (", ".join(record.get("sizes", ())) or "fixed") if agrees else ""
    return f"| {' | '.join([record['model'], record['path'], record['outcome'], *worst, sizes, *seconds, why])} |"


if __name__ == "__main__":
    main()
