# Regions matched by buffers of their own: with strides, with an offset, of lower rank, of regions of regions.
# test: opt --pass lower_init --pass lower_blocks
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8, 12), "float32"), B: T.Buffer((8, 12), "float32"), S: T.Buffer((2, 3, 3), "int32")):
        T.func_attr({"tir.noalias": True})
        for i, j in T.grid(2, 3):
            with T.block("tile"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi * 4 : vi * 4 + 4, vj * 4 : vj * 4 + 4])
                T.writes(B[vi * 4 : vi * 4 + 4, vj * 4 : vj * 4 + 4], S[vi, vj, 0:3])
                s0 = T.int32()
                s1 = T.int32()
                first = T.int32()
                X = T.match_buffer(
                    A[vi * 4 : vi * 4 + 4, vj * 4 : vj * 4 + 4], (4, 4), strides=(s0, s1), elem_offset=first
                )
                Y = T.match_buffer(B[vi * 4 : vi * 4 + 4, vj * 4 : vj * 4 + 4], (4, 4), strides=(12, 1))
                S[vi, vj, 0] = s0
                S[vi, vj, 1] = s1
                S[vi, vj, 2] = first
                for k in range(4):
                    with T.block("row"):
                        vk = T.axis.spatial(4, k)
                        T.reads(X[vk, 0:4])
                        T.writes(Y[vk, 0:4])
                        R = T.match_buffer(X[vk, 0:4], (4,))
                        W = T.match_buffer(Y[vk, 1:3], (2,))
                        for l in range(2):
                            W[l] = R[l + 2] + R[l]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8, 12), "float32"), B: T.Buffer((8, 12), "float32"), S: T.Buffer((2, 3, 3), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(2, 3):
            S[i, j, 0] = T.Mul(12, 1)
            S[i, j, 1] = 1
            S[i, j, 2] = i * 4 * T.Mul(12, 1) + j * 4 * 1
            for k, l in T.grid(4, 2):
                B[i * 4 + k, j * 4 + 1 + l] = A[i * 4 + k, j * 4 + 0 + (l + 2)] + A[i * 4 + k, j * 4 + 0 + l]
