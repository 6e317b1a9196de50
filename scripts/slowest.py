"""What takes the time of `make test`: a table of its groups, test binaries and files of pytest.

    scripts/slowest.py FOLDER

FOLDER has what `scripts/test.sh` left: `groups.tsv` with a line `SECONDS<tab>NAME` for each group, `cargo.log` with the
output of `cargo test`, `pytest.xml` with the report of pytest. What is missing is left out.
"""

from __future__ import annotations

import pathlib
import re
import sys
import xml.etree.ElementTree as xml

CRATES = pathlib.Path(__file__).resolve().parents[1] / "crates"
SLOWEST = 15
BINARY = re.compile(r"^ +Running (?:unittests )?(\S+) \((.*)\)$")
EXAMPLES = re.compile(r"^ +Doc-tests (\S+)$")
FINISHED = re.compile(r"^test result: .* finished in ([0-9.]+)s$")
CSI = re.compile(r"\x1b\[[0-9;]*m")


def binary(source: str, name: str) -> str:
    """Cargo gives the main file of an integration test without its crate, which is found by the file."""
    owners = [path.parts[-len(pathlib.Path(source).parts) - 1] for path in CRATES.glob(f"*/{source}")]
    return f"{source} ({' or '.join(sorted(owners)) if source.startswith('tests/') else name})"


def binaries(log: str) -> list[tuple[float, str]]:
    """The seconds that each test binary ran, and where its sources are; examples of a crate count as one."""
    found, name = [], None
    for line in map(str.rstrip, CSI.sub("", log).splitlines()):
        if match := BINARY.match(line):
            name = binary(match[1], pathlib.Path(match[2]).name.rpartition("-")[0])
        elif match := EXAMPLES.match(line):
            name = f"examples in the documentation ({match[1]})"
        elif (match := FINISHED.match(line)) and name:
            found.append((float(match[1]), name))
            name = None
    return found


def files(report: str) -> list[tuple[float, str]]:
    """The seconds that each file of pytest took, over all workers."""
    spent: dict[str, float] = {}
    for case in xml.fromstring(report).iter("testcase"):
        parts = case.get("classname", "").split(".")
        at = next((at for at, part in enumerate(parts, 1) if part.startswith("test_")), len(parts))
        file = "/".join(parts[:at]) + ".py"
        spent[file] = spent.get(file, 0) + float(case.get("time", 0))
    return [(seconds, file) for file, seconds in spent.items()]


def table(title: str, rows: list[tuple[float, str]]) -> str:
    """Seconds and names under a title."""
    lines = [f"{seconds:>9.1f} s  {name}" for seconds, name in rows]
    return "\n".join([f"{title}:", *lines])


def main(folder: pathlib.Path) -> None:
    """Prints the tables of what a folder has."""

    def read(name: str) -> str:
        path = folder / name
        return path.read_text(errors="replace") if path.exists() else ""

    split = (line.split("\t", 1) for line in read("groups.tsv").splitlines())
    groups = [(float(seconds), name) for seconds, name in split]
    ran = binaries(read("cargo.log"))
    print(table("seconds of each group", sorted(groups, reverse=True)))
    if ran:
        print(f"of the Rust tests {sum(seconds for seconds, _ in ran):.1f} s were running; the rest was compiling")
        print(table(f"the {SLOWEST} slowest test binaries", sorted(ran, reverse=True)[:SLOWEST]))
    if report := read("pytest.xml"):
        print(
            table(
                f"the {SLOWEST} slowest files of pytest, over all workers",
                sorted(files(report), reverse=True)[:SLOWEST],
            )
        )


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
