# What has effects stays, and what it uses: calls of packed functions, checks of shapes.
# test: opt --pass DeadCodeElimination
# run: main == same


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        a = R.negative(x)
        place = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0)
        _ = R.call_packed("test.copy", a, place, sinfo_args=R.Object)
        b = R.abs(x)
        unused = R.match_cast(b, R.Tensor((4,), "float32"))
        return place

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        a: R.Tensor((4,), dtype="float32") = R.negative(x)
        place: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        _: R.Object = R.call_packed("test.copy", a, place, sinfo_args=(R.Object,))
        b: R.Tensor((4,), dtype="float32") = R.abs(x)
        unused: R.Tensor((4,), dtype="float32") = R.match_cast(b, R.Tensor((4,), dtype="float32"))
        return place
