"""The library of formulas under the names and parameters that users of TVM know, against NumPy and PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tvm
from tilewright import te, topi

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
F = torch.nn.functional
nn = topi.nn


def numbers(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype("float32")


def put(x, where, values):
    """The array with other values somewhere."""
    copy = x.copy()
    copy[where] = values
    return copy


def between(x, axis):
    """Each element, and half way to the next one; the last element twice."""
    following = np.concatenate([np.delete(x, 0, axis), np.take(x, [-1], axis)], axis)
    return np.stack([x, (x + following) / 2], axis + 1).reshape(
        [2 * n if at == axis else n for at, n in enumerate(x.shape)]
    )


def ran(formula, *arrays):
    """What a formula computes of arrays, as a list."""
    given = [te.placeholder(array.shape, name=f"x{at}", dtype=str(array.dtype)) for at, array in enumerate(arrays)]
    made = formula(*given)
    made = list(made) if isinstance(made, (list, tuple)) else [made]
    outs = [tvm.nd.array(np.full([int(dim) for dim in one.shape], 77).astype(one.dtype)) for one in made]
    function = te.create_prim_func([*given, *made])
    tvm.build(function, target="llvm")(*map(tvm.nd.array, arrays), *outs)
    return [out.numpy() for out in outs]


X, Y, W = numbers(3, 4), numbers(3, 4, seed=1), numbers(4)
BITS = np.arange(12, dtype="int32").reshape(3, 4) - 3
AT = np.array([[0, 2, 1], [1, 1, 0]], "int64")
IMAGE, KERNEL = numbers(2, 4, 7, 6), numbers(6, 4, 3, 2)
ROW, VOLUME = numbers(2, 4, 9), numbers(1, 2, 4, 5, 6)


def t(array):
    return torch.from_numpy(np.ascontiguousarray(array))


def nhwc(array):
    return np.ascontiguousarray(array.transpose(0, 2, 3, 1))


def mirrored(mode):
    return lambda x: np.pad(x, [(1, 2), (2, 1)], mode=mode)


CASES = {
    "log2": (lambda x: topi.log2(topi.abs(x)), np.log2(np.abs(X)), X),
    "log10": (lambda x: topi.log10(topi.abs(x)), np.log10(np.abs(X)), X),
    "identity": (topi.identity, X, X),
    "fast_exp": (topi.fast_exp, np.exp(X), X),
    "reinterpret": (lambda x: topi.reinterpret(x, "int32"), X.view("int32"), X),
    "elemwise_sum": (lambda x, y: topi.elemwise_sum([x, y, x]), X + Y + X, X, Y),
    "full": (lambda: topi.full((2, 3), "float32", 1.5), np.full((2, 3), 1.5, "float32")),
    "full_like": (lambda x: topi.full_like(x, 2), np.full_like(X, 2), X),
    "add by name": (lambda x: topi.add(lhs=x, rhs=1), X + 1, X),
    "number first": (lambda x: topi.subtract(1, x), 1 - X, X),
    "floormod": (lambda x: topi.floormod(x, 3), BITS % 3, BITS),
    "div": (lambda x, y: topi.div(x, y), X / Y, X, Y),
    "left_shift": (lambda x: topi.left_shift(x, 2), BITS << 2, BITS),
    "broadcast_to": (lambda x: topi.broadcast_to(x, (3, 4)), np.broadcast_to(W, (3, 4)), W),
    "broadcast module": (lambda x, y: topi.broadcast.maximum(x, y), np.maximum(X, Y), X, Y),
    "sum of an axis": (lambda x: topi.sum(x, 1), X.sum(1), X),
    "sum kept": (lambda x: topi.reduction.sum(x, axis=-1, keepdims=True), X.sum(-1, keepdims=True), X),
    "all": (lambda x: topi.all(topi.greater(x, -1), axis=1), (X > -1).all(1), X),
    "any of numbers": (lambda x: topi.any(x, axis=0, keepdims=True), (BITS != 0).any(0, keepdims=True), BITS),
    "any of all": (lambda x: topi.any(topi.greater(x, 2)), (X > 2).any(), X),
    "argmax of the last": (
        lambda x: topi.argmax(x, axis=1, select_last_index=True),
        np.array([3, 2]),
        np.array([[1, 3, 0, 3], [2, 0, 2, 1]]),
    ),
    "argmin": (lambda x: topi.argmin(x, axis=[1]), X.argmin(1), X),
    "collapse_sum": (lambda x: topi.collapse_sum(x, (1, 4)), X.sum(0, keepdims=True), X),
    "cumsum": (lambda x: topi.cumsum(x, axis=1), X.cumsum(1), X),
    "cumsum exclusive": (lambda x: topi.cumsum(x, axis=1, exclusive=True), X.cumsum(1) - X, X),
    "matmul turned": (lambda x, y: topi.matmul(x, y, transp_b=True), X @ Y.T, X, Y),
    "nn.matmul": (lambda x, y: nn.matmul(x, y, transpose_a=True), X.T @ Y, X, Y),
    "batch_matmul": (
        nn.batch_matmul,
        np.einsum("bik,bjk->bij", numbers(2, 3, 4), numbers(2, 5, 4)),
        numbers(2, 3, 4),
        numbers(2, 5, 4),
    ),
    "einsum": (lambda x, y: topi.einsum("ij, kj -> ik", x, y), X @ Y.T, X, Y),
    "tensordot": (lambda x, y: topi.tensordot(x, y, axes=((0, 1), (0, 1))), np.tensordot(X, Y, ((0, 1), (0, 1))), X, Y),
    "tensordot of one": (lambda x, y: topi.tensordot(x, y, 1), np.tensordot(X, Y.T, 1), X, np.ascontiguousarray(Y.T)),
    "dense with a bias": (lambda x, w, b: nn.dense(x, w, b), X @ Y.T + W[:3], X, Y, W[:3].copy()),
    "expand_dims": (lambda x: topi.expand_dims(x, 1, 2), X[:, None, None], X),
    "expand_dims behind": (lambda x: topi.expand_dims(x, axis=-1), X[..., None], X),
    "squeeze": (lambda x: topi.squeeze(x, 0), X, X[None]),
    "stack": (lambda x, y: topi.stack([x, y], axis=1), np.stack([X, Y], 1), X, Y),
    "stack of a tuple": (lambda x, y: topi.concatenate((x, y), 1), np.concatenate([X, Y], 1), X, Y),
    "split": (lambda x: topi.split(x, [1, 3], axis=1), np.split(X, [1, 3], 1), X),
    "take of all": (lambda x, i: topi.take(x, i), X.reshape(-1)[AT], X, AT),
    "take clipped": (lambda x, i: topi.take(x, i, axis=0, mode="clip"), X[np.clip(AT * 2, 0, 2)], X, AT * 2),
    "gather": (
        lambda x, i: topi.gather(x, 1, i),
        np.take_along_axis(X, np.array([[0], [3], [1]]), 1),
        X,
        np.array([[0], [3], [1]]),
    ),
    "gather_nd": (lambda x, i: topi.gather_nd(x, i), X[AT[0], AT[1]], X, AT),
    "scatter_nd": (
        lambda x, i, u: topi.scatter_nd(x, i, u, "add"),
        X + np.bincount([0, 9, 4], [1, 2, 3], 12).reshape(3, 4).astype("float32"),
        X,
        np.array([[0, 2, 1], [0, 1, 0]]),
        np.array([1, 2, 3], "float32"),
    ),
    "scatter_elements": (
        lambda x, i, u: topi.scatter_elements(x, i, u, axis=1, reduction="add"),
        X + np.eye(4, dtype="float32")[[1, 1, 3]],
        X,
        np.array([[1], [1], [3]]),
        np.ones((3, 1), "float32"),
    ),
    "adv_index": (lambda x, i, j: topi.adv_index(x, [i, j]), X[AT[0], AT[1]], X, AT[0].copy(), AT[1].copy()),
    "strided_slice": (lambda x: topi.strided_slice(x, [0, 1], [2, 100], [1, 2]), X[0:2, 1:100:2], X),
    "strided_slice of axes": (lambda x: topi.strided_slice(x, begin=[-3], end=[-1], axes=[1]), X[:, -3:-1], X),
    "strided_slice back": (lambda x: topi.strided_slice(x, [3], [-5], [-1], axes=[1]), X[:, ::-1], X),
    "strided_slice of sizes": (lambda x: topi.strided_slice(x, [1, 1], [2, -1], slice_mode="size"), X[1:3, 1:], X),
    "one_hot": (
        lambda i: topi.one_hot(i, 2.0, -1.0, 3, -1, "float32"),
        np.where(np.eye(3)[AT] == 1, 2, -1).astype("float32"),
        AT,
    ),
    "one_hot first": (
        lambda i: topi.one_hot(i, 1, 0, 3, 0, "int32"),
        np.eye(3, dtype="int32")[AT].transpose(2, 0, 1),
        AT,
    ),
    "arange": (lambda: topi.arange(1, 10, 3, "int32"), np.arange(1, 10, 3, dtype="int32")),
    "arange to": (lambda: topi.arange(5), np.arange(5, dtype="float32")),
    "eye": (lambda: topi.eye(3, 4, 1, "int32"), np.eye(3, 4, 1, dtype="int32")),
    "meshgrid": (lambda x, y: topi.meshgrid((x, y), "ij"), np.meshgrid(W, X[0], indexing="ij"), W, X[0].copy()),
    "trilu": (lambda x: topi.trilu(x, 1, upper=True), np.triu(X, 1), X),
    "shape": (lambda x: topi.shape(x, "int64"), np.array([2, 4, 7, 6]), IMAGE),
    "sequence_mask": (
        lambda x, n: topi.sequence_mask(x, n, mask_value=-1, axis=1),
        np.where(np.arange(4) < [[1], [4], [0]], X, -1),
        X,
        np.array([1, 4, 0], "int32"),
    ),
    "sort": (lambda x: topi.sort(x, axis=0, is_ascend=False), -np.sort(-X, 0), X),
    "argsort": (lambda x: topi.argsort(x, axis=1, dtype="int32"), X.argsort(1).astype("int32"), X),
    "topk": (lambda x: topi.topk(x, k=2, axis=1), [-np.sort(-X, 1)[:, :2], (-X).argsort(1)[:, :2]], X),
    "topk values": (lambda x: topi.topk(x, 1, ret_type="values", is_ascend=True), X.min(1, keepdims=True), X),
    "searchsorted": (
        lambda s, x: topi.searchsorted(s, x, right=True),
        np.searchsorted([-1, 0, 1], X, "right"),
        np.array([-1, 0, 1], "float32"),
        X,
    ),
    "layout_transform": (lambda x: topi.layout_transform(x, "NCHW", "NHWC"), nhwc(IMAGE), IMAGE),
    "layout in blocks": (
        lambda x: topi.layout_transform(x, "NCHW", "NCHW2c"),
        IMAGE.reshape(2, 2, 2, 7, 6).transpose(0, 1, 3, 4, 2),
        IMAGE,
    ),
    "layout from blocks": (
        lambda x: topi.layout_transform(x, "NCHW2c", "NCHW"),
        IMAGE,
        IMAGE.reshape(2, 2, 2, 7, 6).transpose(0, 1, 3, 4, 2).copy(),
    ),
    "layout in ragged blocks": (
        lambda x: topi.layout_transform(x, "NW", "NW3w"),
        np.pad(X, [(0, 0), (0, 2)]).reshape(3, 2, 3),
        X,
    ),
    "leaky_relu": (lambda x: nn.leaky_relu(x, 0.1), np.where(X > 0, X, X * np.float32(0.1)), X),
    "prelu": (lambda x, a: nn.prelu(x, a, 1), np.where(X > 0, X, X * W), X, W),
    "softmax": (nn.softmax, t(X).softmax(-1).numpy(), X),
    "log_softmax": (lambda x: nn.log_softmax(x, axis=0), t(X).log_softmax(0).numpy(), X),
    "flatten": (nn.flatten, IMAGE.reshape(2, -1), IMAGE),
    "pad": (lambda x: nn.pad(x, (1, 0), (0, 2), pad_value=3.0), np.pad(X, [(1, 0), (0, 2)], constant_values=3), X),
    "pad alike": (lambda x: nn.pad(x, [1, 2]), np.pad(X, [(1, 1), (2, 2)]), X),
    "mirror_pad": (lambda x: nn.mirror_pad(x, [1, 2], [2, 1]), mirrored("symmetric")(X), X),
    "reflect_pad": (lambda x: nn.reflect_pad(x, [1, 2], [2, 1]), mirrored("reflect")(X), X),
    "replicate_pad": (lambda x: nn.replicate_pad(x, [1, 2], [2, 1]), mirrored("edge")(X), X),
    "dilate": (lambda x: nn.dilate(x, (1, 2)), np.insert(X, [1, 2, 3], 0, axis=1), X),
    "conv2d": (lambda x, w: nn.conv2d(x, w, 1, 1, 1), F.conv2d(t(IMAGE), t(KERNEL), padding=1).numpy(), IMAGE, KERNEL),
    "conv2d_nchw": (
        lambda x, w: nn.conv2d_nchw(x, w, (2, 1), (1, 0), 2),
        F.conv2d(t(IMAGE), t(KERNEL), None, (2, 1), (1, 0), 2).numpy(),
        IMAGE,
        KERNEL,
    ),
    "conv2d same": (
        lambda x, w: nn.conv2d_nchw(x, w, 1, "SAME", 1),
        F.conv2d(F.pad(t(IMAGE), (1, 0, 1, 1)), t(KERNEL)).numpy(),
        IMAGE,
        KERNEL,
    ),
    "conv2d of four widths": (
        lambda x, w: nn.conv2d(x, w, 1, [1, 0, 2, 3], 1),
        F.conv2d(F.pad(t(IMAGE), (0, 3, 1, 2)), t(KERNEL)).numpy(),
        IMAGE,
        KERNEL,
    ),
    "conv2d_nhwc": (
        lambda x, w: nn.conv2d_nhwc(x, w, 2, "VALID", 1),
        nhwc(F.conv2d(t(IMAGE), t(KERNEL), stride=2).numpy()),
        nhwc(IMAGE),
        KERNEL.transpose(2, 3, 1, 0).copy(),
    ),
    "group_conv2d_nchw": (
        lambda x, w: nn.group_conv2d_nchw(x, w, 1, 1, 1, 2),
        F.conv2d(t(IMAGE), t(numbers(6, 2, 3, 3)), padding=1, groups=2).numpy(),
        IMAGE,
        numbers(6, 2, 3, 3),
    ),
    "depthwise_conv2d_nchw": (
        lambda x, w: nn.depthwise_conv2d_nchw(x, w, 1, 1, 1),
        F.conv2d(t(IMAGE), t(numbers(4, 2, 3, 3).reshape(8, 1, 3, 3)), padding=1, groups=4).numpy(),
        IMAGE,
        numbers(4, 2, 3, 3),
    ),
    "depthwise_conv2d_nhwc": (
        lambda x, w: nn.depthwise_conv2d_nhwc(x, w, 1, 1, 1),
        nhwc(F.conv2d(t(IMAGE), t(numbers(4, 2, 3, 3).reshape(8, 1, 3, 3)), padding=1, groups=4).numpy()),
        nhwc(IMAGE),
        numbers(4, 2, 3, 3).transpose(2, 3, 0, 1).copy(),
    ),
    "conv1d": (
        lambda x, w: nn.conv1d(x, w, padding=1),
        F.conv1d(t(ROW), t(numbers(5, 4, 3)), padding=1).numpy(),
        ROW,
        numbers(5, 4, 3),
    ),
    "conv3d": (
        lambda x, w: nn.conv3d_ncdhw(x, w, 1, (1, 0, 1), 1, 1),
        F.conv3d(t(VOLUME), t(numbers(3, 2, 2, 3, 3)), padding=(1, 0, 1)).numpy(),
        VOLUME,
        numbers(3, 2, 2, 3, 3),
    ),
    "conv2d_transpose_nchw": (
        lambda x, w: nn.conv2d_transpose_nchw(x, w, (2, 2), (1, 0), "float32", (1, 1)),
        F.conv_transpose2d(t(IMAGE), t(numbers(4, 3, 3, 2)), None, 2, (1, 0), 1).numpy(),
        IMAGE,
        numbers(4, 3, 3, 2),
    ),
    "pool2d max": (
        lambda x: nn.pool2d(x, [3, 2], [2, 2], [1, 1], [1, 0, 1, 0], "max"),
        F.max_pool2d(t(IMAGE), (3, 2), 2, (1, 0)).numpy(),
        IMAGE,
    ),
    "pool2d avg": (
        lambda x: nn.pool2d(x, (2, 2), (2, 2), (1, 1), (1, 1, 1, 1), pool_type="avg", count_include_pad=False),
        F.avg_pool2d(t(IMAGE), 2, 2, 1, count_include_pad=False).numpy(),
        IMAGE,
    ),
    "pool1d": (
        lambda x: nn.pool1d(x, [3], [2], [1], [0, 0], "max", ceil_mode=True),
        F.max_pool1d(t(ROW), 3, 2, ceil_mode=True).numpy(),
        ROW,
    ),
    "adaptive_pool avg": (
        lambda x: nn.adaptive_pool(x, (3, 4), "avg"),
        F.adaptive_avg_pool2d(t(IMAGE), (3, 4)).numpy(),
        IMAGE,
    ),
    "adaptive_pool max": (
        lambda x: nn.adaptive_pool(x, (3, 4), "max"),
        F.adaptive_max_pool2d(t(IMAGE), (3, 4)).numpy(),
        IMAGE,
    ),
    "adaptive_pool1d": (lambda x: nn.adaptive_pool1d(x, 4, "max"), F.adaptive_max_pool1d(t(ROW), 4).numpy(), ROW),
    "adaptive_pool3d": (lambda x: nn.adaptive_pool3d(x, 2, "max"), F.adaptive_max_pool3d(t(VOLUME), 2).numpy(), VOLUME),
    "global_pool": (lambda x: nn.global_pool(x, "avg"), IMAGE.mean((2, 3), keepdims=True), IMAGE),
    "batch_norm": (
        lambda x, g, b, m, v: nn.batch_norm(x, g, b, m, v, axis=1, epsilon=1e-3)[0],
        F.batch_norm(t(IMAGE), t(W), t(W * W), t(X[0].copy()), t(W * W), eps=1e-3).numpy(),
        IMAGE,
        X[0].copy(),
        W * W,
        W,
        W * W,
    ),
    "layer_norm": (
        lambda x, g, b: nn.layer_norm(x, g, b, axis=[1]),
        F.layer_norm(t(X), (4,), t(W), t(W)).numpy(),
        X,
        W,
        W,
    ),
    "layer_norm of no beta": (
        lambda x, g: nn.layer_norm(x, g, None, [-1]),
        F.layer_norm(t(X), (4,), t(W)).numpy(),
        X,
        W,
    ),
    "group_norm": (
        lambda x, g, b: nn.group_norm(x, g, b, 2, 1, [2, 3]),
        F.group_norm(t(IMAGE), 2, t(W), t(W)).numpy(),
        IMAGE,
        W,
        W,
    ),
    "instance_norm": (
        lambda x, g, b: nn.instance_norm(x, g, b, 1, [2, 3]),
        F.instance_norm(t(IMAGE), None, None, t(W), t(W)).numpy(),
        IMAGE,
        W,
        W,
    ),
    "rms_norm": (lambda x, w: nn.rms_norm(x, w, axis=[1]), F.rms_norm(t(X), (4,), t(W), 1e-5).numpy(), X, W),
    "lrn": (lambda x: nn.lrn(x, 3, 1, 1e-2, 0.75, 1.0), F.local_response_norm(t(IMAGE), 3, 1e-2).numpy(), IMAGE),
    "scale_shift_nchw": (nn.scale_shift_nchw, IMAGE * W[:, None, None] + X[0][:, None, None], IMAGE, W, X[0].copy()),
    "depth_to_space nhwc": (
        lambda x: nn.depth_to_space(x, 2, "NHWC", "CRD"),
        nhwc(F.pixel_shuffle(t(IMAGE), 2).numpy()),
        nhwc(IMAGE),
    ),
    "there and back": (lambda x: nn.space_to_depth(nn.depth_to_space(x, 2), 2), IMAGE, IMAGE),
    "circular_pad": (lambda x: nn.circular_pad(x, [1, 2], [2, 1]), mirrored("wrap")(X), X),
    "pad with an element": (
        lambda x, v: nn.pad(x, [1, 0], pad_value=v(1)),
        np.pad(X, [(1, 1), (0, 0)], constant_values=W[1]),
        X,
        W,
    ),
    "depthwise hwio": (
        lambda x, w: nn.depthwise_conv2d_nhwc(x, w, 1, 0, 1, kernel_layout="HWIO"),
        nhwc(F.conv2d(t(IMAGE), t(KERNEL[:4].reshape(8, 1, 3, 4)), groups=4).numpy()),
        nhwc(IMAGE),
        np.ascontiguousarray(KERNEL[:4].reshape(4, 2, 3, 4).transpose(2, 3, 1, 0)),
    ),
    "adaptive_pool3d last": (
        lambda x: nn.adaptive_pool3d(x, (3, 2, 5), "max", layout="NDHWC"),
        F.adaptive_max_pool3d(t(VOLUME), (3, 2, 5)).numpy().transpose(0, 2, 3, 4, 1),
        np.ascontiguousarray(VOLUME.transpose(0, 2, 3, 4, 1)),
    ),
    "depth_to_space": (lambda x: nn.depth_to_space(x, 2, mode="CRD"), F.pixel_shuffle(t(IMAGE), 2).numpy(), IMAGE),
    "space_to_depth": (
        lambda x: nn.space_to_depth(x, 2),
        IMAGE[:, :, :6].reshape(2, 4, 3, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(2, 16, 3, 3),
        IMAGE[:, :, :6].copy(),
    ),
    "upsampling": (lambda x: nn.upsampling(x, 2, 3), IMAGE.repeat(2, 2).repeat(3, 3), IMAGE),
    "upsampling bilinear": (
        lambda x: nn.upsampling(x, 2, 2, method="bilinear"),
        between(between(IMAGE, 2), 3),
        IMAGE,
    ),
    "resize2d": (
        lambda x: topi.image.resize2d(x, None, [5, 9], method="linear", coordinate_transformation_mode="align_corners"),
        F.interpolate(t(IMAGE), (5, 9), mode="bilinear", align_corners=True).numpy(),
        IMAGE,
    ),
    "nll_loss": (
        lambda x, i, w: nn.nll_loss(x, i, w, "mean", -100),
        F.nll_loss(t(X), t(AT[0].copy()), t(np.abs(W))).numpy(),
        X,
        AT[0].copy(),
        np.abs(W),
    ),
}


SMALL = np.array([[-100, 5], [127, -1]], "int8")
BYTES = np.array([[3, 200], [255, 0]], "uint8")
COUNTS = np.array([[-7, 5], [9, -2]], "int32")
THREES = np.array([[3, -3]], "int32")
HALVES = np.array([[0.5, -2.5], [3, -1]], "float16")


@np.errstate(invalid="ignore")
def logaddexp(x, y):
    return np.logaddexp(x, y)


EXTREMES = np.array([-np.inf, -1e30, -200, -1, 0, 2, 200, 3e38, np.inf, np.nan], "float32")
MEETINGS = {
    "a byte and an integer": (lambda x: topi.subtract(x, 128), BYTES.astype("int32") - 128, BYTES),
    "a byte doubled": (lambda x: x * 2, SMALL.astype("int32") * 2, SMALL),
    "an integer and a float": (lambda x: topi.multiply(2.5, x), (COUNTS * 2.5).astype("float32"), COUNTS),
    "half precision and a float": (lambda x: topi.add(x, 0.1), HALVES.astype("float32") + np.float32(0.1), HALVES),
    "half precision and an integer": (lambda x: topi.add(x, 2), HALVES + np.float16(2), HALVES),
    "two widths": (lambda x, y: topi.add(x, y), SMALL.astype("int32") + COUNTS, SMALL, COUNTS),
    "integers and floats": (lambda x, y: topi.maximum(x, y), np.maximum(COUNTS, X[:2, :2]).astype("float32"), COUNTS,
                            X[:2, :2].copy()),
    "a comparison of two widths": (lambda x, y: topi.less(x, y), SMALL < COUNTS, SMALL, COUNTS),
    "a truth value": (lambda x: topi.logical_and(x, True), SMALL > 0, SMALL > 0),
    "mod": (topi.mod, np.fmod(COUNTS, THREES), COUNTS, THREES),
    "mod of floats": (lambda x: topi.mod(x, 2.0), np.fmod(X, 2).astype("float32"), X),
    "argmax": (lambda x: topi.argmax(x, axis=1), X.argmax(1).astype("int32"), X),
    "argmax of all": (lambda x: topi.argmin(x), X.argmin().astype("int32"), X),
    "argmax of several": (
        lambda x: topi.argmax(x, axis=(1, 3), keepdims=True),
        IMAGE.transpose(0, 2, 1, 3).reshape(2, 7, -1).argmax(-1).astype("int32")[:, None, :, None],
        IMAGE,
    ),
    "floor of integers": (topi.floor, COUNTS, COUNTS),
    "isnan of integers": (topi.isnan, COUNTS > 100, COUNTS),
    "sqrt of integers": (topi.sqrt, np.sqrt(BYTES.astype("float32")), BYTES),
    "log2 of integers": (topi.log2, np.log2(np.abs(COUNTS)).astype("float32"), np.abs(COUNTS)),
    "abs of bytes": (topi.abs, BYTES, BYTES),
    "where of integers": (lambda c, x: topi.where(c, x, 0), np.where(COUNTS - 5, COUNTS, 0), COUNTS - 5, COUNTS),
    "log_add_exp": (topi.log_add_exp, np.logaddexp(X * 100, Y * 100), X * 100, Y * 100),
    "log_add_exp of extremes": (topi.log_add_exp, logaddexp(EXTREMES[:, None], EXTREMES), EXTREMES[:, None],
                                EXTREMES),
    "logaddexp": (
        lambda x: te.compute(x.shape, lambda i: tvm.tir.logaddexp(x[i], 0)), logaddexp(EXTREMES, 0), EXTREMES
    ),
    "where of truth values": (lambda c: topi.where(c, True, False), COUNTS > 100, COUNTS > 100),
    "where of a truth value": (
        lambda c: topi.where(c, True, 7), np.where(COUNTS > 100, 1, 7).astype("int32"), COUNTS > 100
    ),
    "resize3d": (
        lambda x: topi.image.resize3d(x, None, [7, 3, 8]),
        F.interpolate(t(VOLUME), (7, 3, 8), mode="trilinear").numpy(), VOLUME,
    ),
    "resize3d of corners, channels last": (
        lambda x: topi.image.resize3d(x, None, [7, 3, 8], "NDHWC", coordinate_transformation_mode="align_corners"),
        F.interpolate(t(VOLUME), (7, 3, 8), mode="trilinear", align_corners=True).numpy().transpose(0, 2, 3, 4, 1),
        VOLUME.transpose(0, 2, 3, 4, 1).copy(),
    ),
    "resize1d": (
        lambda x: topi.image.resize1d(x, None, [5]), F.interpolate(t(ROW), 5, mode="linear").numpy(), ROW
    ),
    "nearest": (
        lambda x: topi.image.resize2d(x, None, [9, 4], method="nearest_neighbor"),
        IMAGE[:, :, np.clip(np.floor((np.arange(9) + 0.5) * 7 / 9 - 0.5), 0, 6).astype(int)][
            :, :, :, np.clip(np.floor((np.arange(4) + 0.5) * 6 / 4 - 0.5), 0, 5).astype(int)
        ],
        IMAGE,
    ),
}  # fmt: skip


PLACES = np.array([[0, 2], [1, 1]], "int64")
PLACED = {
    "tensor_size": (topi.tensor_size, np.array(12, "int32"), X),
    "unravel_index": (topi.unravel_index, np.array(np.unravel_index([0, 7, 11], (3, 4)), "int32"),
                      np.array([0, 7, 11], "int32"), np.array([3, 4], "int32")),
    "reverse_sequence": (
        lambda x, n: topi.reverse_sequence(x, n, 1, 0),
        np.stack([np.concatenate([row[:n][::-1], row[n:]]) for row, n in zip(X, (1, 4, 0), strict=True)]),
        X, np.array([1, 4, 0], "int64"),
    ),
    "matrix_set_diag": (topi.matrix_set_diag, np.where(np.eye(3, 4, dtype=bool), 9, X).astype("float32"), X,
                        np.full(3, 9, "float32")),
    "matrix_set_diag below": (
        lambda x, d: topi.matrix_set_diag(x, d, -1),
        np.where(np.eye(3, 4, -1, dtype=bool), 9, X).astype("float32"), X, np.full(2, 9, "float32"),
    ),
    "sparse_to_dense": (lambda i, v: topi.sparse_to_dense(i, (2, 3), v, 7.0),
                        np.array([[7, 7, 1], [7, 2, 7]], "float32"), PLACES, np.array([1, 2], "float32")),
    "sparse_to_dense row": (lambda i, v: topi.sparse_to_dense(i, (4,), v), np.array([0, 3, 0, 5], "float32"),
                            np.array([1, 3], "int32"), np.array([3, 5], "float32")),
    "sparse_to_dense outside": (
        lambda i, v: topi.sparse_to_dense(i, (2, 3), v, -1.0), np.array([[-1, -1, 5], [-1, -1, -1]], "float32"),
        np.array([[0, 2], [-1, 0], [0, 3], [2, 0], [0, 2], [1, -3]], "int32"), np.arange(1, 7, dtype="float32"),
    ),
    "strided_set": (lambda x, v, b, e: topi.strided_set(x, v, b, e), put(X, np.s_[1:-1, -2:4], 8.0), X,
                    np.full((1, 2), 8, "float32"), np.array([1, -2], "int64"), np.array([-1, 4], "int64")),
    "strided_set backwards": (topi.strided_set, put(X, np.s_[:, 3:0:-2], np.array([[1, 2]] * 3)), X,
                              np.array([[1, 2]] * 3, "float32"), np.array([0, 3], "int64"), np.array([3, 0], "int64"),
                              np.array([1, -2], "int64")),
    "strided_set outside": (topi.strided_set, put(np.arange(6), np.s_[-10:4:2], [10, 20]), np.arange(6),
                            np.array([10, 20]), np.array([-10]), np.array([4]), np.array([2])),
    "strided_set from behind": (topi.strided_set, put(np.arange(6), np.s_[10:-10:-2], [10, 20, 30]), np.arange(6),
                                np.array([10, 20, 30]), np.array([10]), np.array([-10]), np.array([-2])),
    "slice_scatter from the end": (lambda a, v: topi.slice_scatter(a, v, -3, 100, 1, 0),
                                   np.array([0, 1, 2, 10, 20, 30]), np.arange(6), np.array([10, 20, 30])),
    "slice_scatter to the end": (lambda a, v: topi.slice_scatter(a, v, -9, -1, 2, 0),
                                 np.array([10, 1, 20, 3, 30, 5]), np.arange(6), np.array([10, 20, 30])),
    "slice_scatter": (lambda x, v: topi.slice_scatter(x, v, 1, 4, 2, 1), put(X, np.s_[:, 1:4:2], 5.0), X,
                      np.full((3, 2), 5, "float32")),
    "sliding_window": (lambda x: topi.sliding_window(x, 0, [2, 2], [1, 2]),
                       np.lib.stride_tricks.sliding_window_view(X, (2, 2))[:, ::2], X),
    "dynamic_strided_slice": (lambda x, b, e, s: topi.dynamic_strided_slice(x, b, e, s, [2, 2]), X[0:3:2, 1:4:2], X,
                              np.array([0, 1], "int64"), np.array([3, 4], "int64"), np.array([2, 2], "int64")),
    "dynamic_strided_slice from the end": (lambda x, b, e, s: topi.dynamic_strided_slice(x, b, e, s, [2, 3]),
                                           X[-9:2:1, -1:-9:-1][:, :3], X, np.array([-9, -1]), np.array([2, -9]),
                                           np.array([1, -1])),
    "dynamic_strided_slice in steps": (lambda x, b, e, s: topi.dynamic_strided_slice(x, b, e, s, [2]), np.array([3, 5]),
                                       np.arange(6), np.array([-3]), np.array([6]), np.array([2])),
    "expand_like": (lambda x, y: topi.expand_like(x, y, [1]), np.repeat(X[:, :1], 4, 1), X[:, 0].copy(), X),
    "space_to_batch_nd": (
        lambda x: nn.space_to_batch_nd(x, [2, 3], [1, 0], [0, 0], 9.0),
        np.pad(IMAGE[:, :, :, 0], [(0, 0), (1, 1), (0, 2)], constant_values=9)
        .reshape(2, 3, 2, 3, 3).transpose(2, 4, 0, 1, 3).reshape(12, 3, 3)[:, :, :],
        np.pad(IMAGE[:, :, :, 0], [(0, 0), (0, 1), (0, 2)], constant_values=9),
    ),
    "batch_to_space_nd": (
        lambda x: nn.batch_to_space_nd(nn.space_to_batch_nd(x, [2, 3], [0, 2], [0, 0]), [2, 3], [0, 2], [0, 0]),
        IMAGE, IMAGE,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACED)
def test_elements_stand_at_the_places_that_are_said(name):
    formula, wanted, *arrays = PLACED[name]
    (found,) = ran(formula, *arrays)
    assert found.shape == wanted.shape
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_dense_tensor_is_made_of_any_number_of_elements(count):
    n = te.var("n", "int64")
    places, values = te.placeholder((n,), "int64", name="places"), te.placeholder((n,), "float32", name="values")
    made = te.create_prim_func([places, values, topi.sparse_to_dense(places, (4,), values, 7.0)])
    found = tvm.nd.array(np.zeros(4, "float32"))
    tvm.build(made)(np.arange(count), np.arange(count, dtype="float32"), found)
    np.testing.assert_array_equal(found.numpy(), [*range(count), *[7] * (4 - count)])


def test_borders_in_words_are_numbers():
    assert nn.get_pad_tuple("SAME", (3, 4)) == (1, 2, 1, 1) and nn.get_pad_tuple((1, 2), (3, 3)) == (1, 2, 1, 2)
    assert nn.get_pad_tuple1d("VALID", 3) == (0, 0) and nn.get_pad_tuple3d(1, (3, 3, 3)) == (1,) * 6


@pytest.mark.parametrize("name", MEETINGS)
def test_operands_meet_in_the_type_that_holds_them(name):
    formula, wanted, *arrays = MEETINGS[name]
    (found,) = ran(formula, *arrays)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_allclose(found, wanted, rtol=1e-3 if wanted.dtype == "float16" else 1e-4, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_a_formula_agrees_with_its_reference(name):
    formula, expected, *arrays = CASES[name]
    found = ran(formula, *arrays)
    expected = expected if isinstance(expected, (list, tuple)) else [expected]
    for one, wanted in zip(found, expected, strict=True):
        wanted = np.asarray(wanted)
        assert one.shape == wanted.shape
        np.testing.assert_allclose(one, wanted, rtol=2e-4, atol=1e-4)


def test_words_about_shapes():
    n = tvm.tir.Var("n", "int64")
    assert topi.utils.prod([2, 3, 4]) == 24
    assert topi.utils.get_const_tuple(te.placeholder((2, n)).shape)[0] == 2
    assert topi.utils.ravel_index([1, 2, 3], [2, 3, 4]) == 23
    assert topi.utils.unravel_index(23, [2, 3, 4]) == [1, 2, 3]
    assert topi.utils.equal_const_int(tvm.tir.IntImm("int32", 3), 3)
    assert topi.tag.is_broadcast(topi.tag.ELEMWISE)


MISTAKES = [
    (lambda x: nn.pool2d(x, 2, 2, 1, 0, "median"), '"max" or "avg", not "median"'),
    (lambda x: nn.pad(x, [1]), "has 4 dimensions, its border 1 and 1 widths"),
    (lambda x: nn.pad(x, [0, 0, -1, 0]), "cannot be -1 wide"),
    (lambda x: nn.pad(x, [0] * 4, attrs={"a": 1}), "`attrs` is not known here"),
    (lambda x: topi.layout_transform(x, "NCHW", "NHWD"), "`NHWD` is no layout of the axes NCHW"),
    (lambda x: topi.layout_transform(x, "NCHW", "NHWC", "my_rule"), 'found the rule "my_rule"'),
    (lambda x: nn.depth_to_space(x, 2, mode="RCD"), "`DCR` or `CRD`, found `RCD`"),
    (lambda x: nn.depth_to_space(x, 2, layout="NCWX"), "no layout of the axes NCHW"),
    (lambda x: nn.depth_to_space(x, 2), "channels: 2 is no multiple of 4"),
    (lambda x: nn.space_to_depth(x, 3), "blocks: 4 is no multiple of 3"),
    (lambda x: topi.strided_slice(x, [0], [1], slice_mode="begin"), '"end" or "size", not "begin"'),
    (lambda x: nn.conv2d_nhwc(x, x, 1, 0, 1, meta_schedule_original_shape=[1]), "is not known here"),
    (lambda x: nn.depthwise_conv2d_nhwc(x, x, 1, 0, 1, "OHWI"), 'not "OHWI"'),
    (lambda x: nn.conv2d(x, x, 1, "FULL", 1), '"SAME" or "VALID", not "FULL"'),
    (lambda x: topi.all(x, axis=4), "has no dimension 4"),
    (lambda x: topi.tensordot(x, x, ((0, 1), (0,))), "2 dimensions of `x` stand beside 1"),
    (lambda x: nn.mirror_pad(x, [0] * 4, mode="WRAP"), 'not "WRAP"'),
    (lambda x: nn.mirror_pad(x, [0, 2, 0, 0], mode="REFLECT"), "at most 1 wide at dimension 1, found 2"),
    (lambda x: nn.mirror_pad(x, [0] * 4, [0, 0, 5, 0], mode="SYMMETRIC"), "at most 4 wide at dimension 2, found 5"),
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_arguments_that_a_formula_does_not_take_are_errors(number):
    formula, message = MISTAKES[number]
    with pytest.raises((ValueError, tvm.TVMError), match=message):
        formula(te.placeholder((1, 2, 4, 4), name="x"))


def test_a_missing_argument_of_a_convolution_is_named():
    x = te.placeholder((1, 2, 4, 4), name="x")
    with pytest.raises(TypeError, match=r"topi.nn.conv2d_nchw: missing a required argument: 'padding'"):
        nn.conv2d_nchw(x, x, 1)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_boxes_of_images_are_sampled_along_their_edges(layout):
    image = numbers(2, 3, 6, 7)
    boxes = np.float32([[0, 0, 1, 1], [0.2, 0.1, 0.9, 0.7], [0.5, 0.5, 1.3, 1.2], [0.8, 0.9, 0.1, 0.2]])
    which = np.int32([0, 1, 1, 0])
    expected = np.full((4, 3, 4, 5), 9.0)
    for at, (y1, x1, y2, x2) in enumerate(boxes.astype("float64")):
        for i, y in enumerate(np.linspace(y1, y2, 4)):
            for j, x in enumerate(np.linspace(x1, x2, 5)):
                if 0 <= y <= 1 and 0 <= x <= 1:
                    place = torch.tensor([[[[2 * x - 1, 2 * y - 1]]]])
                    one = F.grid_sample(t(image[which[at]][None]).double(), place, align_corners=True)
                    expected[at, :, i, j] = one.numpy()[0, :, 0, 0]
    last = layout == "NHWC"
    given = image.transpose(0, 2, 3, 1).copy() if last else image

    def crop(x, areas, images):
        return topi.image.crop_and_resize(x, areas, images, [4, 5], layout, extrapolation_value=9.0)

    (found,) = ran(crop, given, boxes, which)
    np.testing.assert_allclose(found.transpose(0, 3, 1, 2) if last else found, expected, rtol=1e-5, atol=1e-5)
