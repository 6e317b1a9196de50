# What a row is computed from may be overwritten by the row's own iteration.
# test: schedule
# step: t = get_block("T")
# step: u = get_block("U")
# step: s = get_block("S")
# step: i, j = get_loops(s)
# step: compute_at(u, i)
# step: compute_at(t, i)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((4, 5), "float32")):
        t = T.alloc_buffer((4, 5), "float32")
        u = T.alloc_buffer((4, 5), "float32")
        for i, j in T.grid(4, 5):
            with T.block("T"):
                vi, vj = T.axis.remap("SS", [i, j])
                t[vi, vj] = X[vi, 4 - vj] * T.float32(2)
        for i, j in T.grid(4, 5):
            with T.block("U"):
                vi, vj = T.axis.remap("SS", [i, j])
                u[vi, vj] = t[vi, vj] + T.float32(1)
        for i, j in T.grid(4, 5):
            with T.block("S"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi, vj] = u[vi, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((4, 5), "float32")):
        # with T.block("root"):
        t = T.alloc_buffer((4, 5))
        u = T.alloc_buffer((4, 5))
        for i in range(4):
            for ax1 in range(5):
                with T.block("T"):
                    vi, vj = T.axis.remap("SS", [i, ax1])
                    T.reads(X[vi, 4 - vj])
                    T.writes(t[vi, vj])
                    t[vi, vj] = X[vi, 4 - vj] * T.float32(2.0)
            for ax1 in range(5):
                with T.block("U"):
                    vi, vj = T.axis.remap("SS", [i, ax1])
                    T.reads(t[vi, vj])
                    T.writes(u[vi, vj])
                    u[vi, vj] = t[vi, vj] + T.float32(1.0)
            for j in range(5):
                with T.block("S"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(u[vi, vj])
                    T.writes(X[vi, vj])
                    X[vi, vj] = u[vi, vj]
