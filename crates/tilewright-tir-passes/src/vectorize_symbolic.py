# Vectorised loops of any extent: whole pieces, and one whose last lanes are masked off.
# test: opt --pass vectorize
# run: f n=0 == same
# run: f n=1 == same
# run: f n=16 == same
# run: f n=37 == same
# run: g == same

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True})
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in T.vectorized(n):
            B[i] = T.if_then_else(T.int64(2) <= i, A[i - T.int64(2)], A[i]) + A[i]

    @T.prim_func
    def g(A: T.Buffer((103,), "float64"), B: T.Buffer((103,), "float64")):
        T.func_attr({"tir.noalias": True})
        for i in T.vectorized(103):
            if A[i] > T.float64(0):
                B[i] = A[i]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i_outer in range(n // T.int64(16)):
            B[T.Ramp(i_outer * T.int64(16), T.int64(1), 16)] = T.Select(T.Broadcast(T.int64(2), 16) <= T.Ramp(i_outer * T.int64(16), T.int64(1), 16), A.vload([T.Ramp(i_outer * T.int64(16) - T.int64(2), T.int64(1), 16)], predicate=T.Broadcast(T.int64(2), 16) <= T.Ramp(i_outer * T.int64(16), T.int64(1), 16)), A[T.Ramp(i_outer * T.int64(16), T.int64(1), 16)]) + A[T.Ramp(i_outer * T.int64(16), T.int64(1), 16)]
        if n % T.int64(16) > T.int64(0):
            rest: T.boolx16 = T.Ramp(T.int64(0), T.int64(1), 16) < T.Broadcast(n % T.int64(16), 16)
            B.vstore([T.Ramp(n // T.int64(16) * T.int64(16), T.int64(1), 16)], T.Select(T.Broadcast(T.int64(2), 16) <= T.Ramp(n // T.int64(16) * T.int64(16), T.int64(1), 16), A.vload([T.Ramp(n // T.int64(16) * T.int64(16) - T.int64(2), T.int64(1), 16)], predicate=rest and T.Broadcast(T.int64(2), 16) <= T.Ramp(n // T.int64(16) * T.int64(16), T.int64(1), 16)), A.vload([T.Ramp(n // T.int64(16) * T.int64(16), T.int64(1), 16)], predicate=rest and not T.Broadcast(T.int64(2), 16) <= T.Ramp(n // T.int64(16) * T.int64(16), T.int64(1), 16))) + A.vload([T.Ramp(n // T.int64(16) * T.int64(16), T.int64(1), 16)], predicate=rest), predicate=rest)

    @T.prim_func
    def g(A: T.Buffer((103,), "float64"), B: T.Buffer((103,), "float64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i_outer in range(12):
            B.vstore([T.Ramp(i_outer * 8, 1, 8)], A[T.Ramp(i_outer * 8, 1, 8)], predicate=A[T.Ramp(i_outer * 8, 1, 8)] > T.Broadcast(T.float64(0.0), 8))
        rest: T.boolx8 = T.Ramp(0, 1, 8) < T.Broadcast(7, 8)
        B.vstore([T.Ramp(96, 1, 8)], A.vload([T.Ramp(96, 1, 8)], predicate=rest and A.vload([T.Ramp(96, 1, 8)], predicate=rest) > T.Broadcast(T.float64(0.0), 8)), predicate=rest and A.vload([T.Ramp(96, 1, 8)], predicate=rest) > T.Broadcast(T.float64(0.0), 8))
