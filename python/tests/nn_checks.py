"""What the tests of `relax.frontend.nn` share: specifications, random values, modules of a function."""

from pathlib import Path

import numpy as np

from tilewright.relax.frontend import nn

F32 = "float32"


def tensor(*shape, dtype=F32):
    return nn.spec.Tensor(shape, dtype)


def random(*shape, seed=0):
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(F32)


class Of(nn.Module):
    """A module of a function."""

    def __init__(self, function, **attributes):
        vars(self).update(attributes)
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


def run(function, *arrays):
    """What the function computes of these arrays, compiled, with every dimension but those of 1 symbolic."""
    names = [f"x{at}" for at in range(len(arrays))]
    scope = {"function": function}
    exec(f"def forward({', '.join(names)}): return function({', '.join(names)})", scope)
    spec = {}
    sizes = {1: 1}
    for name, array in zip(names, arrays, strict=True):
        spec[name] = tensor(*(sizes.setdefault(dim, f"n{dim}") for dim in array.shape), dtype=str(array.dtype))
    module = nn.Module()
    module.forward = scope["forward"]
    return module.jit({"forward": spec}, out_format="numpy")["forward"](*arrays)


def line_of(file, text):
    """The place of the line of the file that has the text, as errors say it."""
    lines = enumerate(Path(file).read_text().splitlines(), 1)
    (line,) = [at for at, own in lines if text in own and "line_of(" not in own]
    return f"{file}:{line}"
