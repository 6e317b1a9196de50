"""A matrix product written by hand in TVMScript, against `torch.mm` and the machine's peak, on one core and on two.

C[1024, 1024] = A[1024, 1024] @ B[1024, 1024], float32. B is packed into panels outside the timing, as a constant
weight would be at compile time; A is packed inside, by the tasks of a parallel loop over rows. The register tile is an
explicit local buffer.

    python benches/gemm.py

The floor: 2 * 1024**3 operations over the peak that probe.c measures in the same process with as many threads.
"""

import probe

THREADS = probe.on_threads([1, 2])

import numpy as np  # noqa: E402

import tilewright as tvm  # noqa: E402
from tilewright.script import tir as T  # noqa: E402

M = N = K = 1024
RUNS = 30


def make_gemm(rows: int, columns: int, depth: int, block: int):
    """The product with a register tile of `rows` x `columns`, K blocked by `depth`, M by `block` tiles."""
    panels, steps, sweep = N // columns, K // depth, rows * block
    blocks = -(-M // sweep)

    @T.prim_func
    def gemm(
        A: T.Buffer((M, K), "float32"),
        B: T.Buffer((panels, K, columns), "float32"),
        C: T.Buffer((M, N), "float32"),
    ):
        T.func_attr({"tir.noalias": True})
        for step in range(steps):
            for outer in T.parallel(blocks):
                with T.block("sweep"):
                    T.reads(A[0:M, 0:K], B[0:panels, 0:K, 0:columns], C[0:M, 0:N])
                    T.writes(C[0:M, 0:N])
                    packed = T.alloc_buffer((block, depth, rows), "float32")
                    for tile in range(block):
                        for k in range(depth):
                            for i in T.unroll(rows):
                                packed[tile, k, i] = T.if_then_else(
                                    outer * sweep + tile * rows + i < M,
                                    A[T.min(outer * sweep + tile * rows + i, M - 1), step * depth + k],
                                    T.float32(0),
                                )
                    for panel in range(panels):
                        for tile in range(block):
                            tile_sum = T.alloc_buffer((rows, columns), "float32", scope="local")
                            for i in T.unroll(rows):
                                for j in T.vectorized(columns):
                                    tile_sum[i, j] = T.float32(0)
                            for k in range(depth):
                                for i in T.unroll(rows):
                                    for j in T.vectorized(columns):
                                        tile_sum[i, j] = (
                                            tile_sum[i, j] + packed[tile, k, i] * B[panel, step * depth + k, j]
                                        )
                            for i in T.unroll(rows):
                                if outer * sweep + tile * rows + i < M:
                                    for j in T.vectorized(columns):
                                        if step == 0:
                                            C[outer * sweep + tile * rows + i, panel * columns + j] = tile_sum[i, j]
                                        else:
                                            C[outer * sweep + tile * rows + i, panel * columns + j] = (
                                                C[outer * sweep + tile * rows + i, panel * columns + j] + tile_sum[i, j]
                                            )

    return gemm


def pack(b: np.ndarray, columns: int) -> np.ndarray:
    """B as panels of `columns` columns: [N / columns][K][columns]."""
    return np.ascontiguousarray(b.reshape(K, N // columns, columns).transpose(1, 0, 2))


def main() -> None:
    """Checks the result and prints the table."""
    rows, columns = 6, 16
    kernel = tvm.build(make_gemm(rows, columns, depth=256, block=22), target="llvm")
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((M, K), dtype=np.float32) for _ in range(2))
    args = [tvm.nd.array(x) for x in (a, pack(b, columns), np.zeros((M, N), np.float32))]
    kernel(*args)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    error = np.abs(args[2].numpy() - exact).max() / np.abs(exact).max()
    # 1024 additions of products of standard normals, in sums of 256: far below this bound, a wrong element far above.
    assert error < 1e-5, f"wrong result: relative error {error}"

    operations = 2 * M * N * K
    rounds = []
    try:
        import torch

        torch.set_num_threads(THREADS)
        ta, tb = torch.from_numpy(a), torch.from_numpy(b)
    except ModuleNotFoundError:
        torch = None
    for _ in range(RUNS):
        peak = probe.peak_gflops(runs=1, rounds=500_000, threads=THREADS)
        ours = operations / probe.best_seconds(lambda: kernel(*args), 1) / 1e9
        peer = operations / probe.best_seconds(lambda: torch.mm(ta, tb), 1) / 1e9 if torch else float("nan")
        rounds.append((peak, ours, peer))
    peak, ours, peer = (max(column) for column in zip(*rounds, strict=True))
    cores = "one core" if THREADS == 1 else f"{THREADS} cores"
    print(f"{f'1024x1024x1024 float32, {cores}':<36}{'GFLOP/s':>9}{'of peak':>9}")
    for name, value in [("peak (probe.c)", peak), ("tilewright, TVMScript by hand", ours), ("torch.mm", peer)]:
        print(f"{name:<36}{value:>9.1f}{value / peak:>9.1%}")
    print(f"largest relative error {error:.1e}; best of {RUNS} interleaved rounds\n")


if __name__ == "__main__":
    main()
