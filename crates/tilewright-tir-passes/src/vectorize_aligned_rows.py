# Rows of an odd length: pieces begin where lines of the result do, those at both ends of a row are masked.
# test: lower
# run: main n=3 == same
# run: main n=33 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, 83), "float32")
        B = T.match_buffer(var_B, (n, 83), "float32")
        for i in range(n):
            for j in T.vectorized(83):
                with T.block("B"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vi, vj] = A[vi, vj] + T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle, n: T.int64):
        A = T.match_buffer(var_A, (n * T.int64(83),), "float32")
        B = T.match_buffer(var_B, (n * T.int64(83),), "float32")
        for i in range(n):
            shift: T.int64 = T.truncmod(i * T.int64(83), T.int64(16))
            shifted: T.int64 = shift + T.int64(83)
            T.evaluate(T.prefetch(T.address_of(B[i * T.int64(83) + T.int64(82)]), 1, 3))
            if T.int64(0) < shift:
                rest: T.boolx16 = T.Broadcast(shift, 16) <= T.Ramp(T.int64(0), T.int64(1), 16)
                B.vstore([T.Ramp(i * T.int64(83) - shift, T.int64(1), 16)], A.vload([T.Ramp(i * T.int64(83) - shift, T.int64(1), 16)], predicate=rest) + T.Broadcast(T.float32(1.0), 16), predicate=rest)
            for j_outer in T.serial(T.min(shift, T.int64(1)), T.min(shift, T.int64(1)) + (T.truncdiv(shifted, T.int64(16)) - T.min(shift, T.int64(1))), annotations={"tilewright.aligned": T.bool(True)}):
                B[T.Ramp(i * T.int64(83) - shift + j_outer * T.int64(16), T.int64(1), 16)] = A[T.Ramp(i * T.int64(83) - shift + j_outer * T.int64(16), T.int64(1), 16)] + T.Broadcast(T.float32(1.0), 16)
            if T.int64(0) < T.truncmod(shifted, T.int64(16)):
                rest: T.boolx16 = T.Ramp(T.int64(0), T.int64(1), 16) < T.Broadcast(T.truncmod(shifted, T.int64(16)), 16)
                B.vstore([T.Ramp(i * T.int64(83) - shift + T.truncdiv(shifted, T.int64(16)) * T.int64(16), T.int64(1), 16)], A.vload([T.Ramp(i * T.int64(83) - shift + T.truncdiv(shifted, T.int64(16)) * T.int64(16), T.int64(1), 16)], predicate=rest) + T.Broadcast(T.float32(1.0), 16), predicate=rest)
