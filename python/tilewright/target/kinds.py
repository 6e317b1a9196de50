"""What targets can be named: kinds, with the limits of their devices, and other names of processors.

Code is made for processors of x86-64 and AArch64 under Linux alone. Other targets can be named, looked at and scheduled
for; building for one is an error that says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["FLAGS", "FOREIGN_TRIPLES", "KINDS", "OTHER_OPTIONS", "PROCESSORS", "Kind", "is_feature"]


@dataclass(frozen=True)
class Kind:
    """A kind of target: words for the sort of machine, DLPack's number of its device, and what its attributes are
    where nothing else is said."""

    keys: tuple[str, ...]
    device_type: int
    attrs: dict[str, Any] = field(default_factory=dict)

    @property
    def is_gpu(self) -> bool:
        """Whether its kernels are launched on blocks of threads."""
        return "gpu" in self.keys


def _gpu(name: str, device_type: int, **attrs: Any) -> Kind:
    return Kind((name, "gpu"), device_type, attrs)


#: The limits of a device that says nothing of itself: what every device of the kind has.
_CUDA = {"arch": "sm_50", "max_num_threads": 1024, "max_threads_per_block": 1024, "thread_warp_size": 32,
         "max_shared_memory_per_block": 48 << 10, "registers_per_block": 1 << 16}  # fmt: skip

KINDS = {
    "llvm": Kind(("cpu",), 1),
    "c": Kind(("cpu",), 1),
    "cuda": _gpu("cuda", 2, **_CUDA),
    "nvptx": Kind(("cuda", "gpu"), 2, {**_CUDA, "mcpu": "sm_50", "mtriple": "nvptx64-nvidia-cuda"}),
    "rocm": _gpu(
        "rocm", 10, mcpu="gfx900", mtriple="amdgcn-amd-amdhsa-hcc", max_num_threads=256, max_threads_per_block=256,
        thread_warp_size=64, max_shared_memory_per_block=64 << 10,
    ),
    "opencl": _gpu(
        "opencl", 4, max_num_threads=256, max_threads_per_block=256, thread_warp_size=1,
        max_shared_memory_per_block=16 << 10, texture_spatial_limit=16384, max_function_args=128,
    ),
    "metal": _gpu(
        "metal", 8, max_num_threads=256, max_threads_per_block=256, thread_warp_size=16,
        max_shared_memory_per_block=32 << 10, max_function_args=31,
    ),
    "vulkan": _gpu(
        "vulkan", 7, max_num_threads=256, max_threads_per_block=256, thread_warp_size=1, supports_float32=True,
        supports_int32=True,
    ),
    "webgpu": _gpu(
        "webgpu", 15, max_num_threads=256, max_threads_per_block=256, thread_warp_size=1,
        max_shared_memory_per_block=32 << 10,
    ),
    "hexagon": Kind(("hexagon", "cpu"), 16),
    "ext_dev": Kind(("ext_dev",), 12),
    "stackvm": Kind(("cpu",), 1),
    "hybrid": Kind(("hybrid",), 1),
    "composite": Kind((), 1),
    "sdaccel": Kind(("sdaccel", "hls"), 4),
    "aocl": Kind(("aocl", "hls"), 5),
    "aocl_sw_emu": Kind(("aocl", "hls"), 5),
    "test": Kind((), 1),
}  # fmt: skip

#: Options of processors that decide nothing here: they are kept with the target.
OTHER_OPTIONS = (
    "cl-opt", "executor", "fast-math", "fast-math-arcp", "fast-math-contract", "fast-math-ninf", "fast-math-nnan",
    "fast-math-nsz", "fast-math-reassoc", "from_device", "interface-api", "jit", "libs", "link-params", "mabi",
    "mfloat-abi", "model", "opt-level", "runtime", "supported_dtypes", "system-lib", "tag", "unpacked-api",
    "vector-width", "constants-byte-alignment", "workspace-byte-alignment", "march", "device", "host",
)  # fmt: skip

#: Options that are said without a value.
FLAGS = ("fast-math", "link-params", "system-lib", "unpacked-api", "skip-aten")

#: The beginnings of triples for which targets can be named and no code is made.
FOREIGN_TRIPLES = (
    "arm", "thumb", "riscv", "i386", "i686", "hexagon", "powerpc", "ppc", "mips", "wasm", "nvptx", "amdgcn", "x86_64",
    "aarch64", "arm64", "avr", "sparc", "loongarch",
)  # fmt: skip

#: LLVM's names of processors without a description of their own, with one whose instructions they have.
PROCESSORS = {
    "core2": "x86-64", "penryn": "x86-64", "nehalem": "x86-64-v2", "westmere": "x86-64-v2", "corei7": "x86-64-v2",
    "sandybridge": "x86-64-v2", "ivybridge": "x86-64-v2", "corei7-avx": "x86-64-v2", "core-avx-i": "x86-64-v2",
    "core-avx2": "haswell", "cannonlake": "skylake-avx512", "icelake-client": "skylake-avx512",
    "rocketlake": "skylake-avx512", "tigerlake": "skylake-avx512", "raptorlake": "alderlake",
    "meteorlake": "alderlake", "emeraldrapids": "sapphirerapids", "graniterapids": "sapphirerapids",
    "knl": "x86-64", "btver2": "x86-64-v2", "k8": "x86-64",
    "cortex-a35": "generic", "cortex-a53": "generic", "cortex-a55": "generic", "cortex-a57": "generic",
    "cortex-a73": "generic", "cortex-a75": "generic", "cortex-a77": "cortex-a76", "cortex-a78": "cortex-a76",
    "cortex-x1": "cortex-a76", "cyclone": "generic", "apple-a14": "apple-m1", "apple-latest": "apple-m1",
    "apple-m3": "apple-m2", "thunderx": "generic", "thunderx2t99": "generic", "a64fx": "generic",
    "neoverse-e1": "cortex-a76", "neoverse-n3": "neoverse-n2", "neoverse-v3": "neoverse-v2", "grace": "neoverse-v2",
}  # fmt: skip

#: Features that LLVM knows of some processor, besides those of the processors that are described.
_NAMES = """neon sve sve2 sme sme2 dotprod fullfp16 bf16 i8mm fp16fml lse crc crypto aes sha2 sha3 sm4 rcpc ras rdm
    fp-armv8 thumb2 thumb-mode vfp2 vfp3 vfp4 vfp4d16sp mve mve.fp dsp soft-float hard-float noarm d32 fp16 fp64 f16mm
    f32mm f64mm sve2-aes sve-aes perfmon ssbs mte pauth predres reserve-x18 outline-atomics
    avx512bitalg avx512vbmi avx512vbmi2 avx512vpopcntdq avx512ifma avx512vp2intersect avx512fp16 avx512er avx512pf
    avxvnniint8 avxifma avxneconvert gfni vaes vpclmulqdq amx-tile amx-int8 amx-bf16 amx-fp16 adx aes pclmul sha popcnt
    lzcnt bmi bmi2 movbe rdrnd rdseed xsave xsavec xsaves fsgsbase f16c sse4a xop fma4 tbm 3dnow mmx x87 cx8 cx16 sahf
    m a f d c v zfh zvfh zba zbb zbs e relax hvx hvxv68 hvx-length128b hvx-qfloat"""
_FEATURES = frozenset(_NAMES.split())


def is_feature(name: str) -> bool:
    """Whether LLVM has a feature of this name for some processor: also levels of an architecture such as `v8.2a`."""
    level = name.startswith(("v8", "v9", "avx10.")) and name.strip("avx1234567890.") == ""
    return level or name in _FEATURES
