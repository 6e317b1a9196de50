"""Layers of networks, and the states that language models keep.

What a layer computes is written once for Rust and Python, in the core (`crates/tilewright-nn/src/layer`): the classes
here declare weights, and `forward` hands the layer to it. Layers that call other layers, and states, are written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .... import _core
from ...block_builder import BlockBuilder
from ...expr import PrimValue, ShapeExpr, Var
from ...op import call_inplace_packed, call_pure_packed, null_value
from ...op import zeros as graph_zeros
from ...struct_info import ObjectStructInfo, TensorStructInfo
from . import op
from .core import Effect, Module, ModuleList, Parameter, Tensor, builder, get_default_dtype, refused, wrap

__all__ = [
    "GELU",
    "Attention",
    "Conv1D",
    "Conv2D",
    "Conv3D",
    "ConvTranspose1D",
    "Embedding",
    "GroupNorm",
    "IOEffect",
    "Identity",
    "KVCache",
    "LayerNorm",
    "Linear",
    "RMSNorm",
    "ReLU",
    "SiLU",
    "TimestepEmbedding",
    "Timesteps",
]  # fmt: skip


def forward(name: str, layer: Module, *inputs: Any) -> Any:
    """What a layer of the core's table makes of inputs: the function's other arguments are attributes of the layer."""
    return wrap(_core.nn_layer_call(builder(name), name, layer, inputs), name)


class IOEffect(Effect):
    """The state of the world, which puts what a model prints in order."""

    def __init__(self) -> None:
        self.effect: Any = None

    def emit_init(self, name_hint: str, builder: BlockBuilder) -> list[Var]:
        """Writes a value that says nothing."""
        return [builder.emit(null_value(), f"{name_hint}_io")]

    def create(self, name_hint: str) -> list[Var]:
        """A variable for the state."""
        self.effect = Var(f"{name_hint}_io", ObjectStructInfo())
        return [self.effect]

    def set_state(self, state_vars: list[Var]) -> None:
        """Makes this the state."""
        (self.effect,) = state_vars

    def finalize(self) -> list[Var]:
        """The state, which is forgotten."""
        state, self.effect = self.effect, None
        return [state]


class ReLU(Module):
    """`max(x, 0)`."""

    def forward(self, x: Tensor) -> Tensor:
        """The larger of each element and 0."""
        return op.relu(x)


class SiLU(Module):
    """`x * sigmoid(x)`."""

    def forward(self, x: Tensor) -> Tensor:
        """Each element times its sigmoid."""
        return op.silu(x)


class GELU(Module):
    """`x * Phi(x)` for the normal distribution's `Phi`."""

    def forward(self, x: Tensor) -> Tensor:
        """Each element times its distribution function."""
        return op.gelu(x)


class Identity(Module):
    """What it is given."""

    def forward(self, x: Any) -> Any:
        """The argument."""
        return x


class Linear(Module):
    """`x @ weight.T + bias`, with a weight of (out_features, in_features); `out_dtype` is the type of the result."""

    def __init__(
        self, in_features: Any, out_features: Any, bias: bool = True, dtype: str | None = None,
        out_dtype: str | None = None,
    ) -> None:  # fmt: skip
        self.in_features, self.out_features, self.out_dtype = in_features, out_features, out_dtype
        self.weight = Parameter((out_features, in_features), dtype)
        self.bias = Parameter((out_features,), out_dtype or dtype) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        """The product with the transposed weight, plus the bias."""
        return forward("Linear", self, x)

    def to(self, dtype: str | None = None) -> None:
        """Changes the data type of the weight, and of the bias unless the result has a type of its own."""
        self.weight.to(dtype)
        if self.bias is not None and self.out_dtype is None:
            self.bias.to(dtype)


class _Convolution(Module):
    """What convolutions over any number of dimensions have."""

    _rank: int

    def _prepare(
        self, in_channels: int, out_channels: int, kernel_size: Any, groups: int, bias: bool, dtype: str | None
    ) -> None:
        sizes = list(kernel_size) if isinstance(kernel_size, (list, tuple)) else [kernel_size] * self._rank
        self.kernel_size = sizes
        if isinstance(in_channels, int) and in_channels % groups:
            raise refused(f"{type(self).__name__}: {in_channels} channels are not divided into {groups} groups")
        self.weight = Parameter((out_channels, in_channels // groups, *sizes), dtype)
        self.bias = Parameter((out_channels,), dtype) if bias else None


class Conv1D(_Convolution):
    """A convolution of (n, channels, w)."""

    _rank = 1

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, padding: int = 0,
        dilation: int = 1, groups: int = 1, bias: bool = True, dtype: str | None = None,
    ) -> None:  # fmt: skip
        self.in_channels, self.out_channels = in_channels, out_channels
        self.stride, self.padding, self.dilation, self.groups = stride, padding, dilation, groups
        self._prepare(in_channels, out_channels, kernel_size, groups, bias, dtype)

    def forward(self, x: Tensor) -> Tensor:
        """The convolution with the weight, plus the bias."""
        return forward("Conv1D", self, x)


class Conv2D(_Convolution):
    """A convolution of images, (n, channels, h, w) or as `data_layout` says."""

    _rank = 2

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, dtype: str | None = None, data_layout: str = "NCHW",
    ) -> None:  # fmt: skip
        self.in_channels, self.out_channels, self.data_layout = in_channels, out_channels, data_layout
        self.stride, self.padding, self.dilation, self.groups = stride, padding, dilation, groups
        self._prepare(in_channels, out_channels, kernel_size, groups, bias, dtype)

    def forward(self, x: Tensor) -> Tensor:
        """The convolution with the weight, plus the bias."""
        return forward("Conv2D", self, x)


class Conv3D(_Convolution):
    """A convolution of volumes, (n, channels, d, h, w) or as `data_layout` says."""

    _rank = 3

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, dtype: str | None = None, data_layout: str = "NCDHW",
    ) -> None:  # fmt: skip
        self.in_channels, self.out_channels, self.data_layout = in_channels, out_channels, data_layout
        self.stride, self.padding, self.dilation, self.groups = stride, padding, dilation, groups
        self._prepare(in_channels, out_channels, kernel_size, groups, bias, dtype)

    def forward(self, x: Tensor) -> Tensor:
        """The convolution with the weight, plus the bias."""
        return forward("Conv3D", self, x)


class ConvTranspose1D(Module):
    """A transposed convolution of (n, channels, w)."""

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, padding: int = 0,
        output_padding: int = 0, dilation: int = 1, groups: int = 1, bias: bool = True, dtype: str | None = None,
    ) -> None:  # fmt: skip
        self.in_channels, self.out_channels, self.kernel_size = in_channels, out_channels, kernel_size
        self.stride, self.padding, self.output_padding = stride, padding, output_padding
        self.dilation, self.groups = dilation, groups
        self.weight = Parameter((in_channels, out_channels // groups, kernel_size), dtype)
        self.bias = Parameter((out_channels,), dtype) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        """The transposed convolution with the weight, plus the bias."""
        return forward("ConvTranspose1D", self, x)


class LayerNorm(Module):
    """The last axis, or axes, brought to mean 0 and variance 1, then times a weight plus a bias where there are any."""

    def __init__(
        self, normalized_shape: Any, eps: float | None = 1e-5, elementwise_affine: bool = True, dtype: str | None = None
    ) -> None:
        self.normalized_shape, self.eps = normalized_shape, 1e-5 if eps is None else eps
        self.elementwise_affine = elementwise_affine
        shape = list(normalized_shape) if isinstance(normalized_shape, (list, tuple)) else [normalized_shape]
        self.weight = Parameter(shape, dtype) if elementwise_affine else None
        self.bias = Parameter(shape, dtype) if elementwise_affine else None

    def forward(self, x: Tensor) -> Tensor:
        """The normalised tensor."""
        return forward("LayerNorm", self, x)


class RMSNorm(Module):
    """The elements divided by the root of their mean square along `axes`, times a weight, plus a bias if any."""

    def __init__(
        self, hidden_size: Any, axes: Any, epsilon: float = 1e-5, bias: bool = True, dtype: str | None = None
    ) -> None:
        self.epsilon, self.axes = epsilon, axes
        self.weight = Parameter((hidden_size,), dtype)
        self.bias = Parameter((hidden_size,), dtype) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        """The normalised tensor."""
        return forward("RMSNorm", self, x)


class GroupNorm(Module):
    """Groups of channels brought to mean 0 and variance 1, then times weight plus bias of the channel."""

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, dtype: str | None = None
    ) -> None:
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.weight = Parameter((num_channels,), dtype) if affine else None
        self.bias = Parameter((num_channels,), dtype) if affine else None

    def forward(self, x: Tensor, channel_axis: int = 1, axes: list[int] | None = None) -> Tensor:
        """The normalised tensor; `axes` are all but the first and the channels' unless they are given."""
        return forward("GroupNorm", self, x, channel_axis, axes)


class Embedding(Module):
    """A row of the weight for each index."""

    def __init__(self, num: Any, dim: Any, dtype: str | None = None) -> None:
        self.num, self.dim = num, dim
        self.weight = Parameter((num, dim), dtype)

    def forward(self, x: Tensor) -> Tensor:
        """The rows with these indices, along a new last axis."""
        return forward("Embedding", self, x)


class KVCache(Effect):
    """Rows that calls add to and that later calls see: the keys or values of attention.

    It begins with memory for `init_seq_len` rows of `unit_shape`, and grows as rows are added.
    """

    def __init__(self, init_seq_len: int, unit_shape: Sequence[int], dtype: str | None = None) -> None:
        self.init_seq_len, self.unit_shape = init_seq_len, [int(dim) for dim in unit_shape]
        self.dtype = str(dtype or get_default_dtype())
        self._cache: Any = None

    @property
    def cache(self) -> Any:
        """The state in the function that is being written."""
        if self._cache is None:
            raise refused(
                "a KVCache is used in a function that does not get states: its method is specified with `effect_mode` "
                '"none", or the cache is no attribute of the exported module or of a module in it'
            )
        return self._cache

    def emit_init(self, name_hint: str, builder: BlockBuilder) -> list[Var]:
        """Writes what makes an empty cache."""
        shape = [self.init_seq_len, *self.unit_shape]
        made = call_pure_packed("vm.builtin.attention_kv_cache_create", graph_zeros(shape, self.dtype),
                                ShapeExpr(shape), PrimValue(0), sinfo_args=[ObjectStructInfo()])  # fmt: skip
        return [builder.emit(made, name_hint)]

    def create(self, name_hint: str) -> list[Var]:
        """A variable for the cache."""
        self._cache = Var(name_hint, ObjectStructInfo())
        return [self._cache]

    def set_state(self, state_vars: list[Var]) -> None:
        """Makes this the cache."""
        (self._cache,) = state_vars

    def finalize(self) -> list[Var]:
        """The cache, which is forgotten."""
        state, self._cache = self.cache, None
        return [state]

    def to(self, dtype: str | None = None) -> None:
        """Changes the data type of the rows."""
        self.dtype = self.dtype if dtype is None else str(dtype)

    def view(self, seq_len: Any) -> Tensor:
        """All rows, of which there are `seq_len`: (seq_len, *unit_shape)."""
        shape = [seq_len, *self.unit_shape]
        rows = call_pure_packed("vm.builtin.attention_kv_cache_view", self.cache, ShapeExpr(shape),
                                sinfo_args=[TensorStructInfo(shape, self.dtype)])  # fmt: skip
        return Tensor(_expr=builder("KVCache.view").emit(rows, f"{self.cache.name_hint}_view"))

    def append(self, new_element: Tensor) -> None:
        """Adds rows: (count, *unit_shape)."""
        if new_element.dtype != self.dtype:
            raise refused(f"a KVCache of {self.dtype} gets rows of {new_element.dtype}")
        if new_element.shape[1:] != self.unit_shape:
            raise refused(f"a KVCache with rows of {self.unit_shape} gets a tensor of {new_element.shape}")
        name = self.cache.name_hint
        grown = call_inplace_packed("vm.builtin.attention_kv_cache_append", self.cache, new_element._expr,
                                    inplace_indices=[0], sinfo_args=[ObjectStructInfo()])  # fmt: skip
        self._cache = builder("KVCache.append").emit(grown, name)


class TimestepEmbedding(Module):
    """Two linear layers with an activation between them, for embeddings of steps."""

    def __init__(
        self, in_channels: int, time_embed_dim: int, act_fn: str = "silu", out_dim: int | None = None,
        post_act_fn: str | None = None, cond_proj_dim: int | None = None,
    ) -> None:  # fmt: skip
        self.linear_1 = Linear(in_channels, time_embed_dim)
        self.cond_proj = None if cond_proj_dim is None else Linear(cond_proj_dim, in_channels, bias=False)
        self.act = _activation(act_fn)
        self.linear_2 = Linear(time_embed_dim, time_embed_dim if out_dim is None else out_dim)
        self.post_act = None if post_act_fn is None else _activation(post_act_fn)

    def forward(self, sample: Tensor, condition: Tensor | None = None) -> Tensor:
        """The embedding, of the sample plus what becomes of the condition."""
        if condition is not None:
            if self.cond_proj is None:
                raise refused("a TimestepEmbedding without `cond_proj_dim` takes no condition")
            sample = op.add(sample, self.cond_proj(condition))
        sample = self.linear_2(self.act(self.linear_1(sample)))
        return sample if self.post_act is None else self.post_act(sample)


def _activation(name: str) -> Module:
    known = {"silu": SiLU, "swish": SiLU, "relu": ReLU, "gelu": GELU, "identity": Identity}
    if name not in known:
        raise refused(f"an activation is one of {', '.join(known)}, found {name!r}")
    return known[name]()


class Timesteps(Module):
    """Sines and cosines of steps at many frequencies."""

    def __init__(self, num_channels: int, flip_sin_to_cos: bool = False, downscale_freq_shift: float = 1) -> None:
        self.num_channels, self.flip_sin_to_cos = num_channels, flip_sin_to_cos
        self.downscale_freq_shift = downscale_freq_shift

    def forward(self, x: Tensor) -> Tensor:
        """The embedding of steps (n,): (n, num_channels)."""
        return op.get_timestep_embedding(x, self.num_channels, self.flip_sin_to_cos, self.downscale_freq_shift)


class Attention(Module):
    """Attention of a sequence to itself or to another one, with projections before and after.

    `norm_num_groups` normalises the sequence first, as a list of channels.
    """

    def __init__(
        self, query_dim: int, cross_attention_dim: int | None = None, heads: int = 8, dim_head: int = 64,
        bias: bool = False, norm_num_groups: int | None = None, out_bias: bool = True, scale_qk: bool = True,
    ) -> None:  # fmt: skip
        self.query_dim, self.heads, self.dim_head, self.inner_dim = query_dim, heads, dim_head, heads * dim_head
        self.cross_attention_dim = query_dim if cross_attention_dim is None else cross_attention_dim
        self.bias, self.norm_num_groups, self.out_bias, self.scale_qk = bias, norm_num_groups, out_bias, scale_qk
        self.to_q = Linear(query_dim, self.inner_dim, bias=bias)
        self.to_k = Linear(self.cross_attention_dim, self.inner_dim, bias=bias)
        self.to_v = Linear(self.cross_attention_dim, self.inner_dim, bias=bias)
        self.group_norm = None if norm_num_groups is None else GroupNorm(norm_num_groups, query_dim)
        self.to_out = ModuleList([Linear(self.inner_dim, query_dim, bias=out_bias)])

    def forward(
        self, hidden_states: Tensor, encoder_hidden_states: Tensor | None = None,
        attention_mask: Tensor | None = None, **cross_attention_kwargs: Any,
    ) -> Tensor:  # fmt: skip
        """What (batch, sequence, query_dim) makes of itself, or of the other sequence where there is one."""
        if self.group_norm is not None:
            hidden_states = self.group_norm(hidden_states, channel_axis=2, axes=[1])
        source = hidden_states if encoder_hidden_states is None else encoder_hidden_states
        heads = [self._heads(project(x)) for project, x in
                 ((self.to_q, hidden_states), (self.to_k, source), (self.to_v, source))]  # fmt: skip
        scale = None if self.scale_qk else 1.0
        attended = op.scaled_dot_product_attention(*heads, attn_mask=attention_mask, scale=scale)
        batch, length = hidden_states.shape[:2]
        return self.to_out[0](op.reshape(attended, [batch, length, self.inner_dim]))

    def _heads(self, x: Tensor) -> Tensor:
        return op.reshape(x, [x.shape[0], x.shape[1], self.heads, self.dim_head])
