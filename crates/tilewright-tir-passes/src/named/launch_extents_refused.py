# A kernel whose loops bind one axis to two numbers of threads has no launch.
# test: diagnostics --pass tir.SplitHostDevice --pass tir.LowerDeviceKernelLaunch

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        T.func_attr({"target": T.target("llvm")})
        with T.attr(T.target("cuda"), "target", 0):
            for tx in T.thread_binding(16, thread="threadIdx.x"):
                B[tx] = A[tx]
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                B[tx] = B[tx] + 1

# expect:
# error[TW0563]: `main_kernel` cannot be launched: all loops that are bound to `threadIdx.x` have the same extent, found 16 and 32
