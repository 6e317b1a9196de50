# What follows a product may take the place of an operand that it reads element by element.
# test: opt --pass ApplyDefaultSchedule:target=x86-64-v4
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 10), "float32"), B: T.Buffer((10, 19), "float32"), bias: T.Buffer((19,), "float32"), R: T.Buffer((7, 19), "float32")):
        P = T.alloc_buffer((7, 19), "float32")
        Q = T.alloc_buffer((7, 19), "float32")
        S = T.alloc_buffer((7, 19), "float32")
        for i, j, k in T.grid(7, 19, 10):
            with T.block("P"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    P[vi, vj] = T.float32(0)
                P[vi, vj] = P[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid(7, 19):
            with T.block("Q"):
                vi, vj = T.axis.remap("SS", [i, j])
                Q[vi, vj] = P[vi, vj] + bias[vj]
        for i, j in T.grid(7, 19):
            with T.block("S"):
                vi, vj = T.axis.remap("SS", [i, j])
                S[vi, vj] = Q[vi, vj] + R[vi, vj]
        for i, j in T.grid(7, 19):
            with T.block("R"):
                vi, vj = T.axis.remap("SS", [i, j])
                R[vi, vj] = T.max(S[vi, vj], T.float32(0))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 10), "float32"), B: T.Buffer((10, 19), "float32"), bias: T.Buffer((19,), "float32"), R_: T.Buffer((7, 19), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in range(1):
            with T.block("P"):
                T.reads(A[0:7, 0:10], B[0:10, 0:19], bias[0:19], R_[0:7, 0:19])
                T.writes(R_[0:7, 0:19])
                tile = T.alloc_buffer((7, 2, 16), scope="local", align=64)
                for p, t in T.grid(1, 1):
                    for i in T.unroll(7):
                        for v in T.unroll(2):
                            for j in T.vectorized(16):
                                tile[i, v, j] = T.float32(0.0)
                    for k in range(10):
                        for i in T.unroll(7):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile[i, v, j] = tile[i, v, j] + A[t * 7 + i, k] * T.if_then_else((0 + p) * 32 + (v * 16 + j) < 19, B[k, p * 32 + v * 16 + j], T.float32(0.0))
                    for i in T.unroll(7):
                        for v in T.unroll(2):
                            for j in T.vectorized(16):
                                if (0 + p) * 32 + (v * 16 + j) < 19:
                                    R_[t * 7 + i, p * 32 + v * 16 + j] = T.max(tile[i, v, j] + bias[p * 32 + v * 16 + j] + R_[t * 7 + i, p * 32 + v * 16 + j], T.float32(0.0))
