"""A matrix product of bfloat16 written by hand in TVMScript, against `torch.mm` and the processor's peak on one core.

C[1024, 1024] = A[1024, 1024] @ B[1024, 1024], bfloat16 into float32, by the processor's own dot product of pairs, which
`T.call_llvm_intrin` names. B is packed into panels of pairs outside the timing, as a constant weight would be at
compile time; A is packed inside.

    python benches/gemm_bf16.py

The floor: 2 * 1024**3 operations over the peak that probe.c measures for the same instruction in this process.
"""

import os

os.environ.setdefault("TILEWRIGHT_NUM_THREADS", "1")

import numpy as np
import probe

import tilewright as tvm
from tilewright.script import tir as T

M = N = K = 1024
PAIRS = K // 2
RUNS = 30


def make_gemm(rows: int, vectors: int, depth: int, block: int):
    """The product with a register tile of `rows` x `vectors` vectors of 16 columns, K blocked by `depth` pairs."""
    columns = 16 * vectors
    panels, steps, sweep = N // columns, PAIRS // depth, rows * block
    blocks = -(-M // sweep)

    @T.prim_func
    def gemm(
        # A pair of neighbours in a row is one word.
        A: T.Buffer((M, PAIRS), "int32"),
        # The pairs of 16 columns are contiguous.
        B: T.Buffer((panels, PAIRS, 2 * columns), "uint16"),
        C: T.Buffer((M, N), "float32"),
    ):
        T.func_attr({"tir.noalias": True})
        packed = T.alloc_buffer((block, depth, rows), "int32")
        for step in range(steps):
            for outer in range(blocks):
                for tile in range(block):
                    for k in range(depth):
                        for i in T.unroll(rows):
                            packed[tile, k, i] = T.if_then_else(
                                outer * sweep + tile * rows + i < M,
                                A[T.min(outer * sweep + tile * rows + i, M - 1), step * depth + k],
                                T.int32(0),
                            )
                for panel in range(panels):
                    for tile in range(block):
                        sums = T.alloc_buffer((rows, vectors, 16), "float32", scope="local")
                        for i in T.unroll(rows):
                            for v in T.unroll(vectors):
                                sums[i, v, T.ramp(0, 1, 16)] = T.Broadcast(T.float32(0), 16)
                        for k in range(depth):
                            for i in T.unroll(rows):
                                for v in T.unroll(vectors):
                                    sums[i, v, T.ramp(0, 1, 16)] = T.call_llvm_intrin(
                                        "float32x16",
                                        "llvm.x86.avx512bf16.dpbf16ps.512",
                                        T.uint32(3),
                                        sums[i, v, T.ramp(0, 1, 16)],
                                        T.reinterpret("bfloat16x32", B[panel, step * depth + k, T.ramp(v * 32, 1, 32)]),
                                        T.reinterpret("bfloat16x32", T.Broadcast(packed[tile, k, i], 16)),
                                    )
                        for i in T.unroll(rows):
                            if outer * sweep + tile * rows + i < M:
                                for j in T.vectorized(columns):
                                    if step == 0:
                                        C[outer * sweep + tile * rows + i, panel * columns + j] = sums[
                                            i, j // 16, j % 16
                                        ]
                                    else:
                                        C[outer * sweep + tile * rows + i, panel * columns + j] = (
                                            C[outer * sweep + tile * rows + i, panel * columns + j]
                                            + sums[i, j // 16, j % 16]
                                        )

    return gemm


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    """The bits of the nearest bfloat16, ties to even; finite values only."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def to_float32(bits: np.ndarray) -> np.ndarray:
    """The values of bfloat16 bits."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def pack(b: np.ndarray, columns: int) -> np.ndarray:
    """B as panels of `columns` columns, each pair of rows interleaved: [N / columns][K / 2][columns][2]."""
    pairs = b.reshape(PAIRS, 2, N // columns, columns).transpose(2, 0, 3, 1)
    return np.ascontiguousarray(pairs).reshape(N // columns, PAIRS, 2 * columns)


def main() -> None:
    """Checks the result and prints the table."""
    if not probe.has_bf16():
        print("this processor has no dot product of bfloat16 pairs (AVX512-BF16)")
        return
    rows, vectors = 6, 4
    kernel = tvm.build(make_gemm(rows, vectors, depth=256, block=43), target="llvm")
    rng = np.random.default_rng(0)
    a, b = (to_bfloat16(rng.standard_normal((M, K))) for _ in range(2))
    args = [tvm.nd.array(x) for x in (a.view(np.int32), pack(b, 16 * vectors), np.zeros((M, N), np.float32))]
    kernel(*args)
    exact = to_float32(a).astype(np.float64) @ to_float32(b).astype(np.float64)
    error = np.abs(args[2].numpy() - exact).max() / np.abs(exact).max()
    # Products of bfloat16 are exact in float32, and the sums of 1024 of them are rounded as float32 sums are.
    assert error < 1e-5, f"wrong result: relative error {error}"

    operations = 2 * M * N * K
    rounds = []
    try:
        import torch

        torch.set_num_threads(1)
        ta, tb = (torch.from_numpy(x.view(np.int16)).view(torch.bfloat16) for x in (a, b))
    except ModuleNotFoundError:
        torch = None
    for _ in range(RUNS):
        peak = probe.peak_bf16_gflops(runs=1, rounds=500_000)
        ours = operations / probe.best_seconds(lambda: kernel(*args), 1) / 1e9
        peer = operations / probe.best_seconds(lambda: torch.mm(ta, tb), 1) / 1e9 if torch else float("nan")
        rounds.append((peak, ours, peer))
    peak, ours, peer = (max(column) for column in zip(*rounds, strict=True))
    print(f"{'1024x1024x1024 bfloat16, one core':<36}{'GFLOP/s':>9}{'of peak':>9}")
    for name, value in [("peak (probe.c)", peak), ("tilewright, TVMScript by hand", ours), ("torch.mm", peer)]:
        print(f"{name:<36}{value:>9.1f}{value / peak:>9.1%}")
    print(f"largest relative error {error:.1e}; best of {RUNS} interleaved rounds")


if __name__ == "__main__":
    main()
