#!/bin/sh
# Formats the files of operators and of graph passes, which `cargo fmt` does not see: they are declared through macros.
# Arguments go to rustfmt (`--check`).
set -eu
cd "$(dirname "$0")/.."
exec rustfmt --edition 2024 "$@" crates/tilewright-ops/src/*/[!m]*.rs crates/tilewright-ops/src/*/m[!o]*.rs \
    crates/tilewright-relax-passes/src/*/mod.rs
