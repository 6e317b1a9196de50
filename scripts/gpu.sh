#!/bin/sh
# Asks a machine with an NVIDIA GPU whether kernels are right there, and how fast they are. PYTHON names the interpreter
# that has the package, NumPy and PyTorch (.venv's where not set). Ends with an error if anything is wrong.
#
#   scripts/gpu.sh           programs, operators, the sanitizer's look at the programs, speed
#   scripts/gpu.sh quick     programs and speed
set -eu
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-.venv/bin/python}

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }

wrong=0
command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
say "programs"
"$PYTHON" scripts/gpu.py programs || wrong=1
if [ "${1:-}" != quick ]; then
    say "operators"
    "$PYTHON" scripts/gpu.py ops || wrong=1
    if command -v compute-sanitizer >/dev/null 2>&1; then
        for tool in memcheck racecheck; do
            say "programs under compute-sanitizer, $tool"
            compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 5 "$PYTHON" scripts/gpu.py programs || wrong=1
        done
    fi
fi
say "speed"
"$PYTHON" scripts/gpu.py speed || wrong=1
exit "$wrong"
