# Threads that fetch a tile together, in a loop of their own inside of the kernel's, become the kernel's threads, with
# barriers around what they share.
# test: opt --pass lower_init --pass join_threads
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((2, 8), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": True})
        with T.block("root"):
            S = T.alloc_buffer((8,), "float32", scope="shared")
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                for k in range(2):
                    for ax in T.thread_binding(8, thread="threadIdx.x"):
                        with T.block("fetch"):
                            v = T.axis.spatial(8, ax)
                            T.reads(A[k, v])
                            T.writes(S[v])
                            S[v] = A[k, v]
                    with T.block("use"):
                        vi, vk = T.axis.remap("SR", [tx, k])
                        T.reads(S[7 - vi])
                        T.writes(B[vi])
                        with T.init():
                            B[vi] = T.float32(0)
                        B[vi] = B[vi] + S[7 - vi] * T.Cast("float32", vk + 1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((2, 8), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for threadIdx_x in T.thread_binding(8, thread="threadIdx.x"):
            for k in range(2):
                T.tvm_storage_sync("shared")
                S = T.decl_buffer((8,), scope="shared")
                S[threadIdx_x] = A[k, threadIdx_x]
                if k == 0:
                    B[threadIdx_x] = T.float32(0.0)
                T.tvm_storage_sync("shared")
                B[threadIdx_x] = B[threadIdx_x] + S[7 - threadIdx_x] * T.Cast("float32", k + 1)
