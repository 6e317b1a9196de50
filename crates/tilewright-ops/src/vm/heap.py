# Sizes go through a heap of numbers: kept, compared, and taken out again.
# test: print
# run: main(f32[2,3]=[1, 2, 3, 4, 5, 6], i64=3) == same


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor(ndim=2, dtype="float32"), i: R.Prim("int64")):
        heap = R.builtin.alloc_tensor(R.shape([3]), dtype="int64", runtime_device_index=0)
        R.vm.match_shape(x, heap, R.prim_value(1), R.prim_value(0), R.prim_value(1), R.prim_value(1), label="x")
        R.vm.match_prim_value(i, heap, code=1, number=2, dtype="int64", label="i")
        shape = R.vm.make_shape(heap, R.prim_value(1), R.prim_value(1), R.prim_value(0), R.prim_value(5))
        number = R.vm.make_prim_value(heap, slot=2, dtype="int64")
        return (shape, number)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor(dtype="float32", ndim=2), i: R.Prim("int64")) -> R.Tuple(R.Shape(ndim=2), R.Prim("int64")):
        heap: R.Tensor((3,), dtype="int64") = R.builtin.alloc_tensor(R.shape([3]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = R.vm.match_shape(x, heap, R.prim_value(1), R.prim_value(0), R.prim_value(1), R.prim_value(1), label="x")
        __1: R.Tuple() = R.vm.match_prim_value(i, heap, code=1, number=2, dtype="int64", label="i")
        shape: R.Shape(ndim=2) = R.vm.make_shape(heap, R.prim_value(1), R.prim_value(1), R.prim_value(0), R.prim_value(5))
        number: R.Prim("int64") = R.vm.make_prim_value(heap, slot=2, dtype="int64")
        return (shape, number)
