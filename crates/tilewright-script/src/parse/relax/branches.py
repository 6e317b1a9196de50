# Conditions: nested, `elif`, tuples as results, a cast as the last binding, one branch that calls a function.
# test: print
# run: main(f32[3]=[1, -2, 0.5], bool[]=[1], bool[]=[0]) == same
# run: main(f32[3]=[1, -2, 0.5], bool[]=[0], bool[]=[1]) == same
# run: main(f32[3]=[1, -2, 0.5], bool[]=[0], bool[]=[0]) == same
# run: pair(f32[3]=[1, -2, 0.5], bool[]=[0]) == same
# run: pair(f32[3]=[1, -2, 0.5], bool[]=[1]) == same
# run: cast(f32[3]=[1, -2, 0.5], bool[]=[1]) == same

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), a: R.Tensor((), "bool"), b: R.Tensor((), "bool")):
        if a:
            y = R.nn.relu(x)
        elif b:
            if a:
                y = x
            else:
                z = R.negative(x)
                y = R.negative(z)
        else:
            y = R.add(x, x)
        return y

    @R.function
    def pair(x: R.Tensor((3,), "float32"), a: R.Tensor((), "bool")):
        cls = Module
        if a:
            with R.dataflow():
                lv = R.nn.relu(x)
                gv = R.add(lv, x)
                R.output(gv)
            t = (gv, (x, R.prim_value(1)))
        else:
            y = cls.main(x, a, a)
            t = (y, (x, R.prim_value(2)))
        return t

    @R.function
    def cast(x: R.Tensor((3,), "float32"), a: R.Tensor((), "bool")):
        if a:
            y = R.match_cast(x, R.Tensor((3,), "float32"))
        else:
            y = R.match_cast(x, R.Tensor((3,), "float32"))
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def cast(x: R.Tensor((3,), dtype="float32"), a: R.Tensor((), dtype="bool")) -> R.Tensor((3,), dtype="float32"):
        if a:
            y_1: R.Tensor((3,), dtype="float32") = R.match_cast(x, R.Tensor((3,), dtype="float32"))
            y: R.Tensor((3,), dtype="float32") = y_1
        else:
            y_2: R.Tensor((3,), dtype="float32") = R.match_cast(x, R.Tensor((3,), dtype="float32"))
            y: R.Tensor((3,), dtype="float32") = y_2
        return y

    @R.function
    def main(x: R.Tensor((3,), dtype="float32"), a: R.Tensor((), dtype="bool"), b: R.Tensor((), dtype="bool")) -> R.Tensor((3,), dtype="float32"):
        if a:
            y: R.Tensor((3,), dtype="float32") = R.nn.relu(x)
        else:
            if b:
                if a:
                    y: R.Tensor((3,), dtype="float32") = x
                else:
                    z: R.Tensor((3,), dtype="float32") = R.negative(x)
                    y: R.Tensor((3,), dtype="float32") = R.negative(z)
            else:
                y: R.Tensor((3,), dtype="float32") = R.add(x, x)
        return y

    @R.function
    def pair(x: R.Tensor((3,), dtype="float32"), a: R.Tensor((), dtype="bool")) -> R.Tuple(R.Tensor((3,), dtype="float32"), R.Tuple(R.Tensor((3,), dtype="float32"), R.Prim("int64"))):
        cls = Module
        if a:
            with R.dataflow():
                lv: R.Tensor((3,), dtype="float32") = R.nn.relu(x)
                gv: R.Tensor((3,), dtype="float32") = R.add(lv, x)
                R.output(gv)
            t: R.Tuple(R.Tensor((3,), dtype="float32"), R.Tuple(R.Tensor((3,), dtype="float32"), R.Prim("int64"))) = (gv, (x, R.prim_value(1)))
        else:
            y: R.Tensor((3,), dtype="float32") = cls.main(x, a, a)
            t: R.Tuple(R.Tensor((3,), dtype="float32"), R.Tuple(R.Tensor((3,), dtype="float32"), R.Prim("int64"))) = (y, (x, R.prim_value(2)))
        return t
