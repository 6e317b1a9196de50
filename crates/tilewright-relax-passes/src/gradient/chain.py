# Sums of uses, operands that broadcast, fields of tuples, transposes that cancel; zeros where the target needs nothing.
# test: opt --pass Gradient:func_name=main


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((2, 3), "float32"),
        w: R.Tensor((4, 3), "float32"),
        b: R.Tensor((4,), "float32"),
        unused: R.Tensor((2,), "float32"),
    ):
        with R.dataflow():
            t = R.permute_dims(w)
            y = R.add(R.matmul(x, t), b)
            parts = R.split(y, 2, axis=1)
            z = R.multiply(parts[0], parts[0])
            pair = (z, parts[1])
            gv = R.sum(R.add(pair[0], pair[1]))
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), w: R.Tensor((4, 3), dtype="float32"), b: R.Tensor((4,), dtype="float32"), unused: R.Tensor((2,), dtype="float32")) -> R.Tensor((), dtype="float32"):
        with R.dataflow():
            t: R.Tensor((3, 4), dtype="float32") = R.permute_dims(w, axes=None)
            lv: R.Tensor((2, 4), dtype="float32") = R.matmul(x, t, out_dtype="void")
            y: R.Tensor((2, 4), dtype="float32") = R.add(lv, b)
            parts: R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")) = R.split(y, indices_or_sections=2, axis=1)
            lv1: R.Tensor((2, 2), dtype="float32") = parts[0]
            lv2: R.Tensor((2, 2), dtype="float32") = parts[0]
            z: R.Tensor((2, 2), dtype="float32") = R.multiply(lv1, lv2)
            lv3: R.Tensor((2, 2), dtype="float32") = parts[1]
            pair: R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")) = (z, lv3)
            lv4: R.Tensor((2, 2), dtype="float32") = pair[0]
            lv5: R.Tensor((2, 2), dtype="float32") = pair[1]
            lv6: R.Tensor((2, 2), dtype="float32") = R.add(lv4, lv5)
            gv: R.Tensor((), dtype="float32") = R.sum(lv6, axis=None, keepdims=False)
            R.output(gv)
        return gv

    @R.function
    def main_adjoint(x: R.Tensor((2, 3), dtype="float32"), w: R.Tensor((4, 3), dtype="float32"), b: R.Tensor((4,), dtype="float32"), unused: R.Tensor((2,), dtype="float32")) -> R.Tuple(R.Tensor((), dtype="float32"), R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tensor((4, 3), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((2,), dtype="float32"))):
        with R.dataflow():
            t: R.Tensor((3, 4), dtype="float32") = R.permute_dims(w, axes=None)
            lv: R.Tensor((2, 4), dtype="float32") = R.matmul(x, t, out_dtype="void")
            y: R.Tensor((2, 4), dtype="float32") = R.add(lv, b)
            parts: R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")) = R.split(y, indices_or_sections=2, axis=1)
            lv1: R.Tensor((2, 2), dtype="float32") = parts[0]
            lv2: R.Tensor((2, 2), dtype="float32") = parts[0]
            z: R.Tensor((2, 2), dtype="float32") = R.multiply(lv1, lv2)
            lv3: R.Tensor((2, 2), dtype="float32") = parts[1]
            pair: R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")) = (z, lv3)
            lv4: R.Tensor((2, 2), dtype="float32") = pair[0]
            lv5: R.Tensor((2, 2), dtype="float32") = pair[1]
            lv6: R.Tensor((2, 2), dtype="float32") = R.add(lv4, lv5)
            gv: R.Tensor((), dtype="float32") = R.sum(lv6, axis=None, keepdims=False)
            gv_adjoint: R.Tensor((), dtype="float32") = R.ones(R.shape([]), dtype="float32")
            lv6_adjoint: R.Tensor((2, 2), dtype="float32") = R.broadcast_to(gv_adjoint, R.shape([2, 2]))
            lv4_adjoint: R.Tensor((2, 2), dtype="float32") = lv6_adjoint
            lv5_adjoint: R.Tensor((2, 2), dtype="float32") = lv6_adjoint
            lv7: R.Tensor((2, 2), dtype="float32") = R.zeros(R.shape([2, 2]), dtype="float32")
            pair_adjoint: R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")) = (lv7, lv5_adjoint)
            lv8: R.Tensor((2, 2), dtype="float32") = pair_adjoint[0]
            lv9: R.Tensor((2, 2), dtype="float32") = R.add(lv8, lv4_adjoint)
            lv10: R.Tensor((2, 2), dtype="float32") = pair_adjoint[1]
            pair_adjoint1: R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")) = (lv9, lv10)
            z_adjoint: R.Tensor((2, 2), dtype="float32") = pair_adjoint1[0]
            lv3_adjoint: R.Tensor((2, 2), dtype="float32") = pair_adjoint1[1]
            lv11: R.Tensor((2, 2), dtype="float32") = R.zeros(R.shape([2, 2]), dtype="float32")
            parts_adjoint: R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")) = (lv11, lv3_adjoint)
            lv1_adjoint: R.Tensor((2, 2), dtype="float32") = R.multiply(z_adjoint, lv2)
            lv2_adjoint: R.Tensor((2, 2), dtype="float32") = R.multiply(z_adjoint, lv1)
            lv12: R.Tensor((2, 2), dtype="float32") = parts_adjoint[0]
            lv13: R.Tensor((2, 2), dtype="float32") = R.add(lv12, lv2_adjoint)
            lv14: R.Tensor((2, 2), dtype="float32") = parts_adjoint[1]
            parts_adjoint1: R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")) = (lv13, lv14)
            lv15: R.Tensor((2, 2), dtype="float32") = parts_adjoint1[0]
            lv16: R.Tensor((2, 2), dtype="float32") = R.add(lv15, lv1_adjoint)
            lv17: R.Tensor((2, 2), dtype="float32") = parts_adjoint1[1]
            parts_adjoint2: R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")) = (lv16, lv17)
            y_adjoint: R.Tensor((2, 4), dtype="float32") = R.concat(parts_adjoint2, axis=1)
            lv_adjoint: R.Tensor((2, 4), dtype="float32") = y_adjoint
            b_adjoint: R.Tensor((4,), dtype="float32") = R.collapse_sum_to(y_adjoint, R.shape([4]))
            x_adjoint: R.Tensor((2, 3), dtype="float32") = R.matmul(lv_adjoint, w, out_dtype="void")
            lv_1: R.Tensor((4, 2), dtype="float32") = R.permute_dims(lv_adjoint, axes=[1, 0])
            w_adjoint: R.Tensor((4, 3), dtype="float32") = R.matmul(lv_1, x, out_dtype="void")
            x_adjoint_out: R.Tensor((2, 3), dtype="float32") = x_adjoint
            w_adjoint_out: R.Tensor((4, 3), dtype="float32") = w_adjoint
            b_adjoint_out: R.Tensor((4,), dtype="float32") = b_adjoint
            unused_adjoint: R.Tensor((2,), dtype="float32") = R.zeros(R.shape([2]), dtype="float32")
            unused_adjoint_out: R.Tensor((2,), dtype="float32") = unused_adjoint
            R.output(gv, x_adjoint_out, w_adjoint_out, b_adjoint_out, unused_adjoint_out)
        return (gv, (x_adjoint_out, w_adjoint_out, b_adjoint_out, unused_adjoint_out))
