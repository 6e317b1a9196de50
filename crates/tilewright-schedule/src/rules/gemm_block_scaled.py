# Codes of four bits with a scale for each group of 32: dot products of bytes sum a group, its scales multiply the sum.
# test: opt --pass ApplyDefaultSchedule:target=icelake-server

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3, 2, 32), "int8"), a_scale: T.Buffer((3, 2), "float32"), B: T.Buffer((2, 2, 4, 64), "uint8"), b_scale: T.Buffer((2, 2, 16), "float16"), C: T.Buffer((3, 20), "float32")):
        for i, j, g, k in T.grid(3, 20, 2, 32):
            with T.block("C"):
                vi, vj, vg, vk = T.axis.remap("SSRR", [i, j, g, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + T.Cast("float32", A[vi, vg, vk]) * a_scale[vi, vg] * ((T.Cast("float32", B[vj // 16, vg, vk // 4 % 4, vj % 16 * 4 + vk % 4] >> T.Cast("uint8", vk // 16 * 4) & T.uint8(15)) - T.float32(8)) * T.Cast("float32", b_scale[vj // 16, vg, vj % 16]))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3, 2, 32), "int8"), a_scale: T.Buffer((3, 2), "float32"), B: T.Buffer((2, 2, 4, 64), "uint8"), b_scale: T.Buffer((2, 2, 16), "float16"), C: T.Buffer((3, 20), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        group_starts = T.alloc_buffer((3, 2), "int32", align=64)
        for row in range(3):
            with T.block("group_starts"):
                T.reads(A[0:3, 0:2, 0:32], a_scale[0:3, 0:2])
                T.writes(group_starts[0:3, 0:2])
                for group in range(2):
                    group_starts[row, group] = T.call_llvm_intrin("int32", "llvm.vector.reduce.add.v32i32", T.uint32(1), T.Cast("int32x32", A[row, group, T.Ramp(0, 1, 32)])) * -8
        for task in range(1):
            with T.block("C"):
                T.reads(A[0:3, 0:2, 0:32], a_scale[0:3, 0:2], B[0:2, 0:2, 0:4, 0:64], b_scale[0:2, 0:2, 0:16], C[0:3, 0:20])
                T.writes(C[0:3, 0:20])
                tile = T.alloc_buffer((3, 2, 16), scope="local", align=64)
                group_sums = T.alloc_buffer((3, 2, 16), "int32", scope="local", align=64)
                for p, t in T.grid(1, 1):
                    for i in T.unroll(3):
                        for v in T.unroll(2):
                            for j in T.vectorized(16):
                                tile[i, v, j] = T.float32(0.0)
                    for g in range(2):
                        for i in T.unroll(3):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    group_sums[i, v, j] = group_starts[t * 3 + i, g]
                        for v in T.unroll(2):
                            b_word: T.uint32x16 = T.reinterpret("uint32x16", B[T.min(p * 2 + v, 1), g, 0, T.Ramp(0, 1, 64)]) & T.Broadcast(T.uint32(252645135), 16)
                            for i in T.unroll(3):
                                group_sums[i, v, T.Ramp(0, 1, 16)] = T.call_llvm_intrin("int32x16", "llvm.x86.avx512.vpdpbusd.512", T.uint32(3), group_sums[i, v, T.Ramp(0, 1, 16)], T.reinterpret("uint8x64", b_word), T.reinterpret("uint8x64", T.Broadcast(T.reinterpret("uint32", A[t * 3 + i, g, T.Ramp(0, 1, 4)]), 16)))
                        for v in T.unroll(2):
                            b_word: T.uint32x16 = T.reinterpret("uint32x16", B[T.min(p * 2 + v, 1), g, 1, T.Ramp(0, 1, 64)]) & T.Broadcast(T.uint32(252645135), 16)
                            for i in T.unroll(3):
                                group_sums[i, v, T.Ramp(0, 1, 16)] = T.call_llvm_intrin("int32x16", "llvm.x86.avx512.vpdpbusd.512", T.uint32(3), group_sums[i, v, T.Ramp(0, 1, 16)], T.reinterpret("uint8x64", b_word), T.reinterpret("uint8x64", T.Broadcast(T.reinterpret("uint32", A[t * 3 + i, g, T.Ramp(4, 1, 4)]), 16)))
                        for v in T.unroll(2):
                            b_word: T.uint32x16 = T.reinterpret("uint32x16", B[T.min(p * 2 + v, 1), g, 2, T.Ramp(0, 1, 64)]) & T.Broadcast(T.uint32(252645135), 16)
                            for i in T.unroll(3):
                                group_sums[i, v, T.Ramp(0, 1, 16)] = T.call_llvm_intrin("int32x16", "llvm.x86.avx512.vpdpbusd.512", T.uint32(3), group_sums[i, v, T.Ramp(0, 1, 16)], T.reinterpret("uint8x64", b_word), T.reinterpret("uint8x64", T.Broadcast(T.reinterpret("uint32", A[t * 3 + i, g, T.Ramp(8, 1, 4)]), 16)))
                        for v in T.unroll(2):
                            b_word: T.uint32x16 = T.reinterpret("uint32x16", B[T.min(p * 2 + v, 1), g, 3, T.Ramp(0, 1, 64)]) & T.Broadcast(T.uint32(252645135), 16)
                            for i in T.unroll(3):
                                group_sums[i, v, T.Ramp(0, 1, 16)] = T.call_llvm_intrin("int32x16", "llvm.x86.avx512.vpdpbusd.512", T.uint32(3), group_sums[i, v, T.Ramp(0, 1, 16)], T.reinterpret("uint8x64", b_word), T.reinterpret("uint8x64", T.Broadcast(T.reinterpret("uint32", A[t * 3 + i, g, T.Ramp(12, 1, 4)]), 16)))
                        for v in T.unroll(2):
                            b_word: T.uint32x16 = T.reinterpret("uint32x16", B[T.min(p * 2 + v, 1), g, 0, T.Ramp(0, 1, 64)]) >> T.Broadcast(T.uint32(4), 16) & T.Broadcast(T.uint32(252645135), 16)
                            for i in T.unroll(3):
                                group_sums[i, v, T.Ramp(0, 1, 16)] = T.call_llvm_intrin("int32x16", "llvm.x86.avx512.vpdpbusd.512", T.uint32(3), group_sums[i, v, T.Ramp(0, 1, 16)], T.reinterpret("uint8x64", b_word), T.reinterpret("uint8x64", T.Broadcast(T.reinterpret("uint32", A[t * 3 + i, g, T.Ramp(16, 1, 4)]), 16)))
                        for v in T.unroll(2):
                            b_word: T.uint32x16 = T.reinterpret("uint32x16", B[T.min(p * 2 + v, 1), g, 1, T.Ramp(0, 1, 64)]) >> T.Broadcast(T.uint32(4), 16) & T.Broadcast(T.uint32(252645135), 16)
                            for i in T.unroll(3):
                                group_sums[i, v, T.Ramp(0, 1, 16)] = T.call_llvm_intrin("int32x16", "llvm.x86.avx512.vpdpbusd.512", T.uint32(3), group_sums[i, v, T.Ramp(0, 1, 16)], T.reinterpret("uint8x64", b_word), T.reinterpret("uint8x64", T.Broadcast(T.reinterpret("uint32", A[t * 3 + i, g, T.Ramp(20, 1, 4)]), 16)))
                        for v in T.unroll(2):
                            b_word: T.uint32x16 = T.reinterpret("uint32x16", B[T.min(p * 2 + v, 1), g, 2, T.Ramp(0, 1, 64)]) >> T.Broadcast(T.uint32(4), 16) & T.Broadcast(T.uint32(252645135), 16)
                            for i in T.unroll(3):
                                group_sums[i, v, T.Ramp(0, 1, 16)] = T.call_llvm_intrin("int32x16", "llvm.x86.avx512.vpdpbusd.512", T.uint32(3), group_sums[i, v, T.Ramp(0, 1, 16)], T.reinterpret("uint8x64", b_word), T.reinterpret("uint8x64", T.Broadcast(T.reinterpret("uint32", A[t * 3 + i, g, T.Ramp(24, 1, 4)]), 16)))
                        for v in T.unroll(2):
                            b_word: T.uint32x16 = T.reinterpret("uint32x16", B[T.min(p * 2 + v, 1), g, 3, T.Ramp(0, 1, 64)]) >> T.Broadcast(T.uint32(4), 16) & T.Broadcast(T.uint32(252645135), 16)
                            for i in T.unroll(3):
                                group_sums[i, v, T.Ramp(0, 1, 16)] = T.call_llvm_intrin("int32x16", "llvm.x86.avx512.vpdpbusd.512", T.uint32(3), group_sums[i, v, T.Ramp(0, 1, 16)], T.reinterpret("uint8x64", b_word), T.reinterpret("uint8x64", T.Broadcast(T.reinterpret("uint32", A[t * 3 + i, g, T.Ramp(28, 1, 4)]), 16)))
                        for i in T.unroll(3):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile[i, v, j] = tile[i, v, j] + T.Cast("float32", group_sums[i, v, j]) * (a_scale[t * 3 + i, g] * T.Cast("float32", b_scale[(T.min(p * 2 + v, 1) * 16 + j) // 16, g, (T.min(p * 2 + v, 1) * 16 + j) % 16]))
                    for i in T.unroll(3):
                        for v in T.unroll(2):
                            for j in T.vectorized(16):
                                if (0 + p) * 32 + (v * 16 + j) < 20:
                                    C[t * 3 + i, p * 32 + v * 16 + j] = tile[i, v, j]
