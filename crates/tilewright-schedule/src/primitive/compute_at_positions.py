# Where in a loop a block goes: after all statements, before all of them, or between two others.
# test: schedule
# step: c = get_block("C")
# step: i, = get_loops(c)
# step: d = get_block("D")
# step: reverse_compute_at(d, i)
# step: e = get_block("E")
# step: reverse_compute_at(e, i, index=1)
# step: f = get_block("F")
# step: reverse_compute_at(f, i, index=-2)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6,), "float32"), D: T.Buffer((6,), "float32"), E: T.Buffer((6,), "float32"), F: T.Buffer((6,), "float32")):
        C = T.alloc_buffer((6,), "float32")
        for i in range(6):
            with T.block("C"):
                vi = T.axis.spatial(6, i)
                C[vi] = A[vi] + T.float32(1)
        for i in range(6):
            with T.block("D"):
                vi = T.axis.spatial(6, i)
                D[vi] = C[vi] * T.float32(2)
        for i in range(6):
            with T.block("E"):
                vi = T.axis.spatial(6, i)
                E[vi] = C[vi] * T.float32(3)
        for i in range(6):
            with T.block("F"):
                vi = T.axis.spatial(6, i)
                F[vi] = C[vi] * T.float32(4)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6,), "float32"), D: T.Buffer((6,), "float32"), E: T.Buffer((6,), "float32"), F: T.Buffer((6,), "float32")):
        # with T.block("root"):
        C = T.alloc_buffer((6,))
        for i in range(6):
            with T.block("C"):
                vi = T.axis.spatial(6, i)
                T.reads(A[vi])
                T.writes(C[vi])
                C[vi] = A[vi] + T.float32(1.0)
            with T.block("F"):
                vi = T.axis.spatial(6, i)
                T.reads(C[vi])
                T.writes(F[vi])
                F[vi] = C[vi] * T.float32(4.0)
            with T.block("E"):
                vi = T.axis.spatial(6, i)
                T.reads(C[vi])
                T.writes(E[vi])
                E[vi] = C[vi] * T.float32(3.0)
            with T.block("D"):
                vi = T.axis.spatial(6, i)
                T.reads(C[vi])
                T.writes(D[vi])
                D[vi] = C[vi] * T.float32(2.0)
