#!/bin/sh
# Builds the wheel into dist/: LLVM linked statically with its symbols hidden, so that the library needs only the C and
# C++ runtimes and lives beside other libraries that carry an LLVM of their own. Then checks that it is so: what it
# needs, what it exports, and that it compiles and runs a module when it is imported before PyTorch, after it, and where
# there is none. Prints its size. TORCH=0 leaves out what needs PyTorch.
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
    .venv/bin/maturin build --release --out dist --no-default-features --features llvm-static,text --target-dir target/wheel \
    --compatibility linux --interpreter .venv/bin/python

wheel=$(ls -t dist/*.whl | head -1)
unpacked=target/wheel-check
rm -rf "$unpacked"
.venv/bin/python - "$wheel" "$unpacked" <<'PY'
import pathlib, subprocess, sys, zipfile

wheel, folder = map(pathlib.Path, sys.argv[1:])
with zipfile.ZipFile(wheel) as archive:
    archive.extractall(folder)
core = next(folder.rglob("_core*.so"))


def lines(*command):
    return subprocess.run([*command, core], capture_output=True, text=True, check=True).stdout.splitlines()


needed = [line.split("[")[1].rstrip("]") for line in lines("readelf", "-d") if "(NEEDED)" in line]
allowed = ("libc.so", "libm.so", "libdl.so", "librt.so", "libpthread.so", "libstdc++.so", "libgcc_s.so", "ld-linux")
extra = [name for name in needed if not name.startswith(allowed)]
exported = [line.split()[-1] for line in lines("nm", "-D", "--defined-only") if line]
llvm = [name for name in exported if "LLVM" in name or "llvm" in name]
mib = 1 << 20
print(f"{wheel}: {wheel.stat().st_size / mib:.1f} MiB, its core {core.stat().st_size / mib:.1f} MiB")
print(f"the core needs {', '.join(needed)}; it exports {len(exported)} symbols")
if extra:
    sys.exit(f"error: the wheel may need the C and C++ runtimes only, not {', '.join(extra)}")
if llvm:
    sys.exit(f"error: the wheel exports symbols of its LLVM, such as {llvm[0]}")
PY

# check NAME IMPORTS: runs a module compiled by the wheel, after these imports.
check() {
    # The cache stays out of it: LLVM has to work in this very process.
    TILEWRIGHT_CACHE_DIR="" PYTHONPATH="$PWD/$unpacked" .venv/bin/python - "$PWD/$unpacked" "$2" <<'PY'
import sys

folder, imports = sys.argv[1:]
for name in imports.split():
    __import__(name)

import numpy as np
import tilewright
from tilewright import relax
from tilewright.script import from_source

assert tilewright.__file__.startswith(folder), tilewright.__file__
module = from_source(
    """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 2), "float32")):
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.nn.relu(y)
            R.output(z)
        return z
"""
)
machine = relax.VirtualMachine(relax.build(module, target="llvm"), tilewright.cpu())
x = np.array([[-1, 0, 1], [2, -2, 3]], "float32")
w = np.arange(6, dtype="float32").reshape(3, 2)
found = machine["main"](x, w).numpy()
assert (found == np.maximum(x @ w, 0)).all(), found
if "torch" in sys.modules:
    import torch

    a = torch.arange(9.0).reshape(3, 3)
    assert torch.equal(torch.compile(lambda a: a @ a + 1, backend="eager")(a), a @ a + 1)
PY
    echo "works $1"
}

check "without PyTorch" ""
if [ "${TORCH:-1}" = 0 ]; then
    echo "SKIPPED: beside PyTorch (TORCH=0)"
else
    check "imported before PyTorch" "tilewright torch"
    check "imported after PyTorch" "torch tilewright"
fi
