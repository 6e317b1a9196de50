# Not folded: effects, results much larger than their arguments, symbolic sizes, faults, and unused results.
# test: opt --pass BindParams:w --pass FoldConstant
# run: main(f32[3,256], f32[256], bool[]=[0]) == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def divided(a: T.Buffer((2,), "int32"), b: T.Buffer((256,), "float32")):
        for i in range(256):
            with T.block("b"):
                vi = T.axis.spatial(256, i)
                b[vi] = T.Cast("float32", T.floordiv(a[0], T.int32(0)))

    @T.prim_func(private=True)
    def filled(b: T.Buffer((256, 256), "float32")):
        for i, j in T.grid(256, 256):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                b[vi, vj] = T.float32(2)

    @R.function(pure=False)
    def main(x: R.Tensor(("n", 256), "float32"), w: R.Tensor((256,), "float32"), never: R.Tensor((), "bool")):
        n = T.int64()
        cls = Module
        large = R.call_tir(cls.filled, (), out_sinfo=R.Tensor((256, 256), "float32"))
        place = R.builtin.alloc_tensor(R.shape([256]), dtype="float32", runtime_device_index=0)
        _ = R.call_packed("test.copy", w, place, sinfo_args=R.Object)
        unused = R.negative(w)
        if never:
            bad = R.call_tir(cls.divided, (R.const([1, 2], "int32"),), out_sinfo=R.Tensor((256,), "float32"))
            y = R.add(bad, w)
        else:
            y = R.add(w, place)
        z = R.matmul(x, large)
        return R.add(z, y)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def divided(a: T.Buffer((2,), "int32"), b: T.Buffer((256,), "float32")):
        # with T.block("root"):
        for i in range(256):
            with T.block("b"):
                vi = T.axis.spatial(256, i)
                T.reads(a[0])
                T.writes(b[vi])
                b[vi] = T.Cast("float32", a[0] // 0)

    @T.prim_func(private=True)
    def filled(b: T.Buffer((256, 256), "float32")):
        # with T.block("root"):
        for i, j in T.grid(256, 256):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads()
                T.writes(b[vi, vj])
                b[vi, vj] = T.float32(2.0)

    @R.function(pure=False)
    def main(x: R.Tensor(("n", 256), dtype="float32"), never: R.Tensor((), dtype="bool")) -> R.Tensor(("n", 256), dtype="float32"):
        n = T.int64()
        cls = Module
        large = R.call_tir(cls.filled, (), out_sinfo=R.Tensor((256, 256), dtype="float32"))
        place: R.Tensor((256,), dtype="float32") = R.builtin.alloc_tensor(R.shape([256]), dtype="float32", runtime_device_index=0, storage_scope="global")
        _: R.Object = R.call_packed("test.copy", metadata["relax.expr.Constant"][0], place, sinfo_args=(R.Object,))
        unused: R.Tensor((256,), dtype="float32") = R.negative(metadata["relax.expr.Constant"][0])
        if never:
            bad = R.call_tir(cls.divided, (metadata["relax.expr.Constant"][1],), out_sinfo=R.Tensor((256,), dtype="float32"))
            gv: R.Tensor((256,), dtype="float32") = R.add(bad, metadata["relax.expr.Constant"][0])
            y: R.Tensor((256,), dtype="float32") = gv
        else:
            gv_1: R.Tensor((256,), dtype="float32") = R.add(metadata["relax.expr.Constant"][0], place)
            y: R.Tensor((256,), dtype="float32") = gv_1
        z: R.Tensor((n, 256), dtype="float32") = R.matmul(x, large, out_dtype="void")
        gv_2: R.Tensor((n, 256), dtype="float32") = R.add(z, y)
        return gv_2

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [256], "data": "VOPlv7gehT+28/2+JQaRP+xRuL/Zzrc/okWWP2Zmtr+WQ/u/okX2PuOlmz+6Sbw/Vg6Nv0a28z+PwrU/TmIQPvp+qr5OYqA/pptEPka2875WDi2+/KmBv/Cn9r9I4ao/5dDyP9v5zj9xPSo/K4f2v1g51D/8qfG/BFbOv42Xbj6TGPS/7FG4vgaB5T++n+q/cT2KPwRWnj8IrJy+ObQoP1pk27+iRba9hxY5P9v5rj/+1Di/c2jRPwwCK77VeMm/mpk5vwaBNT8/NT4/TDcJv28Sk79qvJS/SOGKv76f2j81Xrq+PzXeP1Tjpb7pJrE/LbKNP1CNF75YOTQ/7FEYv5zEkD93vh8/fT+FP0a2oz+28x2/WmTLv9NN8j8GgdU/ke2MP1yPkr+YblK/MzNzP39qvDx56QY/rBzKP1g5xD9/arw8exTuvkjhej5cj5I/MzODP3E96r+2810/HVqkPuF61D4Sg+A/exSOPwaBVT/8qRE/+n4qv7x0c7/hevQ/LbLdv5zEgL8v3cQ/VOOVv28SAztxPZo/9P1UPRkEVj6PwhW/1Xjpvp7vtz9CYOW7LbIdPhsvPT/D9Ug/7nz/vt0khr5/ajw+arzkv9nO9z/8qTG/MQhMP+xROD4/NX4/c2gxP0w3+T/sUbg+Vg7tv+Ol2z+JQeC+NV76P7Kd/79MN2m/Aiv3v/p+ur+wcpi/sHLYPw4t0j9MN6k/bxIjPx1aZL/+1Hi/9P3Uv65HgT93vo8/tvP9vSuHVj8K1yO8AACwv76f6j8xCGy/30+NPwAAsL9CYPW/MQgsvwIrJz91kxg+ppvEP76fqr9vEgO916Owv5ZDKz+6SQy/eemWv1K4nj47348/d74fPjMzM76mm5S/tvOdPy/dpD5okW2/arxUP05iML+0yJY/mG7yv6rxkr4GgZU+CKzcPrTI9j7LoZU/hxbZvmiRjT8xCKy+rkcBP8uhRT9YOZQ/lkP7v4/ClT+kcD0/y6HVP6wc2r7pJqE/oBoPv65H4b41Xuq/TDcJPhfZTr4IrJw/vHTTP9V4Cb8CKwe9d77fvoGVQ75WDv2/L90EPzMz0z85tAg/AABgP9nOF78IrHw/XI+CPjeJgT/l0GI/IbAyv+F69D8rh5Y+aryUv3e+vz9t5zs/EoNAP1yPIr+TGAS+HVqkPjeJsT/l0NK//tSIv7geRT/heoS/rkdBv9V4KT+HFtm/4XqUvrKdLz+iRaa/YOWgvz0Kdz+mm8S9RraDvwIr17+wcvg/yXa+P/LSzb/LoWU/RIssPxBYqb956da/nMTAv1YOvb9GtoM//tQ4v1CNVz/ByqE97nw/vxKD8L/pJvE+4XrEP3e+vz8AAAC/f2q8Pg=="},
    {"dtype": "int32", "shape": [2], "data": "AQAAAAIAAAA="},
]}
