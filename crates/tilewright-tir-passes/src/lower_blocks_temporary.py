# Blocks become their bodies, temporaries become allocations.
# test: opt --pass lower_init --pass lower_blocks
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((6,), "float32"), B: T.Buffer((6,), "float32")):
        T.func_attr({"tir.noalias": True})
        C = T.alloc_buffer((6,))
        for i in range(6):
            with T.block("twice"):
                vi = T.axis.spatial(6, i)
                C[vi] = A[vi] + A[vi]
        for i in range(3):
            for j in range(3):
                with T.block("shift"):
                    vi = T.axis.spatial(6, i * 3 + j)
                    T.where(i * 3 + j < 6)
                    B[vi] = C[vi] - A[5 - vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((6,), "float32"), B: T.Buffer((6,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        C = T.decl_buffer((6,))
        for i in range(6):
            C[i] = A[i] + A[i]
        for i, j in T.grid(3, 3):
            if i * 3 + j < 6:
                B[i * 3 + j] = C[i * 3 + j] - A[5 - (i * 3 + j)]
