# The extents of a launch are said in terms of the kernel's parameters, whatever values the kernel computes.
# test: opt --pass tir.SplitHostDevice --pass tir.LowerDeviceKernelLaunch

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), n: T.int32):
        T.func_attr({"target": T.target("cuda", host="llvm")})
        m: T.int32 = n * 2
        with T.attr(T.target("cuda"), "target", 0):
            k: T.int32 = m + 1
            for tx in T.thread_binding(k, thread="threadIdx.x"):
                B[tx] = A[tx] + m

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), n: T.int32):
        T.func_attr({"target": "cuda -host=llvm"})
        m: T.int32 = n * 2
        T.call_packed("main_kernel", B.data, A.data, m, m + 1)

    @T.prim_func
    def main_kernel(B: T.handle, A: T.handle, m: T.int32):
        T.func_attr({"calling_conv": 2, "target": "cuda", "tir.is_global_func": T.bool(True), "tir.kernel_launch_params": ["threadIdx.x"], "tir.noalias": T.bool(True)})
        B_1 = T.decl_buffer((16,), "int32", data=B)
        A_1 = T.decl_buffer((16,), "int32", data=A)
        k: T.int32 = m + 1
        for tx in T.thread_binding(k, thread="threadIdx.x"):
            B_1[tx] = A_1[tx] + m
