"""Sizes that an operator needs to be equal, and that only the run knows: it compares them, and names both.

Each case is a call with symbolic sizes, numbers for them, and a number that does not fit. Of that neither the
interpreter nor compiled code gives a result, and both name the operator and the two sides; of numbers that fit both
give the same. Every operator whose rule assumes something of the samples of `op_references` has a case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax, tir
from tilewright.relax import op

pytest.importorskip("torch")

from op_references import judge
from op_references.interpreter import Interpreter
from op_references.values import to_tensor


@dataclass
class Case:
    """A call, and sizes of its arguments."""

    call: Callable[..., Any]
    #: The shapes of the arguments as names and numbers; behind a colon the element type.
    shapes: str
    #: Sizes that fit.
    sizes: dict[str, int]
    #: What is set to a size that does not fit.
    wrong: tuple[str, int]
    #: The two sides that errors name; where the interpreter's differ, those of compiled code first.
    sides: list[set[int]]

    def arguments(self) -> list[tuple[list[int | str], str]]:
        """The shapes of the arguments, and their element types."""
        found = []
        for text in self.shapes.split(";"):
            dims, _, dtype = text.partition(":")
            found.append(([int(dim) if dim.isdigit() else dim for dim in dims.split()], dtype.strip() or "float32"))
        return found

    def arrays(self, sizes: dict[str, int]) -> list[tuple[np.ndarray, str]]:
        """Arguments of these sizes; indices are 0."""
        rng = np.random.default_rng(3)
        found = []
        for dims, dtype in self.arguments():
            shape = [sizes.get(dim, dim) for dim in dims]
            data = rng.random(shape) if dtype == "float32" else np.zeros(shape)
            found.append((data.astype(dtype), dtype))
        return found

    def module(self) -> tw.IRModule:
        """A module whose `main` is the call."""
        variables = {name: tir.Var(name, "int64") for name in self.sizes}
        params = [
            relax.Var(f"x{i}", relax.TensorStructInfo([variables.get(dim, dim) for dim in dims], dtype))
            for i, (dims, dtype) in enumerate(self.arguments())
        ]
        builder = relax.BlockBuilder()
        with builder.function("main", params):
            with builder.dataflow():
                out = builder.emit_output(self.call(*params))
            builder.emit_func_output(out)
        return builder.finalize()


def dim(x: relax.Var, at: int) -> Any:
    """A dimension of an argument."""
    return x.struct_info.shape[at]


def sized(names: str, each: int, **others: int) -> dict[str, int]:
    """Sizes by their names."""
    return {**dict.fromkeys(names.split(), each), **others}


def two(call: Callable[..., Any], shapes: str, sizes: dict[str, int], name: str, number: int) -> Case:
    """A case in which a size differs from another, which has the size that this one should have."""
    return Case(call, shapes, sizes, (name, number), [{number, sizes[name]}])


def convolutions() -> Iterator[tuple[str, Case]]:
    """Convolutions and pools over one, two and three dimensions."""
    for spatial in (1, 2, 3):
        places, taps = " ".join("xyz"[:spatial]), " ".join("345"[:spatial])
        sizes = sized("n x y z", 7, c=2, i=2, o=4)
        sizes = {name: size for name, size in sizes.items() if name not in "xyz"[spatial:]}
        forward, back = f"n c {places}; o i {taps}", f"n c {places}; i o {taps}"
        yield f"nn.conv{spatial}d", two(getattr(op.nn, f"conv{spatial}d"), forward, sizes, "i", 3)
        yield f"nn.conv{spatial}d_transpose", two(getattr(op.nn, f"conv{spatial}d_transpose"), back, sizes, "i", 3)
        grouped = partial(getattr(op.nn, f"conv{spatial}d"), groups=2)
        rest = Case(grouped, f"n 4 {places}; o 2 {taps}", {k: sizes[k] for k in sizes if k not in "ci"}, ("o", 3), [])
        yield f"nn.conv{spatial}d", replace(rest, sides=[{1, 0}, {2, 3}])
        small = {k: sizes[k] for k in sizes if k not in "cio"}
        of_window = Case(getattr(op.nn, f"conv{spatial}d"), f"n 2 {places}; 4 2 {taps}", small, ("x", 2), [{3, 2}])
        yield f"nn.conv{spatial}d", of_window
        for kind in ("max", "avg"):
            pool = partial(getattr(op.nn, f"{kind}_pool{spatial}d"), pool_size=[3] * spatial)
            yield f"nn.{kind}_pool{spatial}d", Case(pool, f"n 2 {places}", small, ("x", 2), [{3, 2}])


def normalisations() -> Iterator[tuple[str, Case]]:
    """Normalisations, whose parameters have sizes of their data."""
    sizes = {"n": 2, "c": 4, "h": 3, "k": 4}
    of_last = sized("n", 2, c=4, k=4)
    grouped = partial(op.nn.group_norm, num_groups=2, channel_axis=1, axes=[2])
    yield "nn.rms_norm", two(partial(op.nn.rms_norm, axes=[-1]), "n c; k", of_last, "k", 3)
    yield "nn.layer_norm", two(partial(op.nn.layer_norm, axes=[-1]), "n c; k; c", of_last, "k", 5)
    yield "nn.layer_norm", two(partial(op.nn.layer_norm, axes=[-1]), "n c; c; k", of_last, "k", 5)
    yield "nn.group_norm", two(grouped, "n c h; c; k", sizes, "k", 6)
    yield "nn.group_norm", Case(grouped, "n c h; c; c", sized("n c h", 2), ("c", 3), [{1, 0}, {2, 3}])
    instance = partial(op.nn.instance_norm, channel_axis=1, axes=[2])
    yield "nn.instance_norm", two(instance, "n c h; k; c", sizes, "k", 3)
    for place in range(4):
        shapes = "; ".join(["n c h", *("k" if i == place else "c" for i in range(4))])
        yield "nn.batch_norm", two(lambda *x: op.nn.batch_norm(*x, axis=1)[0], shapes, sizes, "k", 3)


def attentions() -> Iterator[tuple[str, Case]]:
    """Attention: batches, heads, widths, and as many keys as values."""
    sizes = {"b": 2, "s": 3, "h": 2, "d": 4, "t": 5, "v": 3, "k": 2}
    for keys, values in [("k t h d", "b t h v"), ("b t k d", "b t h v"), ("b t h d", "b t k v")]:
        yield "nn.attention", two(op.nn.attention, f"b s h d; {keys}; {values}", sizes, "k", 3)
    wide, long = {**sizes, "k": 4}, {**sizes, "k": 5}
    yield "nn.attention", two(op.nn.attention, "b s h d; b t h k; b t h v", wide, "k", 6)
    yield "nn.attention", two(op.nn.attention, "b s h d; b t h d; b k h v", long, "k", 6)
    biased = "b s h d; b t h d; b t h v; b h s k"
    yield "nn.attention_bias", two(op.nn.attention_bias, biased, long, "k", 6)
    packed = "1 s h d; 1 t h d; 1 k h v; 2:int32; 2:int32"
    of_lengths = {name: size for name, size in long.items() if name != "b"}
    lengths = lambda q, k, v, a, b: op.nn.attention_var_len(q, k, v, a, relax.const(3), b, relax.const(5))  # noqa: E731
    yield "nn.attention_var_len", two(lengths, packed, of_lengths, "k", 6)


def likelihoods() -> Iterator[tuple[str, Case]]:
    """Losses, and their gradients."""
    sizes = {"n": 3, "c": 4, "k": 3}
    mean = partial(op.nn.nll_loss, reduction="mean")
    yield "nn.nll_loss", two(lambda x, t, w: mean(x, t, w), "n c; k:int64; c", sizes, "k", 2)
    yield "nn.nll_loss", two(lambda x, t, w: mean(x, t, w), "n c; n:int64; k", {**sizes, "k": 4}, "k", 2)
    yield "nn.cross_entropy_with_logits", two(op.nn.cross_entropy_with_logits, "n c; k c", sizes, "k", 2)
    backward = lambda g, x, t, w: op.grad.nll_loss_backward(g, x, t, w, reduction="none")  # noqa: E731
    yield "grad.nll_loss_backward", two(backward, "k; n c; n:int64; c", sizes, "k", 2)
    images = {"n": 2, "x": 6, "k": 3}
    for kind in ("max", "avg"):
        pool = partial(getattr(op.grad, f"{kind}_pool2d_backward"), pool_size=[2, 2], strides=[2, 2])
        yield f"grad.{kind}_pool2d_backward", two(pool, "n 1 k 2; n 1 x 4", images, "k", 2)
    taken = partial(op.grad.take_backward, axis=0)
    yield "grad.take_backward", two(taken, "k c; n c; i:int64", {"n": 3, "c": 4, "i": 2, "k": 2}, "k", 3)


def shapes() -> Iterator[tuple[str, Case]]:
    """What joins tensors, takes them apart and gives them other shapes."""
    sizes = {"n": 2, "m": 3, "k": 3, "j": 4}
    yield "concat", two(lambda a, b: op.concat([a, b], axis=0), "n m; j k", sizes, "k", 5)
    yield "stack", two(lambda a, b: op.stack([a, b], axis=0), "n m; n k", {"n": 2, "m": 3, "k": 3}, "k", 5)
    yield "squeeze", two(partial(op.squeeze, axis=[0]), "n m", {"n": 1, "m": 3}, "n", 2)
    yield "broadcast_to", two(lambda x: op.broadcast_to(x, (2, 3, 4)), "n m", {"n": 3, "m": 4}, "m", 5)
    yield "reshape", Case(lambda x: op.reshape(x, (3, -1)), "n m", {"n": 2, "m": 3}, ("m", 2), [{3, 4}])
    other = lambda x, y: op.reshape(x, (dim(y, 0),))  # noqa: E731
    yield "reshape", Case(other, "n m; k", {"n": 2, "m": 3, "k": 6}, ("k", 0), [{6, 0}])
    yield "reshape", Case(other, "n m; k", {"n": 2, "m": 3, "k": 6}, ("k", 5), [{6, 5}])
    shuffled = partial(op.nn.pixel_shuffle, upscale_factor=2)
    yield "nn.pixel_shuffle", Case(shuffled, "n c 2 2", {"n": 2, "c": 4}, ("c", 7), [{3, 0}, {4, 7}])


def indices() -> Iterator[tuple[str, Case]]:
    """What takes elements by index, and puts them."""
    sizes = {"n": 4, "m": 3, "k": 2, "p": 2}
    added = partial(op.scatter_elements, axis=0, reduction="add")
    yield "scatter_elements", two(added, "n m; k m:int64; p m", sizes, "p", 1)
    yield "scatter_elements", Case(added, "n m; k p:int64; k p", sizes, ("p", 5), [{5, 3}])
    of_rows = {"n": 4, "m": 3, "k": 2, "p": 3}
    gathered = partial(op.gather_elements, axis=0)
    yield "gather_elements", Case(gathered, "n m; k p:int64", of_rows, ("p", 4), [{4, 3}])
    in_batches = partial(op.gather_nd, batch_dims=1)
    yield "gather_nd", two(in_batches, "n m; p 1:int64", {"n": 3, "m": 2, "p": 3}, "p", 2)
    yield "scatter_nd", two(op.scatter_nd, "n m; k 1:int64; p m", sizes, "p", 3)
    yield "index_put", two(lambda x, i, v: op.index_put(x, (i,), v), "n m; k:int64; p m", sizes, "p", 3)
    drawn = {"n": 2, "c": 3, "k": 4, "p": 4}
    yield "multinomial_from_uniform", two(op.multinomial_from_uniform, "n c; k 1; p 1:int64", drawn, "p", 5)
    sampled = {"n": 2, "b": 2, "y": 3}
    yield "image.grid_sample", two(op.image.grid_sample, "n 2 3 4; b 2 y 2", sampled, "b", 3)


def others() -> Iterator[tuple[str, Case]]:
    """Products, slopes and scales."""
    sizes = {"n": 2, "m": 3, "k": 3, "j": 4}
    yield "matmul", two(op.matmul, "n m; k j", sizes, "k", 5)
    yield "matmul", two(op.matmul, "n m; k j", sizes, "k", 2)
    yield "matmul", two(op.matmul, "m; k", {"m": 3, "k": 3}, "k", 2)
    yield "nn.dense", two(op.nn.dense, "n m; j k", sizes, "k", 2)
    yield "einsum", two(lambda a, b: op.einsum((a, b), "ij,jk->ik"), "n m; k j", sizes, "k", 2)
    yield "nn.prelu", two(op.nn.prelu, "n m; k", {"n": 2, "m": 3, "k": 3}, "k", 4)
    for name in ("quantize", "dequantize"):
        call = partial(getattr(op, name), axis=1, out_dtype="int8" if name == "quantize" else "float32")
        kind = "float32" if name == "quantize" else "int8"
        yield name, two(call, f"n m:{kind}; k; m:int8", {"n": 2, "m": 3, "k": 3}, "k", 4)


CASES = [
    case
    for family in (convolutions, normalisations, attentions, likelihoods, shapes, indices, others)
    for case in family()
]


@pytest.fixture(scope="module")
def interpreter():
    process = Interpreter()
    yield process
    process.close()


def numbers(text: str) -> set[int]:
    """The numbers in a message, but for those of dimensions and arguments."""
    text = re.sub(r"(dimension|dimensions|argument|field) \d+|\d+ dimensions|\"[^\"]*\"", "", text)
    return {int(number) for number in re.findall(r"(?<![\w.])\d+(?!\w)", text)}


@pytest.mark.parametrize(("name", "case"), CASES, ids=[f"{name}-{i}" for i, (name, _) in enumerate(CASES)])
def test_sizes_that_do_not_fit_are_named_by_the_run(name, case, interpreter):
    module = case.module()
    fitting = case.arrays(case.sizes)
    wrong = case.arrays({**case.sizes, case.wrong[0]: case.wrong[1]})
    answer = interpreter.run(module, [("main", fitting), ("main", wrong)])
    machine = relax.VirtualMachine(relax.build(module, "llvm"), tw.cpu())

    found = machine["main"](*(to_tensor(*argument) for argument in fitting)).numpy()
    np.testing.assert_allclose(found, answer.results[0][0][0], rtol=1e-5, atol=1e-6)

    said = answer.results[1]
    assert isinstance(said, str) and name in said and case.sides[-1] <= numbers(said), said
    with pytest.raises(tw.error.TVMError) as error:
        machine["main"](*(to_tensor(*argument) for argument in wrong))
    text = str(error.value)
    assert f"{name.rsplit('.', 1)[-1]}_sizes" in text and case.sides[0] <= numbers(text), text


@pytest.mark.parametrize("name", judge.names())
def test_every_operator_that_assumes_something_of_sizes_has_a_case(name):
    runs = [run for run in judge.runs(name) if run.dims == "places"]
    if name not in dict(CASES) and runs:
        text = relax.transform.LegalizeOps()(judge.module_of(runs)).script()
        assert "_sizes" not in text
