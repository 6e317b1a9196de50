"""The limits of this machine, measured in the benchmark's own process by a small C program.

`python benches/probe.py` prints them, and with `--write-preset NAME` writes them as a description of this processor,
`crates/tilewright-target/presets/NAME.toml`, built on the preset that describes it so far.
"""

import argparse
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
    for name, result in [("chain", ctypes.c_long), ("fma_chain", ctypes.c_float), ("fma_half", ctypes.c_float)]:
        function = getattr(probe, f"probe_{name}")
        function.restype, function.argtypes = result, [ctypes.c_long]
    probe.probe_gather.restype = ctypes.c_float
    probe.probe_gather.argtypes = [array, ctypes.c_long, ctypes.c_int]
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
    """Fused multiply-adds of all threads together, in 1e9 operations a second."""
    probe = library()
    seconds = best_seconds(lambda: probe.probe_fma_threads(rounds, threads), runs)
    return threads * probe.probe_fma_operations(rounds) / seconds / 1e9


def has_bf16() -> bool:
    """Whether the processor multiplies pairs of bfloat16."""
    return library().probe_bf16_operations(1) > 0


def peak_bf16_gflops(runs: int = 5, rounds: int = 2_000_000, threads: int = 1) -> float:
    """Dot products of bfloat16 pairs of all threads together, in 1e9 operations a second."""
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
    """The bandwidth of reading, writing or copying, in 1e9 bytes a second, the best way; a copy counts both ways."""
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


PRESETS = pathlib.Path(__file__).parents[1] / "crates" / "tilewright-target" / "presets"


def cycle_seconds(runs: int = 50, rounds: int = 100_000) -> float:
    """The time of a cycle, by additions that need each other."""
    return best_seconds(lambda: library().probe_chain(rounds), runs) / (8 * rounds)


def core_numbers(cycle: float, runs: int = 50, rounds: int = 20_000) -> dict[str, float]:
    """What a core does in a cycle of so many seconds, by the names of `[core]`."""
    probe = library()
    bits, operations = probe.probe_vector_bits(), probe.probe_fma_operations(rounds)
    wide = operations / best_seconds(lambda: probe.probe_fma(rounds), runs)
    half = operations / 2 / best_seconds(lambda: probe.probe_fma_half(rounds), runs)
    chain = best_seconds(lambda: probe.probe_fma_chain(rounds), runs)
    # Of halves that are as fast for each element a wide vector is made.
    pipe_bits = bits // 2 if half > 0.9 * wide else bits
    found = {
        "vector_pipe_bits": pipe_bits,
        "fma_pipes": max(1, round(wide * cycle / 2 / (pipe_bits / 32))),
        "fma_latency_cycles": round(chain / (8 * rounds) / cycle, 1),
    }
    if has_bf16():
        found["bf16_dot_rate"] = round(peak_bf16_gflops(runs, rounds) * 1e9 / wide, 2)
    if probe.probe_has_gather():
        table = np.ones(4096, np.float32)
        single = best_seconds(lambda: probe.probe_gather(table, rounds, 0), runs)
        gathered = best_seconds(lambda: probe.probe_gather(table, rounds, 1), runs)
        found["gather_rate"] = round(single / gathered, 2)
    levels = cache_bytes()
    for name, size in zip(("l2", "l3"), levels, strict=False):
        found[f"{name}_bytes_per_cycle"] = round(cached_bandwidth(min(size // 2, 64 << 20), runs) * 1e9 * cycle, 1)
    found["memory_bytes_per_cycle"] = round(bandwidth("read", runs) * 1e9 * cycle, 1)
    return found


def limit_numbers() -> dict[str, int]:
    """The caches of the first processor, by the names of `[limits]`, as the system says them."""
    found: dict[str, int] = {}
    for index in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind, level = (index / "type").read_text().strip(), (index / "level").read_text().strip()
        if kind != "Instruction" and level in "123":
            found[f"l{level}_bytes"] = int((index / "size").read_text().strip().removesuffix("K")) << 10
            ways = index / "ways_of_associativity"
            if level in "12" and ways.exists():
                found[f"l{level}_ways"] = int(ways.read_text())
    return found


def processor() -> dict[str, str]:
    """What the system says of the first processor."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def preset_text(base: str) -> str:
    """The description of this processor: what was measured here, over a base that has everything else."""
    said, cycle = processor(), cycle_seconds()
    if "vendor_id" in said:
        name, known = said["model name"], f"{said['vendor_id']} {said['cpu family']} {said['model']}"
    else:
        name, known = "this processor", f"{said['CPU implementer']} {said['CPU part']}"
    measured = f"measured by benches/probe.py on {time.strftime('%Y-%m-%d')} on {name}"
    read = f"the system's word on {time.strftime('%Y-%m-%d')} on {name}"
    sections = [
        ("limits", limit_numbers(), read),
        ("core", core_numbers(cycle), measured),
        ("estimate", {"cycle_ns": round(cycle * 1e9, 3)}, measured),
    ]
    text = f'# {name}.\n\nbase = "{base}"\nprocessors = ["{known}"]\n'
    for section, numbers, source in sections:
        lines = [f"{key} = {value} # {source}\n" for key, value in numbers.items() if value > 0]
        text += f"\n[{section}]\n{''.join(lines)}"
    return text


def main() -> None:
    """Prints the description of this processor, or writes it as a preset."""
    parser = argparse.ArgumentParser(description="Measures this processor.")
    parser.add_argument("--write-preset", metavar="NAME", help="the preset to write")
    parser.add_argument("--base", help="the preset that has what is not measured; by default the one that is taken now")
    arguments = parser.parse_args()
    base = arguments.base
    if base is None:
        from tilewright.target import Target

        base = Target("llvm").machine
    text = preset_text(base)
    if arguments.write_preset is None:
        print(text, end="")
        return
    path = PRESETS / f"{arguments.write_preset}.toml"
    if path.exists():
        sys.exit(f"{path} is there already: remove it first, or choose another name")
    path.write_text(text)
    print(f"wrote {path}")
    print(f'its line in crates/tilewright-target/src/presets.rs, behind "{base}":  "{arguments.write_preset}",')


if __name__ == "__main__":
    main()
