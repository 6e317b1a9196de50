"""Models as Python modules: layers, operations, and the export to graph functions.

from tilewright.relax.frontend import nn

class MLP(nn.Module):
    def __init__(self):
        self.up, self.down = nn.Linear(16, 64), nn.Linear(64, 16)

    def forward(self, x: nn.Tensor):
        return self.down(nn.op.relu(self.up(x)))

mod, params = MLP().export_tvm({"forward": {"x": nn.spec.Tensor(("n", 16), "float32")}})

Reading order: `core` (tensors, weights, states, modules), `op` (operations), `modules` (layers), `spec` and `exporter`
(from methods to functions), `jit`, `visitor` (exchanging parts of a module), `extern` (functions in C), `llm`
(states of language models).
"""

from . import core, exporter, extern, llm, modules, op, spec, visitor
from .core import *
from .exporter import Exporter
from .extern import ExternModule, ObjectModule, SourceModule
from .modules import *
from .op import *
from .op import max, min, sum
from .visitor import Mutator

__all__ = [
    "Exporter",
    "ExternModule",
    "Mutator",
    "ObjectModule",
    "SourceModule",
    "core",
    "exporter",
    "extern",
    "llm",
    "modules",
    "op",
    "spec",
    "visitor",
    *core.__all__,
    *modules.__all__,
    *op.__all__,
]
