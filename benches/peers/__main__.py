"""The command line of `make bench-peers`."""

from __future__ import annotations

import argparse
import fnmatch
import json
import sys

from . import bench, table
from .fleet import PEERS, ROOT, Fleet
from .row import Row
from .rows import CLASSIFIER, FURTHER, ROWS, row_of


def main() -> None:
    parser = argparse.ArgumentParser(prog="peers", description="Tilewright against other compilers and libraries.")
    parser.add_argument("--rows", default="", help="patterns such as 'matmul-*,softmax-16MB', or parts of names")
    parser.add_argument("--threads", type=_counts, default="1,2")
    parser.add_argument("--rounds", type=_at_least_1, default=7)
    parser.add_argument("--peers", type=_peers, default=",".join(PEERS), help="parts of names; '' is none")
    parser.add_argument("--turn", type=float, default=0.2, help="seconds that a library is timed for in a round")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds that loading or a turn may take")
    parser.add_argument("--by", choices=("median", "least"), default="median", help="on a noisy machine, the least")
    parser.add_argument("--keep", action="store_true", help="leave the files of the rows, for `tilewright profile`")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    given = parser.parse_args()
    chosen = choose(given.rows.split(",")) if given.rows else [*ROWS.values()]
    if given.list:
        print("\n".join(row.name for row in chosen))
        return
    peers = given.peers
    options = bench.Options(peers, given.rounds, given.turn, given.limit, given.keep, given.by)
    scratch = ROOT / "target" / "bench-peers"
    scratch.mkdir(parents=True, exist_ok=True)
    fleet, results = Fleet(scratch), []
    print(table.head(peers), flush=True)
    try:
        for row in chosen:
            for result in bench.measure(fleet, row, given.threads, options):
                results.append(result)
                lines = [table.line(result, row, peers), *table.extras(result), *table.failures(result)]
                print("\n".join(lines), flush=True)
    except KeyboardInterrupt:
        print("interrupted")
    finally:
        fleet.end()
        path = scratch / "results.json"
        path.write_text(json.dumps([result.as_json() for result in results], indent=1))
        print("\n" + "\n".join(table.summary(results)) + f"\nall figures: {path.relative_to(ROOT)}")


def _at_least_1(text: str) -> int:
    """A number that a user has written."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1 on, found `{text}`")
    return int(text)


def _counts(text: str) -> list[int]:
    return [_at_least_1(one.strip()) for one in text.split(",")]


def _peers(text: str) -> tuple[str, ...]:
    """The peers that have one of these parts in their names; each part is in one at least."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    for part in parts:
        if not any(part in name for name in PEERS):
            raise argparse.ArgumentTypeError(f"no peer is called `{part}`, only {', '.join(PEERS)}")
    return tuple(name for name in PEERS if any(part in name for part in parts))


def choose(patterns: list[str]) -> list[Row]:
    """The rows that a pattern matches; a pattern without a star matches a part of the name, or is the name of a row."""
    parts = [pattern if "*" in pattern else f"*{pattern}*" for pattern in patterns if pattern]
    matched = [name for name in (*ROWS, *FURTHER) if any(fnmatch.fnmatch(name, part) for part in parts)]
    named = [pattern for pattern in patterns if CLASSIFIER.fullmatch(pattern)]
    chosen = [row_of(name) for name in dict.fromkeys((*matched, *named))]
    return chosen or sys.exit(f"no row is called {', '.join(parts)}; `--list` lists them")


if __name__ == "__main__":
    main()
