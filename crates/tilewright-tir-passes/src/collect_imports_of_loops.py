# Code in LLVM's form that loops and blocks bring becomes an attribute, each text once.
# test: opt --pass collect_imports
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in T.serial(4, annotations={"pragma_import_llvm": "define float @same(float %x) { ret float %x }"}):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.block_attr({"pragma_import_llvm": "define float @same(float %x) { ret float %x }"})
                B[vi] = A[vi] + T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tilewright.llvm_imports": ["define float @same(float %x) { ret float %x }"]})
        # with T.block("root"):
        for i in T.serial(4, annotations={"pragma_import_llvm": "define float @same(float %x) { ret float %x }"}):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi])
                T.writes(B[vi])
                T.block_attr({"pragma_import_llvm": "define float @same(float %x) { ret float %x }"})
                B[vi] = A[vi] + T.float32(1.0)
