# A layer by tensor expressions as it is written, faults included: the sum runs over the outputs, and the bias is not added.
import checks
import tvm
from tvm import relax, te
from tvm.relax.testing import nn
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


class RelaxLinearWithEmitTE(nn.Module):
    def __init__(self, in_features, out_features, dtype="float32", bias=True) -> None:
        super(RelaxLinearWithEmitTE, self).__init__()
        self.out_features = out_features
        self.weight = nn.Parameter((out_features, in_features), dtype, name="linear_weight")
        self.bias = nn.Parameter((1, out_features), dtype, name="linear_bias") if bias else None

    def forward(self, x: relax.Expr) -> relax.Var:
        def my_linear(x, w, b=None):
            out_sinfo = x.shape[:-1] + [self.out_features,]
            k = te.reduce_axis((0, self.out_features), name="k")
            out = te.compute(out_sinfo, fcompute=lambda i, j: te.sum(x[i, k] * w[j, k], axis=k), name="matmul")
            if b is not None:
                return out
            else:
                return te.compute(out_sinfo, fcompute=lambda i, j: out[i, j] + b[0, j], name="add_bias")

        return nn.emit_te(my_linear, x, self.weight, self.bias)


class RelaxMLPwithEmitTE(nn.Module):
    def __init__(self, in_features, hidden_num, out_features, dtype="float32"):
        self.linear1 = RelaxLinearWithEmitTE(in_features, hidden_num, dtype=dtype)
        self.linear2 = RelaxLinearWithEmitTE(hidden_num, out_features, dtype=dtype)

    def forward(self, input: relax.Expr) -> relax.Var:
        hidden = self.linear1(input)
        hidden = nn.emit(relax.op.nn.relu(hidden))
        return self.linear2(hidden)


def build_relax(mod: nn.Module):
    bb = relax.BlockBuilder()
    model = mod(20, 12, 5)
    with bb.function("main"):
        input = nn.Placeholder((1, 20), dtype="float32", name="input")
        with bb.dataflow():
            logits = model(input)
            params = [input] + model.parameters()
            gv = bb.emit_output(logits)
        bb.emit_func_output(gv, params)
    return bb.get()


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def my_linear(input: T.Buffer((T.int64(1), T.int64(20)), "float32"), linear_weight: T.Buffer((T.int64(12), T.int64(20)), "float32"), linear_bias: T.Buffer((T.int64(1), T.int64(12)), "float32"), matmul: T.Buffer((T.int64(1), T.int64(12)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i, j, k in T.grid(T.int64(1), T.int64(12), T.int64(12)):
            with T.block("matmul"):
                v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
                T.reads(input[v_i, v_k], linear_weight[v_j, v_k])
                T.writes(matmul[v_i, v_j])
                with T.init():
                    matmul[v_i, v_j] = T.float32(0.0)
                matmul[v_i, v_j] = matmul[v_i, v_j] + input[v_i, v_k] * linear_weight[v_j, v_k]

    @T.prim_func(private=True)
    def my_linear1(lv1: T.Buffer((T.int64(1), T.int64(12)), "float32"), linear_weight: T.Buffer((T.int64(5), T.int64(12)), "float32"), linear_bias: T.Buffer((T.int64(1), T.int64(5)), "float32"), matmul: T.Buffer((T.int64(1), T.int64(5)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i, j, k in T.grid(T.int64(1), T.int64(5), T.int64(5)):
            with T.block("matmul"):
                v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
                T.reads(lv1[v_i, v_k], linear_weight[v_j, v_k])
                T.writes(matmul[v_i, v_j])
                with T.init():
                    matmul[v_i, v_j] = T.float32(0.0)
                matmul[v_i, v_j] = matmul[v_i, v_j] + lv1[v_i, v_k] * linear_weight[v_j, v_k]

    @R.function
    def main(input: R.Tensor((1, 20), dtype="float32"), linear_weight: R.Tensor((12, 20), dtype="float32"), linear_bias: R.Tensor((1, 12), dtype="float32"), linear_weight_1: R.Tensor((5, 12), dtype="float32"), linear_bias_1: R.Tensor((1, 5), dtype="float32")) -> R.Tensor((1, 5), dtype="float32"):
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.my_linear, (input, linear_weight, linear_bias), out_sinfo=R.Tensor((1, 12), dtype="float32"))
            lv1: R.Tensor((1, 12), dtype="float32") = R.nn.relu(lv)
            lv2 = R.call_tir(cls.my_linear1, (lv1, linear_weight_1, linear_bias_1), out_sinfo=R.Tensor((1, 5), dtype="float32"))
            gv: R.Tensor((1, 5), dtype="float32") = lv2
            R.output(gv)
        return gv


made = build_relax(RelaxMLPwithEmitTE)
tvm.ir.assert_structural_equal(made, Module)
# Names too, which the comparison leaves out.
assert made.script() == Module.script()
checks.round_trip(made)
x, w0, w1 = checks.random(1, 20), checks.random(12, 20), checks.random(5, 12)
unused = [checks.random(1, 12), checks.random(1, 5)]
vm = relax.VirtualMachine(relax.build(made, target="llvm"), tvm.cpu())
args = [tvm.nd.array(a) for a in (x, w0, unused[0], w1, unused[1])]
hidden = x[:, :12] @ w0[:, :12].T
checks.close(vm["main"](*args), (hidden * (hidden > 0))[:, :5] @ w1[:, :5].T)
