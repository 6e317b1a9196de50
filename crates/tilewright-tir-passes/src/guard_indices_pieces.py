# Pieces of a matrix with rows of a constant length, which are no whole rows: elements in front of its end are in range.
# test: lower
# run: main n=0 == same
# run: main n=1 == same
# run: main n=22 == same
# run: main n=64 == same
# run: main n=65 special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, 768), "float32")
        C = T.match_buffer(var_C, (n, 768), "float32")
        for p in T.parallel((n * 3 + 63) // 64):
            for q in T.vectorized(16384):
                with T.block("C"):
                    vi = T.axis.spatial(n, (p * 16384 + q) // 768)
                    vj = T.axis.spatial(768, (p * 16384 + q) % 768)
                    T.where(p * 16384 + q < n * 768)
                    C[vi, vj] = A[vi, vj] + T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_C: T.handle, n: T.int64):
        A = T.match_buffer(var_A, (n * T.int64(768),))
        C = T.match_buffer(var_C, (n * T.int64(768),))
        for p in T.parallel((n * T.int64(3) + T.int64(63)) // T.int64(64)):
            if p * T.int64(64) + T.int64(64) <= n * T.int64(3):
                for q_outer in range(T.int64(1024)):
                    C[T.Ramp(p * T.int64(16384) + q_outer * T.int64(16), T.int64(1), 16)] = A[T.Ramp(p * T.int64(16384) + q_outer * T.int64(16), T.int64(1), 16)] + T.Broadcast(T.float32(1.0), 16)
            else:
                for q_outer in range(n * T.int64(48) - p * T.int64(1024)):
                    C[T.Ramp(p * T.int64(16384) + q_outer * T.int64(16), T.int64(1), 16)] = A[T.Ramp(p * T.int64(16384) + q_outer * T.int64(16), T.int64(1), 16)] + T.Broadcast(T.float32(1.0), 16)
