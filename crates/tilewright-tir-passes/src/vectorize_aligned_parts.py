# Rows of a length that is known when they are computed, of two parts: each part begins where it begins, in a line of the result
# that the other one may have a part in.
# test: lower
# run: main n=5 m=3 k=200 == same
# run: main n=2 m=100 k=71 == same
# run: main n=3 m=0 k=1 == same
# run: main n=3 m=16 k=0 == same
# run: main n=0 m=7 k=7 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle, var_C: T.handle):
        n = T.int64()
        m = T.int64()
        k = T.int64()
        A = T.match_buffer(var_A, (n, m), "float32")
        B = T.match_buffer(var_B, (n, k), "float32")
        C = T.match_buffer(var_C, (n, m + k), "float32")
        for i in range(n):
            for j in T.vectorized(m + k):
                with T.block("C"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    C[vi, vj] = T.if_then_else(vj < m, A[vi, vj], B[vi, vj - m])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle, var_C: T.handle, n: T.int64, m: T.int64, k: T.int64):
        A = T.match_buffer(var_A, (n * m,), "float32")
        B = T.match_buffer(var_B, (n * k,), "float32")
        C = T.match_buffer(var_C, (n * (m + k),), "float32")
        for i in range(n):
            with T.LetStmt(i * (m + k) % T.int64(16)) as shift:
                shifted: T.int64 = shift + m
                if T.int64(0) < m:
                    T.evaluate(T.prefetch(T.address_of(C[i * (m + k) + m - T.int64(1)]), 1, 3))
                    if T.int64(0) < shift:
                        rest: T.boolx16 = T.Broadcast(shift, 16) <= T.Ramp(T.int64(0), T.int64(1), 16) and T.Ramp(T.int64(0), T.int64(1), 16) < T.Broadcast(shifted, 16)
                        C.vstore([T.Ramp(i * (m + k) - shift, T.int64(1), 16)], A.vload([T.Ramp(i * m - shift, T.int64(1), 16)], predicate=rest), predicate=rest)
                    for j_outer in T.serial(T.min(shift, T.int64(1)), T.min(shift, T.int64(1)) + (shifted // T.int64(16) - T.min(shift, T.int64(1))), annotations={"tilewright.aligned": T.bool(True)}):
                        C[T.Ramp(i * (m + k) - shift + j_outer * T.int64(16), T.int64(1), 16)] = A[T.Ramp(i * m - shift + j_outer * T.int64(16), T.int64(1), 16)]
                    if T.min(shift, T.int64(1)) <= shifted // T.int64(16) and T.int64(0) < shifted % T.int64(16):
                        rest: T.boolx16 = T.Ramp(T.int64(0), T.int64(1), 16) < T.Broadcast(shifted % T.int64(16), 16)
                        C.vstore([T.Ramp(i * (m + k) - shift + shifted // T.int64(16) * T.int64(16), T.int64(1), 16)], A.vload([T.Ramp(i * m - shift + shifted // T.int64(16) * T.int64(16), T.int64(1), 16)], predicate=rest), predicate=rest)
            shift: T.int64 = (i * (m + k) + m) % T.int64(16)
            shifted: T.int64 = shift + k
            if T.int64(0) < k:
                T.evaluate(T.prefetch(T.address_of(C[i * (m + k) + m + k - T.int64(1)]), 1, 3))
                if T.int64(0) < shift:
                    rest: T.boolx16 = T.Broadcast(shift, 16) <= T.Ramp(T.int64(0), T.int64(1), 16) and T.Ramp(T.int64(0), T.int64(1), 16) < T.Broadcast(shifted, 16)
                    C.vstore([T.Ramp(i * (m + k) + m - shift, T.int64(1), 16)], B.vload([T.Ramp(i * k - shift, T.int64(1), 16)], predicate=rest), predicate=rest)
                for j_outer in T.serial(T.min(shift, T.int64(1)), T.min(shift, T.int64(1)) + (shifted // T.int64(16) - T.min(shift, T.int64(1))), annotations={"tilewright.aligned": T.bool(True)}):
                    C[T.Ramp(i * (m + k) + m - shift + j_outer * T.int64(16), T.int64(1), 16)] = B[T.Ramp(i * k - shift + j_outer * T.int64(16), T.int64(1), 16)]
                if T.min(shift, T.int64(1)) <= shifted // T.int64(16) and T.int64(0) < shifted % T.int64(16):
                    rest: T.boolx16 = T.Ramp(T.int64(0), T.int64(1), 16) < T.Broadcast(shifted % T.int64(16), 16)
                    C.vstore([T.Ramp(i * (m + k) + m - shift + shifted // T.int64(16) * T.int64(16), T.int64(1), 16)], B.vload([T.Ramp(i * k - shift + shifted // T.int64(16) * T.int64(16), T.int64(1), 16)], predicate=rest), predicate=rest)
