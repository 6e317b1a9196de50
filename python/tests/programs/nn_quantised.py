# A model whose layers a mutator exchanges for ones with weights of 4 bits, as definitions of language models do it.
from typing import Any, Optional

import checks
import numpy as np
import tvm
from tvm import relax, te, tir
from tvm.relax.frontend import nn
from tvm.relax.frontend.nn import Tensor, op


class GroupQuantizeLinear(nn.Module):
    def __init__(self, in_features: int, out_features: int, bias: bool, group: int = 4) -> None:
        super().__init__()
        self.in_features, self.out_features, self.group = in_features, out_features, group
        self.q_weight = nn.Parameter((out_features, in_features // 8), "uint32")
        self.q_scale = nn.Parameter((out_features, in_features // group), "float32")
        self.bias = nn.Parameter((out_features,), "float32") if bias else None

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        def dequantize(weight: te.Tensor, scale: te.Tensor):
            def value(i, j):
                shift = ((j % 8) * 4).astype("uint32")
                bits = tir.bitwise_and(tir.shift_right(weight[i, j // 8], shift), tir.const(15, "uint32"))
                return (bits.astype("float32") - tir.const(7, "float32")) * scale[i, j // self.group]

            return te.compute((self.out_features, self.in_features), value, name="dequantize")

        w = op.tensor_expr_op(dequantize, name_hint="dequantize", args=[self.q_weight, self.q_scale])
        x = nn.op.matmul(x, nn.op.permute_dims(w), out_dtype="float32")
        return x if self.bias is None else x + self.bias


class Quantize(nn.Mutator):
    def visit_module(self, name: str, node: nn.Module) -> Any:
        if isinstance(node, nn.Linear):
            return GroupQuantizeLinear(node.in_features, node.out_features, node.bias is not None)
        return self.visit(name, node)


class MLP(nn.Module):
    def __init__(self) -> None:
        self.gate_up_proj = nn.Linear(16, 32, bias=False)
        self.down_proj = nn.Linear(16, 16)

    def forward(self, x: Tensor) -> Tensor:
        x1, x2 = op.split(self.gate_up_proj(x), 2, axis=-1)
        return self.down_proj(op.silu(x1) * x2)


class Model(nn.Module):
    def __init__(self) -> None:
        self.layers = nn.ModuleList([MLP() for _ in range(2)])
        self.dtype = "float32"

    def to(self, dtype: Optional[str] = None) -> None:
        super().to(dtype=dtype)
        if dtype is not None:
            self.dtype = dtype

    def prefill(self, x: Tensor) -> Tensor:
        def _index(x: te.Tensor):
            b, s, d = x.shape
            return te.compute((b, 1, d), lambda i, _, k: x[i, s - 1, k], name="index")

        for layer in self.layers:
            x = layer(x)
        return op.tensor_expr_op(_index, name_hint="index", args=[x])

    def softmax_with_temperature(self, logits: Tensor, temperature: Tensor) -> Tensor:
        return op.softmax(logits / op.reshape(temperature, (temperature.shape[0], 1, 1)), axis=-1)

    def get_default_spec(self):
        return nn.spec.ModuleSpec.from_raw(
            {
                "prefill": {
                    "x": nn.spec.Tensor([1, "seq_len", 16], self.dtype),
                    "$": {"param_mode": "packed", "effect_mode": "none"},
                },
                "softmax_with_temperature": {
                    "logits": nn.spec.Tensor(["batch_size", 1, "vocab_size"], "float32"),
                    "temperature": nn.spec.Tensor(["batch_size"], "float32"),
                    "$": {"param_mode": "none", "effect_mode": "none"},
                },
            },
            self,
        )


model = Quantize().visit_module("", Model())
mod, named_params, ext_mods = model.export_tvm(spec=model.get_default_spec(), allow_extern=True)
assert ext_mods == [] and len(named_params) == 10
checks.round_trip(mod)
random = np.random.default_rng(0)
values = {}
for name, param in named_params:
    bits = random.integers(0, 2**32, param.shape, dtype="uint64").astype("uint32")
    values[name] = bits if param.dtype == "uint32" else checks.random(*param.shape) / 10


def weights(name):
    q, scale = values[f"{name}.q_weight"], values[f"{name}.q_scale"]
    numbers = np.stack([q >> (4 * k) & 15 for k in range(8)], -1).reshape(q.shape[0], -1)
    return (numbers.astype("float32") - 7) * scale.repeat(4, 1)


vm = relax.VirtualMachine(relax.build(mod, target="llvm"), tvm.cpu())
x = checks.random(1, 5, 16)
expected = x
for at in range(2):
    gate, up = np.split(expected @ weights(f"layers.{at}.gate_up_proj").T, 2, -1)
    expected = gate / (1 + np.exp(-gate)) * up
    expected = expected @ weights(f"layers.{at}.down_proj").T + values[f"layers.{at}.down_proj.bias"]
packed = tuple(tvm.nd.array(values[name]) for name, _ in named_params)
checks.close(vm["prefill"](tvm.nd.array(x), packed), expected[:, -1:])
logits, temperature = checks.random(2, 1, 7), np.array([0.5, 2], "float32")
scaled = np.exp(logits / temperature[:, None, None])
found = vm["softmax_with_temperature"](tvm.nd.array(logits), tvm.nd.array(temperature))
checks.close(found, scaled / scaled.sum(-1, keepdims=True))
