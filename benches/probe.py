"""The limits of this machine, measured in the benchmark's own process by a small C program."""

import ctypes
import functools
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

SOURCE = pathlib.Path(__file__).with_name("probe.c")


@functools.cache
def library() -> ctypes.CDLL:
    """Builds and loads the probe; needs `cc`."""
    output = pathlib.Path(tempfile.mkdtemp()) / "probe.so"
    flags = ["-O3", "-march=native", "-ffp-contract=fast", "-ffast-math", "-shared", "-fPIC", "-pthread"]
    subprocess.run(["cc", *flags, str(SOURCE), "-o", str(output)], check=True)
    probe = ctypes.CDLL(str(output))
    probe.probe_fma.restype = ctypes.c_float
    probe.probe_fma.argtypes = [ctypes.c_long]
    probe.probe_fma_operations.restype = ctypes.c_double
    probe.probe_fma_operations.argtypes = [ctypes.c_long]
    probe.probe_fma_threads.restype = None
    probe.probe_fma_threads.argtypes = [ctypes.c_long, ctypes.c_int]
    array = np.ctypeslib.ndpointer(np.float32, flags="C_CONTIGUOUS")
    probe.probe_add.restype = None
    probe.probe_add.argtypes = [array, array, array, ctypes.c_long, ctypes.c_int, ctypes.c_int]
    probe.probe_traffic.restype = None
    probe.probe_traffic.argtypes = [array, array, ctypes.c_long, ctypes.c_int, ctypes.c_long, ctypes.c_int]
    probe.probe_bf16_threads.restype = None
    probe.probe_bf16_threads.argtypes = [ctypes.c_long, ctypes.c_int]
    probe.probe_bf16_operations.restype = ctypes.c_double
    probe.probe_bf16_operations.argtypes = [ctypes.c_long]
    return probe


def best_seconds(call, runs: int) -> float:
    """The shortest of several timed calls: on a noisy machine the one that was disturbed least."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def peak_gflops(runs: int = 5, rounds: int = 2_000_000, threads: int = 1) -> float:
    """Fused multiply-adds of so many threads together, in 1e9 operations a second."""
    probe = library()
    seconds = best_seconds(lambda: probe.probe_fma_threads(rounds, threads), runs)
    return threads * probe.probe_fma_operations(rounds) / seconds / 1e9


def has_bf16() -> bool:
    """Whether the processor multiplies pairs of bfloat16."""
    return library().probe_bf16_operations(1) > 0


def peak_bf16_gflops(runs: int = 5, rounds: int = 2_000_000, threads: int = 1) -> float:
    """Dot products of bfloat16 pairs of so many threads together, in 1e9 operations a second."""
    probe = library()
    seconds = best_seconds(lambda: probe.probe_bf16_threads(rounds, threads), runs)
    return threads * probe.probe_bf16_operations(rounds) / seconds / 1e9


# Far more than any level of cache holds.
TRAFFIC_BYTES = 256 << 20

# The ways in which `probe_traffic` does something with a buffer, and how often each of its bytes passes.
TRAFFIC = {"read": ((0,), 1), "write": ((1, 3), 1), "copy": ((2, 4), 2)}


@functools.cache
def buffers() -> tuple[np.ndarray, np.ndarray]:
    """Two arrays of ones, whose pages are there.

    They begin with a page: of vectors that lie in two lines of the cache each, it gives half as many bytes.
    """

    def ones() -> np.ndarray:
        count, page = TRAFFIC_BYTES // 4, 4096
        found = np.ones(count + page // 4, np.float32)
        start = -found.ctypes.data % page // 4
        return found[start : start + count]

    return ones(), ones()


def bandwidth(traffic: str, runs: int = 3, threads: int = 1, size: int = TRAFFIC_BYTES) -> float:
    """So many bytes that are read, written or copied, in 1e9 bytes a second, the best way; a copy counts both ways."""
    source, target = buffers()
    ways, passes = TRAFFIC[traffic]
    count = min(size, TRAFFIC_BYTES) // 4
    calls = [functools.partial(library().probe_traffic, source, target, count, way, 1, threads) for way in ways]
    return passes * count * 4 / min(best_seconds(call, runs) for call in calls) / 1e9


@functools.cache
def cache_bytes() -> list[int]:
    """The sizes of the caches of data from the second level on, as the system says them, the smallest first."""
    folder = pathlib.Path("/sys/devices/system/cpu/cpu0/cache")
    sizes = []
    for index in sorted(folder.glob("index*")):
        kind, level = (index / "type").read_text().strip(), int((index / "level").read_text())
        if kind != "Instruction" and level > 1:
            sizes.append(int((index / "size").read_text().strip().removesuffix("K")) << 10)
    return sorted(sizes)


def cached_bandwidth(size: int, runs: int = 3, threads: int = 1) -> float:
    """Reading over and over, all threads together, what each has of so many bytes; in 1e9 bytes a second."""
    source, target = buffers()
    rounds = max(1, (64 << 20) // size)
    seconds = best_seconds(lambda: library().probe_traffic(source, target, size // 4, 0, rounds, threads), runs)
    return rounds * (size // 4) * 4 / seconds / 1e9


def on_threads(counts: list[int]) -> int:
    """Runs the script that calls this again, in a process of its own for each number of threads, and ends this one.

    In such a process it returns the number: the pool's size is fixed when the package is imported.
    """
    if given := os.environ.get("TILEWRIGHT_BENCH_THREADS"):
        return int(given)
    for count in counts:
        threads = {"TILEWRIGHT_BENCH_THREADS": str(count), "TILEWRIGHT_NUM_THREADS": str(count)}
        subprocess.run([sys.executable, *sys.argv], check=True, env={**os.environ, **threads})
    sys.exit(0)
