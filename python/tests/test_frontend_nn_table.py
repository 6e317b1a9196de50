"""The operations of `relax.frontend.nn.op`: Python's functions and Rust's write the same modules, entry by entry."""

import pytest
from nn_checks import tensor

from tilewright import _core, relax
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import op


class Arg:
    """A tensor that the module takes."""

    def __init__(self, *shape, dtype="float32"):
        self.shape, self.dtype = shape, dtype


X, Y, K = Arg("n", 4), Arg("n", 4), Arg(2, 4)
IMAGE, VOLUME, SIGNAL = Arg("n", 4, 6, 5), Arg("n", 4, 6, 5, 3), Arg("n", 4, 9)
INT, BOOL = Arg("n", 4, dtype="int32"), Arg("n", 4, dtype="bool")
VECTOR, ROWS, HEADS = Arg(4), Arg(3, 1), Arg(2, 5, 3, 8)
COUNTS, DRAWN = Arg(3, 1, dtype="int32"), Arg(3, 1, dtype="int64")
PROB, ORDER = Arg(3, 6), Arg(3, 6, dtype="int32")
OUT = Arg(8)


def call(*args, **kwargs):
    return args, kwargs


UNARY = [
    "abs", "ceil", "cos", "erf", "exp", "floor", "gelu", "log", "negative", "relu", "round", "rsqrt", "sigmoid",
    "silu", "sin", "softmax", "softplus", "sqrt", "square", "tanh", "permute_dims", "tril", "triu", "sum",
    "max", "min", "mean", "cumsum", "sort", "argsort", "topk",
]  # fmt: skip
BINARY = [
    "add", "divide", "equal", "greater", "greater_equal", "less", "less_equal", "maximum", "minimum", "multiply",
    "not_equal", "power", "subtract",
]  # fmt: skip

#: Entries that are errors.
REFUSED = {"ccl_allreduce", "ccl_broadcast_from_worker0"}

#: The calls of each entry: with the defaults of its parameters, and with others.
CALLS = {
    **{name: [call(X), call(X, name="mine")] for name in UNARY},
    **{name: [call(X, Y), call(X, 2.5), call(3, X, name="mine")] for name in BINARY},
}
for _name, _calls in {
    **{name: [call(INT, 3), call(True, INT)] for name in BINARY if name != "power"},
    "gelu": [call(X, "tanh"), call(X, approximate=None)],
    "softmax": [call(X, 0), call(X, axis=-2, name="probabilities")],
    "softplus": [call(X, 2, threshold=10.0)],
    "squeeze": [call(Arg("n", 1)), call(Arg(1, "n", 1), None), call(Arg(1, "n", 1), [0, 2]), call(Arg(1, "n", 1), 0)],
    "permute_dims": [call(X, [1, 0]), call(IMAGE, (0, 2, 3, 1), "mine"), call(X, None, None)],
    "tril": [call(X, 1)],
    "triu": [call(X, diagonal=-1)],
    **{
        name: [call(X, 0), call(X, [0, -1], True), call(X, axis=(1,), keepdims=True)]
        for name in ("sum", "max", "min", "mean")
    },
    "cumsum": [call(X, 1), call(X, 0, "float64", True), call(X, exclusive=False)],
    "sort": [call(X, 0, True)],
    "argsort": [call(X, 0, True, "int64")],
    "topk": [call(X, 2, 0, "values"), call(X, 3, ret_type="indices", largest=False, dtype="int64")],
    "astype": [call(X, "float16"), call(X, "float32"), call(X, dtype="int8", name="mine")],
    "where": [call(BOOL, X, Y), call(INT, X, 0), call(BOOL, 1.5, X, "mine")],
    "matmul": [call(X, Arg(4, 3)), call(X, Arg(4, 3), "float64", "mine"), call(X, Arg(4, 3), out_dtype=None)],
    "unsqueeze": [call(X, 1), call(X, dim=-1, name="mine")],
    "concat": [call([X, Y], 0), call((X, K), dim=0), call([X], -1, "mine")],
    "split": [call(X, 2, 1), call(X, [1, 3], axis=-1), call(K, 2, name="mine")],
    "chunk": [call(X, 2, 1), call(K, 2)],
    "reshape": [call(X, [-1]), call(K, (4, 2)), call(X, shape=[2, -1, 4], name="mine")],
    "broadcast_to": [call(Arg(1, 4), [3, 2, 4]), call(VECTOR, (2, 4), name="mine")],
    "permute": [call(X, [1, 0]), call(X, None)],
    "repeat": [call(X, 3), call(X, 2, 1), call(X, 2, axis=0, name="mine")],
    "take": [
        call(X, Arg(3, dtype="int32"), 1),
        call(Arg(12), Arg(3, 2, dtype="int64")),
        call(X, Arg(3, dtype="int32"), axis=0),
    ],
    "pad": [call(X, [1, 0, 0, 2]), call(X, (0, 0, 1, 1), "constant", 7), call(X, [0, 0, 1, 1], "reflect", name="mine")],
    "full": [
        call([2, 3], 3.5),
        call([2], 1, None),
        call([2], 2**40, dtype=None),
        call((2,), 1, "int32"),
        call([2], Arg(), name="mine"),
        call([4], Arg(dtype="int8"), "int8"),
    ],
    "zeros": [call([2, 3]), call((2,), "int32", "mine"), call([])],
    "ones": [call([2, 3]), call((2,), "int32", "mine")],
    "empty": [call([2, 3]), call((2,), "float16", "mine")],
    "arange": [
        call(5),
        call(1, 9, 2, "int64"),
        call(0, end=3, dtype="int32", name="mine"),
        call(4, dtype=None),
        call(0.5, 2.5, 0.5),
    ],
    "conv1d": [call(SIGNAL, Arg(8, 4, 3)), call(SIGNAL, Arg(8, 2, 3), OUT, 2, 1, 2, 2, "mine")],
    "conv2d": [
        call(IMAGE, Arg(8, 4, 3, 3)),
        call(IMAGE, Arg(8, 2, 3, 3), OUT, (2, 1), [1, 0], 2, 2, name="mine"),
        call(Arg("n", 6, 5, 4), Arg(8, 4, 3, 3), OUT, data_layout="NHWC"),
    ],
    "conv3d": [
        call(VOLUME, Arg(8, 4, 3, 3, 2)),
        call(VOLUME, Arg(8, 2, 3, 3, 2), OUT, 1, [1, 0, 1], groups=2, name="mine"),
        call(Arg("n", 6, 5, 3, 4), Arg(8, 4, 3, 3, 2), OUT, data_layout="NDHWC"),
    ],
    "conv1d_transpose": [call(SIGNAL, Arg(4, 8, 3)), call(SIGNAL, Arg(4, 4, 3), OUT, 3, 1, 2, 1, 2, "mine")],
    "layer_norm": [
        call(X, 4),
        call(X, [4], VECTOR),
        call(X, 4, None, VECTOR, 1e-3),
        call(IMAGE, (6, 5), Arg(6, 5), Arg(6, 5), name="mine"),
    ],
    "rms_norm": [call(X, VECTOR, -1), call(X, VECTOR, [-1], 1e-3, "mine"), call(X, VECTOR, (1,))],
    "group_norm": [
        call(IMAGE, 2, VECTOR, VECTOR),
        call(IMAGE, 2, None, None, 1e-3),
        call(Arg("n", "m", 4), 4, VECTOR, None, channel_axis=2, axes=[1]),
        call(IMAGE, 2, VECTOR, VECTOR, channel_axis=-3, name="mine"),
    ],
    "scaled_dot_product_attention": [
        call(HEADS, HEADS, HEADS),
        call(HEADS, HEADS, HEADS, is_causal=True, scale=0.5),
        call(HEADS, HEADS, HEADS, Arg(2, 3, 5, 5), name="mine"),
        call(HEADS, HEADS, HEADS, None, None, 2),
    ],
    "interpolate": [
        call(IMAGE, 8),
        call(IMAGE, (12, 10), mode="bilinear", align_corners=True),
        call(IMAGE, scale_factor=2),
        call(IMAGE, scale_factor=(1.5, 2), mode="bicubic"),
        call(Arg("n", "h", "w", 4), scale_factor=2, data_layout="NHWC", name="mine"),
        call(Arg("n", 4, "h", "w"), scale_factor=[2, 3.0]),
    ],
    "get_timestep_embedding": [
        call(Arg("n"), 6),
        call(Arg("n", dtype="int32"), 7, True, 0, 2, 100),
        call(Arg(3, dtype="float16"), 8, name="mine"),
        call(Arg(3), 8, downscale_freq_shift=0.5, scale=0.5),
    ],
    "multinomial_from_uniform": [call(PROB, ROWS), call(PROB, ROWS, DRAWN, "int32", "mine")],
    "renormalize_top_p_top_k_prob": [call(PROB, PROB, ROWS, COUNTS), call(PROB, PROB, ROWS, COUNTS, "mine")],
    "sample_top_p_top_k_from_sorted_prob": [
        call(PROB, ORDER, ROWS, COUNTS, ROWS),
        call(PROB, ORDER, ROWS, COUNTS, ROWS, DRAWN),
    ],
    "ccl_allgather": [call(X, 1)],
}.items():
    CALLS.setdefault(_name, []).extend(_calls)


def tensors_of(value):
    """The tensors in arguments, in order."""
    if isinstance(value, Arg):
        return [value]
    return [own for item in value for own in tensors_of(item)] if isinstance(value, (list, tuple)) else []


def replaced(value, values):
    """The arguments with the next of these values for each tensor."""
    if isinstance(value, Arg):
        return next(values)
    return type(value)(replaced(own, values) for own in value) if isinstance(value, (list, tuple)) else value


def written_by_python(function, args, kwargs):
    """The module with the method `forward` that calls a function of Python's."""
    given = tensors_of([*args, *kwargs.values()])
    names = [f"x{at}" for at in range(len(given))]

    def forward(*tensors):
        own = iter(tensors)
        return function(*replaced(args, own), **{key: replaced(value, own) for key, value in kwargs.items()})

    scope = {"forward": forward}
    model = nn.Module()
    exec(f"def method({', '.join(names)}): return forward({', '.join(names)})", scope)
    model.forward = scope["method"]
    spec = {name: tensor(*own.shape, dtype=own.dtype) for name, own in zip(names, given, strict=True)}
    return model.export_tvm({"forward": spec})[0]


ALL = [(name, at) for name, calls in CALLS.items() for at in range(len(calls))]


def test_every_entry_is_called():
    entries = set(_core.nn_op_names())
    assert set(CALLS) | REFUSED == entries
    assert entries | set(op.custom.__all__) == set(op.__all__)


@pytest.mark.parametrize(("name", "at"), ALL)
def test_python_and_rust_write_the_same(name, at):
    args, kwargs = CALLS[name][at]
    variables = [relax.Var(f"x{at}", nn.Tensor.placeholder(own.shape, own.dtype)._expr.struct_info)
                 for at, own in enumerate(tensors_of([*args, *kwargs.values()]))]  # fmt: skip
    own = iter(nn.Tensor(_expr=variable) for variable in variables)
    given = replaced(args, own), {key: replaced(value, own) for key, value in kwargs.items()}
    found = written_by_python(getattr(op, name), args, kwargs)
    assert found.script() == _core.nn_module(name, *given).script()


#: The layers of the table, with what their calls give.
LAYERS = {
    "Linear": [
        (lambda: nn.Linear(4, 3), X),
        (lambda: nn.Linear(4, "m", bias=False), X),
        (lambda: nn.Linear(4, 3, dtype="float16", out_dtype="float32"), Arg("n", 4, dtype="float16")),
    ],
    "Conv1D": [(lambda: nn.Conv1D(4, 8, 3), SIGNAL), (lambda: nn.Conv1D(4, 8, 3, 2, 1, 2, 2, False), SIGNAL)],
    "Conv2D": [
        (lambda: nn.Conv2D(4, 8, 3), IMAGE),
        (lambda: nn.Conv2D(4, 8, (3, 2), (2, 1), groups=2), IMAGE),
        (lambda: nn.Conv2D(4, 8, 3, data_layout="NHWC"), Arg("n", 6, 5, 4)),
    ],
    "Conv3D": [(lambda: nn.Conv3D(4, 8, 3), VOLUME), (lambda: nn.Conv3D(4, 8, [3, 3, 2], bias=False), VOLUME)],
    "ConvTranspose1D": [
        (lambda: nn.ConvTranspose1D(4, 6, 3), SIGNAL),
        (lambda: nn.ConvTranspose1D(4, 6, 3, 3, 1, 2, 1, 2, False), SIGNAL),
    ],
    "LayerNorm": [
        (lambda: nn.LayerNorm(4), X),
        (lambda: nn.LayerNorm((6, 5), 1e-3), IMAGE),
        (lambda: nn.LayerNorm(4, elementwise_affine=False), X),
    ],
    "RMSNorm": [(lambda: nn.RMSNorm(4, -1), X), (lambda: nn.RMSNorm(4, [1], 1e-3, bias=False), X)],
    "GroupNorm": [
        (lambda: nn.GroupNorm(2, 4), IMAGE, 1, None),
        (lambda: nn.GroupNorm(2, 4, 1e-3, False), IMAGE, 1, None),
        (lambda: nn.GroupNorm(2, 4), X, 1, []),
        (lambda: nn.GroupNorm(2, 4), Arg("n", 5, 4), 2, [1]),
    ],
    "Embedding": [
        (lambda: nn.Embedding(7, 4), Arg("n", dtype="int32")),
        (lambda: nn.Embedding("v", 4, "float16"), Arg("n", 3, dtype="int64")),
    ],
}


def test_every_layer_is_called():
    assert set(LAYERS) == set(_core.nn_layer_names())


@pytest.mark.parametrize(("name", "at"), [(name, at) for name, calls in LAYERS.items() for at in range(len(calls))])
def test_python_and_rust_write_the_same_layers(name, at):
    make, x, *settings = LAYERS[name][at]
    layer = make()
    assert type(layer) is getattr(nn, name)
    variable = relax.Var("x", nn.Tensor.placeholder(x.shape, x.dtype)._expr.struct_info)
    wanted = _core.nn_layer_module(name, layer, (nn.Tensor(_expr=variable), *settings))
    spec = {"x": tensor(*x.shape, dtype=x.dtype)}
    layer.forward = (lambda forward: lambda x: forward(x, *settings))(layer.forward)
    assert layer.export_tvm({"forward": spec})[0].script() == wanted.script()
