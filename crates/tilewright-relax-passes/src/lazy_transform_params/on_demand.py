# Each weight is fetched before its first use, those that say dimensions at once; each result is handed over when it is
# computed, what is none of the function's own at the end.
# test: opt --pass LazyTransformParams


@I.ir_module
class Module:
    @R.function
    def main_transform_params(
        params: R.Tuple(R.Tensor((4, 3), "float32"), R.Tensor(("n",), "float32"), R.Tensor((2,), "int64"), R.Tensor((4, 3), "float32")),
    ) -> R.Tuple(R.Tensor, R.Tensor, R.Tensor, R.Tensor, R.Tensor):
        n = T.int64()
        R.func_attr({"num_input": 0})
        with R.dataflow():
            o = R.ones((n,), "float32")
            w = params[0]
            a = R.permute_dims(w)
            v = params[1]
            b = R.add(o, v)
            u = params[3]
            c = R.subtract(u, w)
            kept = params[2]
            gv = (a, kept, b, R.const(1.0, "float32"), a)
            R.output(gv, c)
        return gv

    @R.function
    def other(params: R.Tuple(R.Tensor((4,), "float32"))):
        return params[0]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(pure=False)
    def main_transform_params() -> R.Tuple():
        n = T.int64()
        item: R.Object = R.call_packed("get_item", R.prim_value(1), sinfo_args=(R.Object,))
        params_1: R.Tensor((n,), dtype="float32") = R.match_cast(item, R.Tensor((n,), dtype="float32"))
        o: R.Tensor((n,), dtype="float32") = R.ones(R.shape([n]), dtype="float32")
        item_1: R.Object = R.call_packed("get_item", R.prim_value(0), sinfo_args=(R.Object,))
        w: R.Tensor((4, 3), dtype="float32") = R.match_cast(item_1, R.Tensor((4, 3), dtype="float32"))
        a: R.Tensor((3, 4), dtype="float32") = R.permute_dims(w, axes=None)
        _: R.Object = R.call_packed("set_item", R.prim_value(0), a, sinfo_args=(R.Object,))
        __1: R.Object = R.call_packed("set_item", R.prim_value(4), a, sinfo_args=(R.Object,))
        v: R.Tensor((n,), dtype="float32") = params_1
        b: R.Tensor((n,), dtype="float32") = R.add(o, v)
        __2: R.Object = R.call_packed("set_item", R.prim_value(2), b, sinfo_args=(R.Object,))
        item_2: R.Object = R.call_packed("get_item", R.prim_value(3), sinfo_args=(R.Object,))
        u: R.Tensor((4, 3), dtype="float32") = R.match_cast(item_2, R.Tensor((4, 3), dtype="float32"))
        c: R.Tensor((4, 3), dtype="float32") = R.subtract(u, w)
        item_3: R.Object = R.call_packed("get_item", R.prim_value(2), sinfo_args=(R.Object,))
        kept: R.Tensor((2,), dtype="int64") = R.match_cast(item_3, R.Tensor((2,), dtype="int64"))
        __3: R.Object = R.call_packed("set_item", R.prim_value(1), kept, sinfo_args=(R.Object,))
        __4: R.Object = R.call_packed("set_item", R.prim_value(3), R.const(1.0, "float32"), sinfo_args=(R.Object,))
        return R.tuple()

    @R.function
    def other(params: R.Tuple(R.Tensor((4,), dtype="float32"))) -> R.Tensor((4,), dtype="float32"):
        gv: R.Tensor((4,), dtype="float32") = params[0]
        return gv
