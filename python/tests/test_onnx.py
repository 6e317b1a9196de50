"""Models of ONNX, written by the tests: results are those of NumPy and PyTorch."""

import numpy as np
import pytest
from onnx_writer import graph, model, node, part, tensor

import tilewright as tw
from tilewright import relax
from tilewright.error import OpNotImplemented, TVMError
from tilewright.relax.frontend import detach_params
from tilewright.relax.frontend.onnx import fallback_report, from_onnx

RANDOM = np.random.default_rng(7)
X = RANDOM.standard_normal((2, 3, 4)).astype("float32")
M = RANDOM.standard_normal((3, 4)).astype("float32")
IMAGE = RANDOM.standard_normal((1, 2, 5, 6)).astype("float32")


def compiled(mod):
    return relax.VirtualMachine(relax.build(mod, target="llvm"), tw.cpu())["main"]


def results(found):
    return [found.numpy()] if hasattr(found, "numpy") else [item.numpy() for item in found]


def run(bytes_of_model, *arrays, **options):
    return results(compiled(from_onnx(bytes_of_model, **options))(*map(tw.nd.array, arrays)))


def softmax(x, axis):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def windows(x):
    return np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))


def lstm(x, w, r):
    hidden = r.shape[2]
    h = c = np.zeros((x.shape[1], hidden), "float32")
    for step in x:
        i, o, f, g = np.split(step @ w[0].T + h @ r[0].T, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h


W = RANDOM.standard_normal((1, 20, 4)).astype("float32")
R = RANDOM.standard_normal((1, 20, 5)).astype("float32")
KERNEL = RANDOM.standard_normal((3, 2, 3, 3)).astype("float32")
BYTES = RANDOM.integers(0, 255, (4, 3)).astype("uint8")
PACKED = RANDOM.integers(0, 255, (2, 1, 8)).astype("uint8")
NIBBLES = np.stack([PACKED & 15, PACKED >> 4], -1).reshape(2, 16).astype("float32")

#: Operator, inputs, constants by name, attributes, version, and the result. A name with a dot has its domain before it.
CASES = [
    ("Add", [X, M], {}, {}, 17, X + M),
    ("Add", [X, M[:, 0]], {}, {"axis": 1, "broadcast": 1}, 6, X + M[:, :1]),
    ("Pow", [np.abs(X)], {"e": np.float32(1.5)}, {}, 17, np.abs(X) ** 1.5),
    ("Pow", [np.arange(10)], {"e": np.float32(0.5)}, {}, 17, np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 3])),
    ("Mod", [X, M], {}, {"fmod": 1}, 17, np.fmod(X, M)),
    ("Clip", [X], {"a": np.float32(-0.5), "b": np.float32(0.25)}, {}, 13, np.clip(X, -0.5, 0.25)),
    ("Clip", [X], {}, {"min": -0.5, "max": 0.25}, 10, np.clip(X, -0.5, 0.25)),
    ("Cast", [X], {}, {"to": 7}, 17, X.astype("int64")),
    ("Softmax", [X], {}, {"axis": 1}, 13, softmax(X, 1)),
    ("Softmax", [X], {}, {"axis": 1}, 11, softmax(X.reshape(2, 12), 1).reshape(X.shape)),
    ("ReduceMean", [X], {}, {"axes": [0, 2], "keepdims": 0}, 13, X.mean((0, 2))),
    ("ReduceMean", [BYTES.astype("int64") - 128], {"axes": np.array([0])}, {}, 18,
     np.trunc((BYTES.astype("int64") - 128).mean(0, keepdims=True)).astype("int64")),
    ("ReduceSum", [X], {"axes": np.array([-1])}, {}, 17, X.sum(-1, keepdims=True)),
    ("ArgMax", [X], {}, {"axis": 2, "keepdims": 0, "select_last_index": 1}, 13, X.argmax(2)),
    ("CumSum", [X], {"axis": np.int64(1)}, {"reverse": 1}, 17, np.flip(np.flip(X, 1).cumsum(1), 1)),
    ("Transpose", [X], {}, {"perm": [2, 0, 1]}, 17, X.transpose(2, 0, 1)),
    ("Reshape", [X], {"shape": np.array([0, -1])}, {}, 17, X.reshape(2, 12)),
    ("Slice", [X], {"s": np.array([-1]), "e": np.array([-9]), "a": np.array([2]), "t": np.array([-2])}, {}, 17,
     X[:, :, ::-2]),
    ("Slice", [X], {"s": np.array([-9]), "e": np.array([-99]), "a": np.array([2]), "t": np.array([-1])}, {}, 17,
     X[:, :, :1]),
    ("Pad", [M], {"pads": np.array([1, 0, 0, 2]), "value": np.float32(3)}, {}, 17,
     np.pad(M, [(1, 0), (0, 2)], constant_values=3)),
    ("Tile", [M], {"repeats": np.array([2, 1])}, {}, 17, np.tile(M, (2, 1))),
    ("Gather", [X], {"i": np.array([[2, -1]])}, {"axis": 1}, 17, X[:, [[2, -1]]]),
    ("GatherElements", [M], {"i": np.array([[0, 1, 2, -1]])}, {"axis": 0}, 17, M[[0, 1, 2, -1], [0, 1, 2, 3]][None]),
    ("ScatterND", [M], {"i": np.array([[2], [0]]), "u": np.ones((2, 4), "float32")}, {"reduction": "add"}, 17,
     M + np.array([[1], [0], [1]], "float32")),
    ("OneHot", [np.array([1, -1, 3])], {"d": np.int64(4), "v": np.array([2.0, 5.0], "float32")}, {}, 17,
     np.array([[2, 5, 2, 2], [2, 2, 2, 5], [2, 2, 2, 5]], "float32")),
    ("MatMul", [X, M.T.copy()], {}, {}, 17, X @ M.T),
    ("Gemm", [M, M], {"c": np.float32(2)}, {"transB": 1, "alpha": 0.5, "beta": 3.0}, 17, 0.5 * M @ M.T + 6),
    ("Einsum", [X, M], {}, {"equation": "bij, ij -> b"}, 17, np.einsum("bij,ij->b", X, M)),
    ("Conv", [IMAGE, KERNEL], {}, {"pads": [1, 1, 1, 1]}, 17,
     np.einsum("nchwij,ocij->nohw", windows(np.pad(IMAGE, [(0, 0)] * 2 + [(1, 1)] * 2)), KERNEL)),
    ("MaxPool", [IMAGE], {}, {"kernel_shape": [3, 3]}, 17, windows(IMAGE).max((4, 5))),
    ("AveragePool", [IMAGE], {}, {"kernel_shape": [3, 3]}, 17, windows(IMAGE).mean((4, 5))),
    ("LayerNormalization", [M], {"s": np.ones(4, "float32")}, {}, 17,
     (M - M.mean(1, keepdims=True)) / np.sqrt(M.var(1, keepdims=True) + 1e-5)),
    ("Resize", [IMAGE], {"r": np.zeros(0, "float32"), "s": np.array([1, 1, 2, 2], "float32")},
     {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}, 13,
     IMAGE.repeat(2, 2).repeat(2, 3)),
    ("Resize", [IMAGE[:, :, :1]], {"s": np.array([1, 1, 1, 0.5], "float32")}, {"mode": "nearest"}, 10,
     IMAGE[:, :, :1, ::2]),
    ("Resize", [IMAGE], {"r": np.zeros(0, "float32"), "s": np.array([1, 1, 1, 0.2], "float32")},
     {"mode": "cubic", "coordinate_transformation_mode": "pytorch_half_pixel"}, 13, IMAGE[..., :1]),
    ("QuantizeLinear", [X], {"s": np.float32(0.1), "z": np.uint8(100)}, {}, 13,
     np.clip(np.rint(X / np.float32(0.1)) + 100, 0, 255).astype("uint8")),
    ("MatMulInteger", [BYTES, BYTES.T.copy()], {"a": np.uint8(7), "b": np.uint8(9)}, {}, 13,
     (BYTES.astype("int32") - 7) @ (BYTES.T.astype("int32") - 9)),
    ("com.microsoft.FastGelu", [X], {}, {}, 17,
     0.5 * X * (1 + np.tanh(np.float32(np.sqrt(2 / np.pi)) * (X + 0.044715 * X**3)))),
    ("com.microsoft.MatMulNBits", [RANDOM.standard_normal((3, 16)).astype("float32")],
     {"b": PACKED, "s": np.array([0.5, 2.0], "float32")}, {"K": 16, "N": 2, "bits": 4, "block_size": 16}, 17, None),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[4]}")
def test_operators_compute_what_numpy_does(case):
    name, inputs, constants, attributes, opset, expected = case
    domain, _, op = name.rpartition(".")
    names = [f"x{at}" for at in range(len(inputs))]
    one = node(op, [*names, *constants], ["y"], domain, **attributes)
    typed = [(n, str(x.dtype), x.shape) for n, x in zip(names, inputs, strict=True)]
    (found,) = run(model(graph([one], typed, ["y"], constants), opset), *inputs)
    if expected is None:
        expected = inputs[0] @ ((NIBBLES - 8) * constants["s"][:, None]).T
    assert found.dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_a_recurrent_layer_gives_the_last_state():
    x = RANDOM.standard_normal((6, 2, 4)).astype("float32")
    one = node("LSTM", ["x", "w", "r"], ["", "h"], hidden_size=5)
    found = run(model(graph([one], [("x", "float32", x.shape)], ["h"], {"w": W, "r": R}), 14), x)
    np.testing.assert_allclose(found[0][0], lstm(x, W, R), rtol=1e-5, atol=1e-6)


def test_parameters_of_activations_are_of_those_that_take_one():
    x, w, r = X, RANDOM.standard_normal((1, 10, 4)).astype("float32"), np.zeros((1, 10, 5), "float32")
    w = np.concatenate([w, w[:, :5]], 1)
    r = np.zeros((1, 15, 5), "float32")
    attributes = {"activations": ["Sigmoid", "LeakyRelu"], "activation_alpha": [0.5], "hidden_size": 5}
    one = node("GRU", ["x", "w", "r"], ["", "h"], **attributes)
    found = run(model(graph([one], [("x", "float32", x.shape)], ["h"], {"w": w, "r": r}), 14), x)
    state = np.zeros((3, 5), "float32")
    for step in x:
        gates = step @ w[0].T
        update, hidden = sigmoid(gates[:, :5]), gates[:, 10:]
        state = (1 - update) * np.where(hidden < 0, 0.5 * hidden, hidden) + update * state
    np.testing.assert_allclose(found[0][0], state, rtol=1e-5, atol=1e-6)


def test_the_scale_of_a_tensor_of_zeros_is_one():
    one = node("DynamicQuantizeLinear", ["x"], ["y", "s", "z"])
    found = run(model(graph([one], [("x", "float32", [3])], ["y", "s", "z"]), 11), np.zeros(3, "float32"))
    assert [array.tolist() for array in found] == [[0, 0, 0], 1.0, 0]


#: `reshape(x @ w, [batch, -1, 2])`, with the shape computed as exporters write it.
RESHAPED = graph(
    [
        node("MatMul", ["x", "w"], ["y"]),
        node("Shape", ["x"], ["sizes"]),
        node("Gather", ["sizes", "zero"], ["batch"]),
        node("Concat", ["batch", "rest"], ["shape"], axis=0),
        node("Reshape", ["y", "shape"], ["z"]),
    ],
    [("x", "float32", ["n", 3])],
    ["z"],
    {"w": M, "zero": np.array([0]), "rest": np.array([-1, 2])},
)


def test_symbolic_sizes_stay_symbolic():
    mod = from_onnx(model(RESHAPED))
    assert str(mod["main"].ret_struct_info.shape[0]) == "n"
    main = compiled(mod)
    for batch in (1, 5):
        x = RANDOM.standard_normal((batch, 3)).astype("float32")
        np.testing.assert_allclose(main(tw.nd.array(x)).numpy(), (x @ M).reshape(batch, 2, 2), rtol=1e-5)
    fixed = from_onnx(model(RESHAPED), shape_dict={"x": [4, 3]})
    assert [int(size) for size in fixed["main"].ret_struct_info.shape] == [4, 2, 2]


def test_parameters_become_inputs_on_request():
    mod, params = detach_params(from_onnx(model(RESHAPED), keep_params_in_input=True))
    assert [param.name_hint for param in mod["main"].params] == ["x", "w"]
    x = RANDOM.standard_normal((2, 3)).astype("float32")
    found = compiled(mod)(tw.nd.array(x), *params["main"])
    np.testing.assert_allclose(found.numpy(), (x @ M).reshape(2, 2, 2), rtol=1e-5)


def test_both_branches_of_a_condition_that_the_run_knows():
    branch = {op: graph([node(op, ["x"], ["r"])], [], ["r"]) for op in ("Exp", "Neg")}
    one = node("If", ["c"], ["y"], then_branch=branch["Exp"], else_branch=branch["Neg"])
    whole = model(graph([one], [("c", "bool", []), ("x", "float32", [3, 4])], ["y"]))
    main = compiled(from_onnx(whole))
    for truth, expected in ((True, np.exp(M)), (False, -M)):
        found = main(tw.nd.array(np.array(truth)), tw.nd.array(M))
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)

    known = from_onnx(whole, values={"c": np.array(False)})
    assert [param.name_hint for param in known["main"].params] == ["x"]
    np.testing.assert_array_equal(compiled(known)(tw.nd.array(M)).numpy(), -M)


def test_branches_of_different_sizes():
    branches = {
        "then_branch": graph([node("Slice", ["x", "zero", "one"], ["r"])], [], ["r"]),
        "else_branch": graph([node("Concat", ["x", "x"], ["r"], axis=0)], [], ["r"]),
    }
    typed = [("c", "bool", []), ("x", "float32", ["n", 4])]
    one = node("If", ["c"], ["y"], **branches)
    main = compiled(from_onnx(model(graph([one], typed, ["y"], {"zero": np.array([0]), "one": np.array([1])}))))
    for truth, expected in ((True, M[:1]), (False, np.concatenate([M, M]))):
        found = main(tw.nd.array(np.array(truth)), tw.nd.array(M))
        np.testing.assert_array_equal(found.numpy(), expected)


def test_branches_that_differ_in_two_dimensions_are_refused():
    branch = {op: graph([node(op, ["x"], ["r"])], [], ["r"]) for op in ("Transpose", "Neg")}
    one = node("If", ["c"], ["y"], then_branch=branch["Transpose"], else_branch=branch["Neg"])
    with pytest.raises(TVMError, match="differ in more than one dimension"):
        from_onnx(model(graph([one], [("c", "bool", []), ("x", "float32", [3, 4])], ["y"])))


def test_boxes_whose_number_only_the_run_knows():
    one = node("NonMaxSuppression", ["boxes", "scores", "most", "overlap"], ["y"])
    typed = [("boxes", "float32", [1, "n", 4]), ("scores", "float32", [1, 1, "n"])]
    held = {"most": np.array([3]), "overlap": np.array([0.5], "float32")}
    main = compiled(from_onnx(model(graph([one], typed, ["y"], held))))
    boxes = np.array([[[0, 0, 1, 1], [0, 0, 1, 1.1], [2, 2, 3, 3]]], "float32")
    scores = np.array([[[0.7, 0.8, 0.9]]], "float32")
    for count, expected in ((3, [[0, 0, 2], [0, 0, 1]]), (1, [[0, 0, 0]]), (0, np.zeros((0, 3)))):
        found = main(tw.nd.array(boxes[:, :count].copy()), tw.nd.array(scores[:, :, :count].copy()))
        np.testing.assert_array_equal(found.numpy(), expected)


def test_all_boxes_may_be_wanted():
    one = node("NonMaxSuppression", ["boxes", "scores", "most", "overlap"], ["y"])
    typed = [("boxes", "float32", [2, "n", 4]), ("scores", "float32", [2, 1, "n"])]
    held = {"most": np.array([2**63 - 1]), "overlap": np.array([0.0], "float32")}
    main = compiled(from_onnx(model(graph([one], typed, ["y"], held))))
    count = 700
    corners = np.arange(count, dtype="float32")
    boxes = np.stack([corners, corners, corners + 1, corners + 1], -1)
    scores = np.stack([corners, -corners])[:, None]
    found = main(tw.nd.array(np.stack([boxes, boxes])), tw.nd.array(scores)).numpy()
    best_first = [*range(count - 1, -1, -1), *range(count)]
    np.testing.assert_array_equal(found, [[at // count, 0, box] for at, box in enumerate(best_first)])


#: The `n - 1` greatest elements, and `n - 1, n - 2, ..., 1 - n` in float32.
COUNTED = graph(
    [
        node("Shape", ["x"], ["sizes"]),
        node("Gather", ["sizes", "zero"], ["n"]),
        node("Sub", ["n", "one"], ["m"]),
        node("Unsqueeze", ["m", "first"], ["k"]),
        node("TopK", ["x", "k"], ["values", "places"], axis=0),
        node("Neg", ["n"], ["negative"]),
        node("Cast", ["m"], ["start"], to=1),
        node("Cast", ["negative"], ["limit"], to=1),
        node("Range", ["start", "limit", "step"], ["range"]),
    ],
    [("x", "float32", ["n", 4])],
    ["values", "places", "range"],
    {"zero": np.array(0), "one": np.array(1), "first": np.array([0]), "step": np.array(-1, "float32")},
)


def test_counts_that_depend_on_symbolic_sizes():
    mod = from_onnx(model(COUNTED))
    assert "n * T.int64(2) - T.int64(1)" in str(mod["main"].ret_struct_info.fields[2].shape[0])
    main = compiled(mod)
    for count in (2, 5):
        x = RANDOM.standard_normal((count, 4)).astype("float32")
        values, places, numbers = results(main(tw.nd.array(x)))
        np.testing.assert_array_equal(values, -np.sort(-x, 0)[:-1])
        np.testing.assert_array_equal(places, np.argsort(-x, 0)[:-1])
        np.testing.assert_array_equal(numbers, np.arange(count - 1, -count, -1, dtype="float32"))


def test_sizes_of_computed_floats():
    nodes = [
        node("Reciprocal", ["two"], ["half"]),
        node("Mul", ["half", "twenty"], ["ten"]),
        node("Cast", ["ten"], ["rows"], to=7),
        node("Concat", ["before", "rows", "after"], ["sizes"], axis=0),
        node(
            "Resize", ["x", "", "", "sizes"], ["y"],
            mode="nearest", nearest_mode="floor", coordinate_transformation_mode="asymmetric",
        ),
    ]  # fmt: skip
    held = {"two": np.array([2], "float32"), "twenty": np.array([20], "float32")}
    held |= {"before": np.array([1, 2]), "after": np.array([12])}
    (found,) = run(model(graph(nodes, [("x", "float32", IMAGE.shape)], ["y"], held)), IMAGE)
    np.testing.assert_array_equal(found, IMAGE.repeat(2, 2).repeat(2, 3))


@pytest.mark.parametrize("shape", [[2, 12], [0, -1], [-1], [6, 4]])
def test_a_shape_that_only_the_run_knows(shape):
    one = node("Reshape", ["x", "s"], ["y"])
    whole = graph([one], [("x", "float32", [2, 3, 4]), ("s", "int64", [len(shape)])], ["y"])
    (found,) = run(model(whole), X, np.array(shape))
    np.testing.assert_array_equal(found, X.reshape([2 if size == 0 else size for size in shape]))


def test_files_and_the_data_beside_them(tmp_path):
    def weights(location):
        entry = part(1, "location") + part(2, location)
        found = tensor(np.zeros((3, 4), "float32"), "w")
        raw = part(9, bytes(48))
        assert found.endswith(raw)
        return part(5, found[: -len(raw)] + part(13, entry) + b"\x70\x01")

    one = graph([node("MatMul", ["x", "w"], ["y"])], [("x", "float32", [1, 3])], ["y"])
    (tmp_path / "w.bin").write_bytes(M.tobytes())
    path = tmp_path / "model.onnx"
    path.write_bytes(model(one + weights("w.bin")))
    x = RANDOM.standard_normal((1, 3)).astype("float32")
    np.testing.assert_allclose(run(path, x)[0], x @ M, rtol=1e-5)
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "link.bin").symlink_to(tmp_path / "w.bin")
    for location, reason in (("../w.bin", "outside of the model's folder"), ("link.bin", "leads out of")):
        (inner / "model.onnx").write_bytes(model(one + weights(location)))
        with pytest.raises(TVMError, match=reason):
            from_onnx(inner / "model.onnx")


def test_what_has_no_rule_is_named():
    nodes = [node("Frobnicate", ["x"], ["y"]), node("Softmux", ["y"], ["z"])]
    with pytest.raises(OpNotImplemented, match=r"(?s)Frobnicate.*Softmux") as error:
        from_onnx(model(graph(nodes, [("x", "float32", [2])], ["z"])))
    assert list(error.value.nodes) == ["Frobnicate_y", "Softmux_z"]
    with pytest.raises(TVMError, match="no message of ONNX"):
        from_onnx(b"\x00\x01")
    with pytest.raises(FileNotFoundError):
        from_onnx("no_such_file.onnx")
    # An output that no rule computes is one only where something uses it.
    outputs = ["y", "mean", "var", "saved_mean", "saved_var"]
    one = node("BatchNormalization", ["x", *"abcd"], outputs)
    held = {name: np.ones(3, "float32") for name in "abcd"}
    for name in ("y", "saved_mean"):
        whole = model(graph([one], [("x", "float32", [2, 3])], [name], held), 9)
        if name == "y":
            from_onnx(whole)
            continue
        with pytest.raises(TVMError, match="`saved_mean`, an output of `BatchNormalization` that has no rule"):
            from_onnx(whole)


def test_functions_of_users_translate_nodes():
    seen = []

    def scaled(node, importer):
        seen.append((node.name, node.attrs, node.opset))
        x = importer.block_builder.emit(relax.op.multiply(node.inputs[0], relax.const(np.float32(node.attrs["by"]))))
        return x, relax.op.negative(x)

    nodes = [node("Scale", ["x"], ["a", "b"], "com.example", by=2.0), node("Relu", ["b"], ["c"])]
    whole = graph(nodes, [("x", "float32", [3, 4])], ["a", "c"])
    functions = {"com.example.Scale": scaled, "Relu": lambda node, _: relax.op.abs(node.inputs[0])}
    a, c = run(model(whole), M, custom_convert_map=functions)
    np.testing.assert_array_equal(a, 2 * M)
    np.testing.assert_array_equal(c, np.abs(2 * M))
    assert seen == [("Scale_a", {"by": 2.0}, 1)]
    with pytest.raises(ZeroDivisionError):
        from_onnx(model(whole), custom_convert_map={"com.example.Scale": lambda *_: 1 / 0})
    with pytest.raises(OpNotImplemented, match=r'custom_convert_map=\{"com.example.Scale": f\}'):
        from_onnx(model(whole))


def test_onnxruntime_computes_what_has_no_rule():
    pytest.importorskip("onnxruntime")
    nodes = [node("Inverse", ["x"], ["y"], "com.microsoft"), node("Relu", ["y"], ["z"])]
    whole = model(graph(nodes, [("x", "float32", ["n", 3, 3])], ["z"]))
    x = RANDOM.standard_normal((2, 3, 3)).astype("float32")
    (found,) = run(whole, x, fallback="onnxruntime")
    np.testing.assert_allclose(found, np.maximum(np.linalg.inv(x), 0), rtol=1e-3, atol=1e-4)
    record = next(one for one in fallback_report() if one.node == "Inverse_y")
    assert (record.operator, record.calls) == ("com.microsoft.Inverse", 1)
    with pytest.raises(ValueError, match="`fallback` is None or"):
        from_onnx(whole, fallback="tensorflow")
