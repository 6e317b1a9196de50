# A linear layer as a module in PyTorch's manner, beside PyTorch's own.
import checks
import torch
import tvm
from tvm import relax
from tvm.relax.testing import nn


class TorchLinear(torch.nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.from_numpy(checks.random(out_features, in_features)))
        self.bias = torch.nn.Parameter(torch.from_numpy(checks.random(out_features))) if bias else None

    def forward(self, x):
        product = x @ self.weight.T
        return product if self.bias is None else product + self.bias


class RelaxLinear(nn.Module):
    def __init__(self, in_features, out_features, dtype: str, bias=True) -> None:
        super(RelaxLinear, self).__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = nn.Parameter((out_features, in_features), dtype, name="linear_weight")
        if bias:
            self.bias = nn.Parameter((1, out_features), dtype, name="linear_bias")
        else:
            self.bias = None

    def forward(self, x: relax.Expr) -> relax.Var:
        return nn.emit(relax.op.linear(x, self.weight, self.bias))


for bias in (True, False):
    ours, theirs = RelaxLinear(20, 5, "float32", bias), TorchLinear(20, 5, bias)
    assert [p.name_hint for p in ours.parameters()] == ["linear_weight", "linear_bias"][: 1 + bias]
    assert all(isinstance(p, nn.Parameter) and isinstance(p, relax.Var) for p in ours.parameters())
    bb = relax.BlockBuilder()
    with bb.function("main"):
        data = nn.Placeholder((3, 20), dtype="float32", name="data")
        assert isinstance(data, relax.Var)
        with bb.dataflow():
            out = bb.emit_output(ours(data))
        bb.emit_func_output(out, [data] + ours.parameters())
    vm = relax.VirtualMachine(relax.build(bb.get(), target="llvm"), tvm.cpu())
    x = checks.random(3, 20)
    weights = [tvm.nd.array(p.detach().numpy().reshape(-1, p.shape[-1])) for p in theirs.parameters()]
    checks.close(vm["main"](tvm.nd.array(x), *weights), theirs(torch.from_numpy(x)).detach().numpy())
