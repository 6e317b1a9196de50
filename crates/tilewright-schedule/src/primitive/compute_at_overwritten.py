# A block moves into a loop that overwrites what it reads, if it is computed before and no other iteration needs it.
# test: schedule
# step: t = get_block("T")
# step: s = get_block("S")
# step: i, j = get_loops(s)
# step: compute_at(t, i)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((4, 5), "float32")):
        t = T.alloc_buffer((4,), "float32")
        for i, k in T.grid(4, 5):
            with T.block("T"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    t[vi] = T.float32(0)
                t[vi] = t[vi] + X[vi, vk]
        for i, j in T.grid(4, 5):
            with T.block("S"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi, vj] = X[vi, vj] / t[vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((4, 5), "float32")):
        # with T.block("root"):
        t = T.alloc_buffer((4,))
        for i in range(4):
            for ax1 in range(5):
                with T.block("T"):
                    vi, vk = T.axis.remap("SR", [i, ax1])
                    T.reads(X[vi, vk])
                    T.writes(t[vi])
                    with T.init():
                        t[vi] = T.float32(0.0)
                    t[vi] = t[vi] + X[vi, vk]
            for j in range(5):
                with T.block("S"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(X[vi, vj], t[vi])
                    T.writes(X[vi, vj])
                    X[vi, vj] = X[vi, vj] / t[vi]
