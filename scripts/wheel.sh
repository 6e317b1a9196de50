#!/bin/sh
# Builds the wheel into dist/: LLVM linked statically with its symbols hidden, so that the library needs only the C and
# C++ runtimes and lives beside other libraries that carry an LLVM of their own. Says what it needs at run time.
set -eu
cd "$(dirname "$0")/.."

# The linker takes the first library it finds under a name: a folder with the static ones alone, before the system's.
static=target/static-libs
mkdir -p "$static"
for name in z zstd xml2 ffi; do
    archive=$(${CC:-cc} -print-file-name="lib$name.a")
    [ -e "$archive" ] || { echo "error: lib$name.a is missing" >&2; exit 1; }
    ln -sf "$archive" "$static/lib$name.a"
done

RUSTFLAGS="-L native=$PWD/$static -C link-arg=-Wl,--exclude-libs,ALL -C link-arg=-Wl,--as-needed ${RUSTFLAGS:-}" \
    .venv/bin/maturin build --release --out dist --no-default-features --features llvm-static --target-dir target/wheel \
    --compatibility linux --interpreter .venv/bin/python

wheel=$(ls -t dist/*.whl | head -1)
.venv/bin/python - "$wheel" <<'PY'
import io, subprocess, sys, tempfile, zipfile

with zipfile.ZipFile(sys.argv[1]) as wheel, tempfile.TemporaryDirectory() as folder:
    name = next(n for n in wheel.namelist() if n.endswith(".so"))
    path = wheel.extract(name, folder)
    dynamic = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
needed = [line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "(NEEDED)" in line]
allowed = ("libc.so", "libm.so", "libdl.so", "librt.so", "libpthread.so", "libstdc++.so", "libgcc_s.so", "ld-linux")
extra = [name for name in needed if not name.startswith(allowed)]
print(f"{sys.argv[1]}: the core needs {', '.join(needed)}")
if extra:
    sys.exit(f"error: the wheel may need the C and C++ runtimes only, not {', '.join(extra)}")
PY
