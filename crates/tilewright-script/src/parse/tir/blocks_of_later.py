# Blocks as texts of 2026 spell them.
# test: print
# run: scaled(f32[16], f32[16]) == same

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def scaled(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": True})
        with T.sblock("root"):
            C = T.sblock_alloc_buffer((16,))
            for i in range(16):
                with T.sblock("C"):
                    vi = T.axis.spatial(16, i)
                    T.sblock_attr({"hint": 1})
                    C[vi] = A[vi] * 2.0
            for i in range(16):
                with T.sblock("B"):
                    vi = T.axis.spatial(16, i)
                    B[vi] = C[vi] + 1.0

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def scaled(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        C = T.alloc_buffer((16,))
        for i in range(16):
            with T.block("C"):
                vi = T.axis.spatial(16, i)
                T.reads(A[vi])
                T.writes(C[vi])
                T.block_attr({"hint": 1})
                C[vi] = A[vi] * T.float32(2.0)
        for i in range(16):
            with T.block("B"):
                vi = T.axis.spatial(16, i)
                T.reads(C[vi])
                T.writes(B[vi])
                B[vi] = C[vi] + T.float32(1.0)
