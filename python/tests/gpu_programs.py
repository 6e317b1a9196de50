"""Whole programs on an NVIDIA GPU: what they compute, and how long kernels take beside PyTorch."""

from __future__ import annotations

import time

import numpy as np

import tilewright as tw
from tilewright import relax, te, tir
from tilewright.script import ir as I
from tilewright.script import relax as R
from tilewright.script import tir as T

DEVICE = tw.cuda(0)


def random(*shape, dtype="float32"):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def run(module, name, *arrays, target="cuda"):
    """The arrays after the function has run on copies of them on the device."""
    machine = relax.VirtualMachine(relax.build(module, target), DEVICE)
    given = [tw.nd.array(array, device=DEVICE) for array in arrays]
    machine[name](*given)
    return [array.numpy() for array in given]


def vectors():
    """`C = A + B` on blocks of threads, the last of which is not full."""

    @I.ir_module
    class Module:
        @T.prim_func
        def main(A: T.Buffer((1000,), "float32"), B: T.Buffer((1000,), "float32"), C: T.Buffer((1000,), "float32")):
            T.func_attr({"global_symbol": "main"})
            for i_0 in T.thread_binding(8, thread="blockIdx.x"):
                for i_1 in T.thread_binding(128, thread="threadIdx.x"):
                    with T.block("C"):
                        T.where(i_0 * 128 + i_1 < 1000)
                        i = T.axis.spatial(1000, i_0 * 128 + i_1)
                        C[i] = A[i] + B[i]

    a, b = random(1000), random(1000) * 2
    *_, c = run(Module, "main", a, b, np.zeros(1000, "float32"))
    np.testing.assert_array_equal(c, a + b)


def window_sums():
    """Sums of neighbours, each element read once into shared memory."""

    @T.prim_func
    def window(A: T.Buffer((1027,), "float32"), B: T.Buffer((1024,), "float32")):
        T.func_attr({"global_symbol": "main"})
        for i in T.serial(1024):
            with T.block("B"):
                vi = T.axis.spatial(1024, i)
                B[vi] = A[vi] + A[vi + 1] + A[vi + 2] + A[vi + 3]

    schedule = tir.Schedule(window)
    block = schedule.get_block("B")
    (loop,) = schedule.get_loops(block)
    outer, inner = schedule.split(loop, [None, 128])
    schedule.bind(outer, "blockIdx.x")
    schedule.bind(inner, "threadIdx.x")
    cached = schedule.cache_read(block, 0, "shared")
    schedule.compute_at(cached, outer)
    fetch = schedule.get_loops(cached)[-1]
    _, thread = schedule.split(fetch, [None, 128])
    schedule.bind(thread, "threadIdx.x")
    a = random(1027)
    _, b = run(schedule.mod, "main", a, np.zeros(1024, "float32"))
    np.testing.assert_allclose(b, a[:-3] + a[1:-2] + a[2:-1] + a[3:], rtol=1e-6, atol=1e-6)


def product(n, dtype="float32"):
    a = te.placeholder((n, n), dtype, name="A")
    b = te.placeholder((n, n), dtype, name="B")
    k = te.reduce_axis((0, n), name="k")
    c = te.compute((n, n), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    return te.create_prim_func([a, b, c])


def blocked_product(n=256, tile=64, step=8, threads=8):
    """A product in tiles whose operands the threads of a block fetch together."""
    schedule = tir.Schedule(product(n))
    block = schedule.get_block("C")
    local = schedule.cache_write(block, 0, "local")
    i, j, k = schedule.get_loops(block)
    bx, tx, xi = schedule.split(i, [None, threads, tile // threads])
    by, ty, yi = schedule.split(j, [None, threads, tile // threads])
    k0, k1 = schedule.split(k, [None, step])
    schedule.reorder(bx, by, tx, ty, k0, k1, xi, yi)
    schedule.reverse_compute_at(local, ty)
    schedule.bind(bx, "blockIdx.y")
    schedule.bind(by, "blockIdx.x")
    schedule.bind(tx, "threadIdx.y")
    schedule.bind(ty, "threadIdx.x")
    schedule.unroll(xi)
    schedule.unroll(yi)
    for operand in (0, 1):
        cached = schedule.cache_read(block, operand, "shared")
        schedule.compute_at(cached, k0)
        fused = schedule.fuse(*schedule.get_loops(cached)[5:])
        _, fy, fx = schedule.split(fused, [None, threads, threads])
        schedule.bind(fy, "threadIdx.y")
        schedule.bind(fx, "threadIdx.x")
    schedule.decompose_reduction(block, k0)
    return schedule.mod


def products():
    """Blocked products with cooperative fetching."""
    a, b = random(256, 256), random(256, 256)[::-1].copy()
    *_, c = run(blocked_product(), "main", a, b, np.zeros((256, 256), "float32"))
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-3)


def thread_sums():
    """Sums of rows by all threads of a block: shuffles, and shared memory between warps."""
    for threads in (8, 32, 128, 256):
        a = te.placeholder((37, 1000), "float32", name="A")
        k = te.reduce_axis((0, 1000), name="k")
        b = te.compute((37,), lambda i, a=a, k=k: te.sum(a[i, k], axis=k), name="B")
        schedule = tir.Schedule(te.create_prim_func([a, b]))
        row, column = schedule.get_loops("B")
        _, inner = schedule.split(column, [None, threads])
        schedule.bind(row, "blockIdx.x")
        schedule.bind(inner, "threadIdx.x")
        x = random(37, 1000)
        _, y = run(schedule.mod, "main", x, np.zeros(37, "float32"))
        np.testing.assert_allclose(y, x.sum(1), rtol=1e-4, atol=1e-4)


def network():
    """Two layers as the documents have them: pipeline, default schedule, machine."""

    @I.ir_module
    class Network:
        @R.function
        def main(
            x: R.Tensor(("n", 784), "float32"),
            w: R.Tensor((128, 784), "float32"),
            b: R.Tensor((128,), "float32"),
            v: R.Tensor((10, 128), "float32"),
        ) -> R.Tensor(("n", 10), "float32"):
            with R.dataflow():
                h = R.matmul(x, R.permute_dims(w))
                h = R.nn.relu(R.add(h, b))
                h = R.matmul(h, R.permute_dims(v))
                y = R.nn.softmax(h)
                R.output(y)
            return y

    x, w, b, v = random(5, 784), random(128, 784) * 0.1, random(128), random(10, 128)
    h = np.maximum(x @ w.T + b, 0) @ v.T
    e = np.exp(h - h.max(1, keepdims=True))
    for module in (Network, relax.get_pipeline("zero")(Network)):
        with tw.target.Target("cuda"):
            scheduled = tir.transform.DefaultGPUSchedule()(relax.get_pipeline("zero")(module))
        for built in (relax.build(module, "cuda"), relax.build(scheduled, "cuda")):
            machine = relax.VirtualMachine(built, DEVICE)
            y = machine["main"](*[tw.nd.array(a, device=DEVICE) for a in (x, w, b, v)])
            np.testing.assert_allclose(y.numpy(), e / e.sum(1, keepdims=True), rtol=1e-4, atol=1e-5)


def failures():
    """What fails on the device is told with the kernel's name, and the device goes on."""

    @T.prim_func
    def gather(A: T.Buffer((100,), "float32"), Index: T.Buffer((64,), "int32"), B: T.Buffer((64,), "float32")):
        T.func_attr({"global_symbol": "main"})
        for i in T.thread_binding(64, thread="threadIdx.x"):
            with T.block("B"):
                vi = T.axis.spatial(64, i)
                B[vi] = A[Index[vi]]

    a, index = random(100), np.arange(64, dtype="int32")
    _, _, b = run(tw.IRModule({"main": gather}), "main", a, index, np.zeros(64, "float32"))
    np.testing.assert_array_equal(b, a[:64])
    index[17] = 100
    try:
        run(tw.IRModule({"main": gather}), "main", a, index, np.zeros(64, "float32"))
    except Exception as error:
        assert "main" in str(error) and "index out of range" in str(error), error
        print("    " + str(error).splitlines()[0])
    else:
        raise AssertionError("an index out of range is not told")
    vectors()


PROGRAMS = [vectors, window_sums, products, thread_sums, network, failures]


def programs():
    """Runs each program, and says which are right."""
    print(f"{DEVICE}: {DEVICE.exist and 'there'}")
    wrong = 0
    for program in PROGRAMS:
        try:
            program()
            print(f"right  {program.__name__}: {program.__doc__}", flush=True)
        except Exception as error:
            wrong += 1
            print(f"WRONG  {program.__name__}: {type(error).__name__}: {str(error)[:1500]}", flush=True)
    return int(wrong > 0)


def timed(call, wait, seconds=0.2):
    """Seconds of a call, of as many in a row as take so long."""
    call()
    wait()
    count = 1
    while True:
        start = time.perf_counter()
        for _ in range(count):
            call()
        wait()
        taken = time.perf_counter() - start
        if taken > seconds / 2:
            return taken / count
        count *= 4


def graph(function, *shapes):
    """A module with a graph function of tensors of these shapes."""
    builder = relax.BlockBuilder()
    params = [relax.Var(f"x{i}", R.Tensor(shape, "float32")) for i, shape in enumerate(shapes)]
    with builder.function("main", params):
        builder.emit_func_output(builder.emit(function(*params)))
    return builder.get()


def cases(torch):
    """Name, module, arrays with those that are written, PyTorch's function of the others, operations and bytes."""
    zeros = lambda *shape: np.zeros(shape, "float32")  # noqa: E731
    found = []
    for n in (512, 1024, 2048):
        operands = [random(n, n), random(n, n)]
        work = (2 * n**3, 12 * n * n)
        found.append((f"product {n}, by hand", blocked_product(n), [*operands, zeros(n, n)], torch.matmul, work))
        found.append((f"product {n}, by rule", graph(relax.op.matmul, (n, n), (n, n)), operands, torch.matmul, work))
    n = 1 << 24
    found.append((f"sum of two, {n}", graph(relax.op.add, (n,), (n,)), [random(n)] * 2, torch.add, (n, 12 * n)))
    for rows, columns in ((4096, 1024), (64, 65536)):
        softmax = graph(lambda x: relax.op.nn.softmax(x, -1), (rows, columns))
        elements = rows * columns
        theirs = lambda x: torch.softmax(x, -1)  # noqa: E731
        found.append(
            (f"softmax {rows}x{columns}", softmax, [random(rows, columns)], theirs, (5 * elements, 8 * elements))
        )
    return found


def speed():
    """Prints a table: kernels of ours and of PyTorch on the same device, in turns; calls of ours wait each time."""
    import torch

    print(f"{'kernel':24} {'ours':>10} {'PyTorch':>10} {'ratio':>6} {'TFLOP/s':>8} {'GB/s':>7}")
    for name, module, arrays, function, (operations, moved) in cases(torch):
        machine = relax.VirtualMachine(relax.build(module, "cuda"), DEVICE)
        given = [tw.nd.array(x, device=DEVICE) for x in arrays]
        there = [torch.from_numpy(x).cuda() for x in arrays[: 2 if "softmax" not in name else 1]]
        ours, theirs = [], []
        for _ in range(3):
            ours.append(timed(lambda m=machine, g=given: m["main"](*g), lambda: None))
            theirs.append(timed(lambda f=function, t=there: f(*t), torch.cuda.synchronize))
        mine, its = min(ours), min(theirs)
        rates = f"{operations / mine / 1e12:8.2f} {moved / mine / 1e9:7.0f}"
        print(f"{name:24} {mine * 1e6:7.1f} µs {its * 1e6:7.1f} µs {its / mine:6.2f} {rates}", flush=True)
    return 0
