# Rows that another tensor names, written along another axis: an index that is data has no tile in registers, because lanes
# of its edges have no element.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((169, 24), "float32"), I: T.Buffer((49, 49), "int64"), B: T.Buffer((24, 49, 49), "float32")):
        for h, q, k in T.grid(24, 49, 49):
            with T.block("B"):
                vh, vq, vk = T.axis.remap("SSS", [h, q, k])
                B[vh, vq, vk] = A[I[vq, vk] % T.int64(169), vh]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((169, 24), "float32"), I_: T.Buffer((49, 49), "int64"), B: T.Buffer((24, 49, 49), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for h in T.parallel(24):
            for q in range(49):
                for k in T.vectorized(49):
                    with T.block("B"):
                        vh, vq, vk = T.axis.remap("SSS", [h, q, k])
                        T.reads(A[0:169, vh], I_[vq, vk])
                        T.writes(B[vh, vq, vk])
                        B[vh, vq, vk] = A[I_[vq, vk] % T.int64(169), vh]
