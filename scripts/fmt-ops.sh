#!/bin/sh
# Formats the files of operators, which `cargo fmt` does not see: their families declare them through a macro.
# Arguments go to rustfmt (`--check`).
set -eu
cd "$(dirname "$0")/.."
exec rustfmt --edition 2024 "$@" crates/tilewright-ops/src/*/[!m]*.rs crates/tilewright-ops/src/*/m[!o]*.rs
