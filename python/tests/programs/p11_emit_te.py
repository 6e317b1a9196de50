# The layer by tensor expressions as it was meant: the sum over the inputs, then the bias.
import checks
import numpy as np
import tvm
from tvm import relax, te
from tvm.relax.testing import nn


class RelaxLinearWithEmitTE(nn.Module):
    def __init__(self, in_features, out_features, dtype="float32", bias=True) -> None:
        super(RelaxLinearWithEmitTE, self).__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = nn.Parameter((out_features, in_features), dtype, name="linear_weight")
        self.bias = nn.Parameter((1, out_features), dtype, name="linear_bias") if bias else None

    def forward(self, x: relax.Expr) -> relax.Var:
        def my_linear(x, w, b=None):
            out_sinfo = x.shape[:-1] + [self.out_features,]
            k = te.reduce_axis((0, self.in_features), name="k")
            out = te.compute(out_sinfo, fcompute=lambda i, j: te.sum(x[i, k] * w[j, k], axis=k), name="matmul")
            if b is None:
                return out
            return te.compute(out_sinfo, fcompute=lambda i, j: out[i, j] + b[0, j], name="add_bias")

        return nn.emit_te(my_linear, x, self.weight, self.bias)


class RelaxMLPwithEmitTE(nn.Module):
    def __init__(self, in_features, hidden_num, out_features, dtype="float32", bias=True):
        super().__init__()
        self.linear1 = RelaxLinearWithEmitTE(in_features, hidden_num, dtype, bias)
        self.linear2 = RelaxLinearWithEmitTE(hidden_num, out_features, dtype, bias)

    def forward(self, input: relax.Expr) -> relax.Var:
        hidden = self.linear1(input)
        hidden = nn.emit(relax.op.nn.relu(hidden))
        return self.linear2(hidden)


params = checks.mlp_params()
x = checks.random(1, 20)
for bias in (True, False):
    bb = relax.BlockBuilder()
    model = RelaxMLPwithEmitTE(20, 12, 5, bias=bias)
    with bb.function("main"):
        input = nn.Placeholder((1, 20), dtype="float32", name="input")
        with bb.dataflow():
            gv = bb.emit_output(model(input))
        bb.emit_func_output(gv, [input] + model.parameters())
    made = bb.get()
    script = made.script()
    assert ('with T.block("add_bias"):' in script) == bias
    # A temporary between the two formulas, not a second parameter that is written.
    assert script.count("T.alloc_buffer(") == 2 * bias
    checks.round_trip(made)
    b0, b1 = params["b0"][None] * bias, params["b1"][None] * bias
    given = [x, params["w0"], b0, params["w1"], b1] if bias else [x, params["w0"], params["w1"]]
    for module in (made, relax.get_pipeline()(made)):
        vm = relax.VirtualMachine(relax.build(module, target="llvm"), tvm.cpu())
        checks.close(vm["main"](*map(tvm.nd.array, given)), checks.mlp(x, params["w0"], b0, params["w1"], b1))
assert not np.allclose(checks.mlp(x, params["w0"], b0, params["w1"], b1), checks.mlp(x, **params))
