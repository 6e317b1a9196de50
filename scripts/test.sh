#!/bin/sh
# Runs every group of tests, goes on after a failing group, and ends with what took the time, and what passed, failed and
# did not run.
# TORCH=0 leaves out the tests that compare with PyTorch and names them.
set -u
cd "$(dirname "$0")/.."

LOG=target/test-logs
mkdir -p "$LOG"
rm -f "$LOG"/groups.tsv "$LOG"/cargo.log "$LOG"/pytest.xml
passed="" failed="" skipped="" number=0
BEGIN=$(date +%s)

# group NAME COMMAND...: runs a command, shows it as it goes, and remembers how it ended.
group() {
    name=$1
    shift
    number=$((number + 1))
    log="$LOG/$number.log"
    started=$(date +%s)
    printf '\n\033[1m==> %d. %s\033[0m\n' "$number" "$name"
    status="$LOG/status"
    { "$@" 2>&1; echo $? >"$status"; } | tee "$log"
    spent=$(($(date +%s) - started))
    printf '%s\t%s\n' "$spent" "$name" >>"$LOG/groups.tsv"
    if [ "$(cat "$status")" = 0 ]; then
        passed="$passed
  ok      $name ($spent s)"
    else
        failed="$failed
  FAILED  $name ($spent s; the output is in $log)"
    fi
}

skip() { skipped="$skipped
  skipped $1: $2"; }

tests_of_workspace() {
    # The extension is a library for Python to load; it is tested from Python below.
    # The table of times needs the names of the binaries, which `--quiet` would leave out. Tests that passed are not shown.
    {
        cargo test --profile suite --no-fail-fast --workspace --exclude tilewright-py 2>&1
        echo $? >"$LOG/cargo.status"
    } | grep -avE '^test .* [.]{3} ok$|^ +Compiling |^$|^running [0-9]+ tests?$'
    return "$(cat "$LOG/cargo.status")"
}

# Tests mostly compile, each on a core of its own; a process that compares with PyTorch takes about 1 GB.
pytest() {
    .venv/bin/python -m pytest -n auto --maxprocesses 4 --dist worksteal --junitxml "$LOG/pytest.xml" "$@"
}

group "Python style (ruff)" sh -c '.venv/bin/ruff check -q python examples benches &&
    .venv/bin/ruff format -q --check python examples'
if cargo fmt --version >/dev/null 2>&1; then
    group "format (cargo fmt)" sh -c "cargo fmt --all --check && scripts/fmt-ops.sh --check"
else
    skip "format (cargo fmt)" "rustfmt is not installed"
fi
if cargo clippy --version >/dev/null 2>&1; then
    group "lints (cargo clippy)" cargo clippy -q --profile suite --workspace --all-targets -- -D warnings
else
    skip "lints (cargo clippy)" "clippy is not installed"
fi
group "rules of the house (cargo xtask tidy)" cargo run -q --profile suite -p xtask -- tidy
group "Rust tests (cargo test)" tests_of_workspace
cp "$log" "$LOG/cargo.log"
group "a program of the runtime alone" scripts/runtime_only.sh
group "the package builds (maturin)" scripts/setup.sh extension suite
if [ "${TORCH:-1}" = 0 ]; then
    group "Python tests without PyTorch (pytest)" pytest -m "not torch" -rs
    left_out=$(.venv/bin/python -m pytest -m torch --collect-only -q 2>/dev/null | grep '::' | sed 's/^/            /')
    skip "Python tests that need PyTorch" "TORCH=0; these did not run:
$left_out"
else
    group "Python tests (pytest)" pytest -rs
fi

# Tests that report themselves as skipped, with their reasons; those of one reason are counted.
reported=$(cat "$LOG"/[0-9]*.log | grep -aE '^SKIPPED|^test .*[.]{3} ignored|^test result: .* [1-9][0-9]* ignored' |
    sed -E 's/^test (\[[^]]*\]).* ([a-z]+\([0-9]+\)) +[.]{3} ignored/runs on \2 \1/; /^test result/d' |
    sort | uniq -c | sed 's/^ */  /')

printf '\n\033[1m==> what takes the time\033[0m\n'
.venv/bin/python scripts/slowest.py "$LOG"

printf '\n\033[1m==> summary, after %d s\033[0m%s%s%s\n' "$(($(date +%s) - BEGIN))" "$passed" "$skipped" "$failed"
[ -z "$reported" ] || printf 'tests that did not run:\n%s\n' "$reported"
if [ -n "$failed" ]; then
    printf '\nNot all is well: see the groups marked FAILED.\n'
    exit 1
fi
if [ -n "$skipped$reported" ]; then
    printf '\nEverything that ran passed; what did not run is named above.\n'
else
    printf '\nEverything ran and passed.\n'
fi
