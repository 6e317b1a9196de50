# A PrimFunc calls another one of the module: the call is kept.
# test: print
# run: main(f32[4]=[4, 2.25, 0, 1]) only=compiled == f32[4]=[8, 4.5, 0, 2]

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def scaled(x: T.float32) -> T.float32:
        T.ret(x * T.float32(2))

    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("A"):
                vi = T.axis.spatial(4, i)
                A[vi] = Module.scaled(A[vi])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(4):
            with T.block("A"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi])
                T.writes(A[vi])
                A[vi] = Module.scaled(A[vi])

    @T.prim_func(private=True)
    def scaled(x: T.float32) -> T.float32:
        T.ret(x * T.float32(2.0))
