# Operations of targets that mean the same everywhere: nothing, or what a program means without them.
# test: print
# run: everywhere(f32[16], i32=2) == same

@I.ir_module
class Module:
    @T.prim_func
    def everywhere(A: T.Buffer((16,), "float32"), n: T.int32):
        T.func_attr({"tir.noalias": True})
        T.tvm_storage_sync("shared")
        T.ptx_commit_group()
        T.ptx_wait_group(0)
        T.start_profile_intrinsic(1)
        T.assume(n > 1)
        T.prefetch(A.data)
        A[T.tvm_thread_invariant(n)] = T.undef()
        A[n] = T.if_then_else(T.isnullptr(A.data), T.float32(1), T.float32(2))
        T.end_profile_intrinsic(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def everywhere(A: T.Buffer((16,), "float32"), n: T.int32):
        T.func_attr({"tir.noalias": T.bool(True)})
        T.tvm_storage_sync("shared")
        T.ptx_commit_group()
        T.ptx_wait_group(0)
        T.start_profile_intrinsic(1)
        T.assume(n > 1)
        T.prefetch(T.address_of(A[0]))
        A[T.tvm_thread_invariant(n)] = T.undef("float32")
        A[n] = T.if_then_else(T.isnullptr(T.address_of(A[0])), T.float32(1.0), T.float32(2.0))
        T.end_profile_intrinsic(1)
