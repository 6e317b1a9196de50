# A temporary goes into the block that overwrites what it is computed from, where that reads the one element that it writes.
# test: schedule
# step: t = get_block("T")
# step: compute_inline(t)
# run: main n=5 == same
# run: main n=1 special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(3)), "float32")
        t = T.alloc_buffer((n, T.int64(3)), "float32")
        for i, j in T.grid(n, T.int64(3)):
            with T.block("T"):
                vi, vj = T.axis.remap("SS", [i, j])
                t[vi, vj] = X[vi, vj] * T.float32(2)
        for i, j in T.grid(n, T.int64(3)):
            with T.block("X"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi, vj] = T.max(t[vi, vj] + t[vi, vj], T.float32(0))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(3)), "float32")
        # with T.block("root"):
        for i, j in T.grid(n, T.int64(3)):
            with T.block("X"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(X[vi, vj])
                T.writes(X[vi, vj])
                X[vi, vj] = T.max(X[vi, vj] * T.float32(2.0) + X[vi, vj] * T.float32(2.0), T.float32(0.0))
