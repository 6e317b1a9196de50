#!/bin/sh
# Compiles a small model with the command line, builds the program of examples/runtime_only, which links nothing but the
# runtime, and runs the model with it. Fails if the result is wrong, if the program contains or needs more than it may,
# or if program and model together reach 5 MB.
set -eu
cd "$(dirname "$0")/.."

die() { printf 'error: %s\n' "$*" >&2; exit 1; }

LIMIT=5000000
build=target/runtime-only
manifest=examples/runtime_only/Cargo.toml
model=$build/kernels.twx
mkdir -p "$build"

cargo run -q --profile suite -p tilewright-cli -- compile crates/tilewright-vm-program/tests/corpus/kernels.py -o "$model"
cargo build -q --release --locked --manifest-path "$manifest" --target-dir "$build"
program=$build/release/runtime-only

crates=$(cargo tree --locked --manifest-path "$manifest" -e normal --prefix none | cut -d' ' -f1 | sort -u)
for crate in $(echo "$crates" | grep '^tilewright-'); do
    case $crate in
    tilewright-runtime | tilewright-vm-program | tilewright-tensor | tilewright-support) ;;
    *) die "the program links $crate" ;;
    esac
done
for library in $(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p'); do
    case $library in
    libc.so* | libm.so* | libgcc_s.so* | ld-linux*) ;;
    *) die "the program needs $library" ;;
    esac
done

# Four ones: what the model's weight makes of them, worked out by hand.
printf '\000\000\200\077\000\000\200\077\000\000\200\077\000\000\200\077' >"$build/input.bin"
result=$("$program" "$model" main "$build/input.bin" | tail -1)
[ "$result" = "[0.0, 0.0, 0.5, 0.0]" ] || die "the model gives $result"

sizes=$(stat -c %s "$program" "$model" | tr '\n' ' ')
# The two numbers are split on purpose.
# shellcheck disable=SC2086
set -- $sizes
echo "program $1 bytes, model $2 bytes, crates: $(echo "$crates" | wc -l)"
[ $(($1 + $2)) -lt "$LIMIT" ] || die "program and model take $(($1 + $2)) bytes"
