"""Matrix products whose number of rows is known only when they run, on one core and on two.

C[m, 1024] = A[m, 1024] @ B[1024, 1024], float32, for values of m that are no multiple of the register tile. One
kernel serves all of them. Two ways to write it in TVMScript: `packed` copies rows of A into panels of whole tiles and
guards what it writes; `predicated` is what a schedule leaves, every block under the predicate of its tile.

    python benches/gemm_symbolic.py

The floor: 2 * m * 1024**2 operations over the peak that probe.c measures in the same process with as many threads.
"""

import probe

THREADS = probe.on_threads([1, 2])

import numpy as np  # noqa: E402

import tilewright as tvm  # noqa: E402
from tilewright.script import tir as T  # noqa: E402

N = K = 1024
ROWS, COLUMNS = 6, 16
PANELS = N // COLUMNS
SIZES = [1021, 1024, 777, 100, 17]
RUNS = 20


def make_packed(depth: int, block: int):
    """K blocked by `depth`, rows by `block` tiles."""
    steps, sweep = K // depth, ROWS * block

    @T.prim_func
    def packed_gemm(a: T.handle, B: T.Buffer((PANELS, K, COLUMNS), "float32"), c: T.handle):
        T.func_attr({"tir.noalias": True})
        m = T.int64()
        A = T.match_buffer(a, (m, K), "float32")
        C = T.match_buffer(c, (m, N), "float32")
        for step in range(steps):
            for outer in T.parallel((m + (sweep - 1)) // sweep):
                with T.block("sweep"):
                    T.reads(A[0:m, 0:K], B[0:PANELS, 0:K, 0:COLUMNS], C[0:m, 0:N])
                    T.writes(C[0:m, 0:N])
                    packed = T.alloc_buffer((block, depth, ROWS), "float32")
                    for tile in range(block):
                        for k in range(depth):
                            for i in T.unroll(ROWS):
                                packed[tile, k, i] = T.if_then_else(
                                    outer * sweep + tile * ROWS + i < m,
                                    A[T.min(outer * sweep + tile * ROWS + i, m - 1), step * depth + k],
                                    T.float32(0),
                                )
                    for panel in range(PANELS):
                        for tile in range(block):
                            tile_sum = T.alloc_buffer((ROWS, COLUMNS), "float32", scope="local")
                            for i in T.unroll(ROWS):
                                for j in T.vectorized(COLUMNS):
                                    tile_sum[i, j] = T.float32(0)
                            for k in range(depth):
                                for i in T.unroll(ROWS):
                                    for j in T.vectorized(COLUMNS):
                                        tile_sum[i, j] = (
                                            tile_sum[i, j] + packed[tile, k, i] * B[panel, step * depth + k, j]
                                        )
                            for i in T.unroll(ROWS):
                                if outer * sweep + tile * ROWS + i < m:
                                    for j in T.vectorized(COLUMNS):
                                        if step == 0:
                                            C[outer * sweep + tile * ROWS + i, panel * COLUMNS + j] = tile_sum[i, j]
                                        else:
                                            C[outer * sweep + tile * ROWS + i, panel * COLUMNS + j] = (
                                                C[outer * sweep + tile * ROWS + i, panel * COLUMNS + j] + tile_sum[i, j]
                                            )

    return packed_gemm


@T.prim_func
def predicated_gemm(a: T.handle, B: T.Buffer((PANELS, K, COLUMNS), "float32"), c: T.handle):
    T.func_attr({"tir.noalias": True})
    m = T.int64()
    A = T.match_buffer(a, (m, K), "float32")
    C = T.match_buffer(c, (m, N), "float32")
    sums = T.alloc_buffer((m, N), "float32", scope="local")
    for panel in T.parallel(PANELS):
        for tile in range((m + (ROWS - 1)) // ROWS):
            for i in T.unroll(ROWS):
                for j in T.vectorized(COLUMNS):
                    with T.block("clear"):
                        vi = T.axis.spatial(m, tile * ROWS + i)
                        vj = T.axis.spatial(N, panel * COLUMNS + j)
                        T.where(tile * ROWS + i < m)
                        sums[vi, vj] = T.float32(0)
            for k in range(K):
                for i in T.unroll(ROWS):
                    for j in T.vectorized(COLUMNS):
                        with T.block("update"):
                            vi = T.axis.spatial(m, tile * ROWS + i)
                            vj = T.axis.spatial(N, panel * COLUMNS + j)
                            vk = T.axis.reduce(K, k)
                            T.where(tile * ROWS + i < m)
                            sums[vi, vj] = sums[vi, vj] + A[vi, vk] * B[vj // COLUMNS, vk, vj % COLUMNS]
            for i in T.unroll(ROWS):
                for j in T.vectorized(COLUMNS):
                    with T.block("write"):
                        vi = T.axis.spatial(m, tile * ROWS + i)
                        vj = T.axis.spatial(N, panel * COLUMNS + j)
                        T.where(tile * ROWS + i < m)
                        C[vi, vj] = sums[vi, vj]


def main() -> None:
    """Checks the results and prints the table."""
    kernels = {
        "packed": tvm.build(make_packed(depth=256, block=22), target="llvm"),
        "predicated": tvm.build(predicated_gemm, target="llvm"),
    }
    rng = np.random.default_rng(0)
    b = rng.standard_normal((K, N), dtype=np.float32)
    panels = tvm.nd.array(np.ascontiguousarray(b.reshape(K, PANELS, COLUMNS).transpose(1, 0, 2)))
    try:
        import torch

        torch.set_num_threads(THREADS)
    except ModuleNotFoundError:
        torch = None
    cores = "one core" if THREADS == 1 else f"{THREADS} cores"
    print(f"{f'm x 1024 x 1024 float32, {cores}':<34}{'packed':>18}{'predicated':>18}{'torch.mm':>18}")
    for m in SIZES:
        a = rng.standard_normal((m, K), dtype=np.float32)
        exact = a.astype(np.float64) @ b.astype(np.float64)
        calls = {}
        for name, kernel in kernels.items():
            args = [tvm.nd.array(a), panels, tvm.nd.array(np.full((m, N), np.nan, np.float32))]
            kernel(*args)
            error = np.abs(args[2].numpy() - exact).max() / np.abs(exact).max()
            # Sums of 256 or 1024 products of standard normals: far below, a wrong element far above.
            assert error < 1e-5, f"{name}, m = {m}: relative error {error}"
            calls[name] = lambda kernel=kernel, args=args: kernel(*args)
        if torch:
            ta, tb = torch.from_numpy(a), torch.from_numpy(b)
            calls["torch.mm"] = lambda ta=ta, tb=tb: torch.mm(ta, tb)
        best = dict.fromkeys(["peak", *calls], 0.0)
        for _ in range(RUNS):
            best["peak"] = max(best["peak"], probe.peak_gflops(runs=1, rounds=500_000, threads=THREADS))
            for name, call in calls.items():
                best[name] = max(best[name], 2 * m * N * K / probe.best_seconds(call, 1) / 1e9)
        peak = best.pop("peak")
        cells = "".join(f"{value:>10.1f}{value / peak:>8.1%}" for value in best.values())
        print(f"{f'm = {m}, peak {peak:.1f} GFLOP/s':<34}{cells}")
    print(f"GFLOP/s and share of the peak; best of {RUNS} interleaved rounds\n")


if __name__ == "__main__":
    main()
