# Calls that leave the IR: C functions of the process and intrinsics of LLVM for compiled code alone, packed functions.
# test: print
# run: functions(f32[4]=[4, 2.25, 0, 1], f32[4]) only=compiled == f32[4]=[2, 1.5, 0, 1]
# run: intrinsics(f32[2]=[-2, 3], f32[2]) only=compiled == f32[2]=[2, 3]
# run: packed(f32[4], f32[4]) == same

@I.ir_module
class Module:
    @T.prim_func
    def functions(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        T.evaluate(T.call_extern("void", "memset", B.data, 0, T.int64(16)))
        for i in range(4):
            B[i] = B[i] + T.call_pure_extern("float32", "sqrtf", A[i])

    @T.prim_func
    def intrinsics(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32")):
        T.func_attr({"tir.noalias": True})
        B[0] = T.call_llvm_intrin("float32", "llvm.fabs.f32", T.uint32(1), A[0])
        B[1] = T.call_llvm_pure_intrin("float32", "llvm.fabs.f32", T.uint32(1), A[1])

    @T.prim_func
    def packed(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.call_packed("test.copy", A.data, B.data, dtype="void")

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def functions(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        T.call_extern("void", "memset", T.address_of(B[0]), 0, T.int64(16))
        for i in range(4):
            B[i] = B[i] + T.call_pure_extern("float32", "sqrtf", A[i])

    @T.prim_func
    def intrinsics(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        B[0] = T.call_llvm_intrin("float32", "llvm.fabs.f32", T.uint32(1), A[0])
        B[1] = T.call_llvm_intrin("float32", "llvm.fabs.f32", T.uint32(1), A[1])

    @T.prim_func
    def packed(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.call_packed("test.copy", T.address_of(A[0]), T.address_of(B[0]), dtype="void")
