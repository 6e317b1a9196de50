# Without a function that takes the results they are returned; the weights may be parameters of their own.
# test: opt --pass LazyTransformParams:fget_item=weights.get,fset_item=None


@I.ir_module
class Module:
    @R.function
    def transform_params(w: R.Tensor((4, 3), "float32"), rest: R.Tuple(R.Tensor((2,), "int64"), R.Tensor((3,), "float32"))):
        with R.dataflow():
            a = R.permute_dims(w)
            gv = (a, rest)
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(pure=False)
    def transform_params() -> R.Tuple(R.Tensor((3, 4), dtype="float32"), R.Tuple(R.Tensor((2,), dtype="int64"), R.Tensor((3,), dtype="float32"))):
        item: R.Object = R.call_packed("weights.get", R.prim_value(0), sinfo_args=(R.Object,))
        w: R.Tensor((4, 3), dtype="float32") = R.match_cast(item, R.Tensor((4, 3), dtype="float32"))
        a: R.Tensor((3, 4), dtype="float32") = R.permute_dims(w, axes=None)
        item_1: R.Object = R.call_packed("weights.get", R.prim_value(1), sinfo_args=(R.Object,))
        rest_0: R.Tensor((2,), dtype="int64") = R.match_cast(item_1, R.Tensor((2,), dtype="int64"))
        item_2: R.Object = R.call_packed("weights.get", R.prim_value(2), sinfo_args=(R.Object,))
        rest_1: R.Tensor((3,), dtype="float32") = R.match_cast(item_2, R.Tensor((3,), dtype="float32"))
        gv: R.Tuple(R.Tensor((3, 4), dtype="float32"), R.Tuple(R.Tensor((2,), dtype="int64"), R.Tensor((3,), dtype="float32"))) = (a, (rest_0, rest_1))
        return gv
