"""Sessions: models of ONNX, modules and executables, loaded and run by name."""

import threading

import numpy as np
import pytest
from onnx_writer import graph, model, node, part, tensor

import tilewright
from tilewright import relax

rng = np.random.default_rng(0)
WEIGHT = rng.standard_normal((4, 3)).astype("float32")
BIAS = rng.standard_normal(3).astype("float32")
X = rng.standard_normal((5, 4)).astype("float32")
SUM = X @ WEIGHT + BIAS


def written(path, weight=WEIGHT):
    """A model with a symbolic batch, and names that are no identifiers."""
    nodes = [
        node("MatMul", ["in.0", "w"], ["product"]),
        node("Add", ["product", "bias/0"], ["out.0"]),
        node("Relu", ["out.0"], ["relu"]),
    ]
    inputs = [("in.0", "float32", ["batch", 4]), ("bias/0", "float32", [3])]
    path.write_bytes(model(graph(nodes, inputs, ["out.0", "relu"], {"w": weight})))
    return path


@pytest.fixture
def session(tmp_path):
    return tilewright.load(written(tmp_path / "model.onnx"), cache=tmp_path / "cache")


def close(found, expected):
    assert np.allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_inputs_and_outputs_have_the_names_of_the_model(session):
    assert [str(one) for one in session.inputs] == ["in.0: float32[batch, 4]", "bias/0: float32[3]"]
    assert [str(one) for one in session.outputs] == ["out.0: float32[batch, 3]", "relu: float32[batch, 3]"]
    found = session.run({"bias/0": BIAS, "in.0": X})
    assert list(found) == ["out.0", "relu"]
    close(found["out.0"], SUM)
    close(found["relu"], np.maximum(SUM, 0))


def test_inputs_in_order_or_by_other_spellings(session):
    first, second = session(X, BIAS)
    close(first, SUM)
    close(session(X, bias_0=BIAS)[1], second)
    close(session(X[:, ::1][:0], BIAS)[0], SUM[:0])
    close(session(np.asfortranarray(X), BIAS)[0], SUM)


def test_results_are_of_the_kind_of_the_inputs(session):
    found = session(tilewright.nd.array(X), tilewright.nd.array(BIAS))
    assert isinstance(found[0], tilewright.nd.NDArray)
    torch = pytest.importorskip("torch")
    found = session(torch.from_numpy(X), torch.from_numpy(BIAS))
    assert isinstance(found[0], torch.Tensor)
    close(found[0].numpy(), SUM)


def test_results_go_into_arrays_that_are_given(session):
    out = np.zeros((5, 3), "float32")
    found = session.run({"in.0": X, "bias/0": BIAS}, out={"relu": out})
    assert found["relu"] is out
    close(out, np.maximum(SUM, 0))
    with pytest.raises(ValueError, match="`x` is no output"):
        session.run({"in.0": X, "bias/0": BIAS}, out={"relu": np.zeros((5, 3)), "x": out})
    with pytest.raises(ValueError, match=r"`relu` is float32\[5, 3\], `out` has float64\[5, 3\]"):
        session.run({"in.0": X, "bias/0": BIAS}, out={"relu": np.zeros((5, 3))})
    with pytest.raises(ValueError, match="`out` of `relu` is a list, no array"):
        session.run({"in.0": X, "bias/0": BIAS}, out={"relu": [0.0]})


WRONG = {
    "names": (
        lambda s: s.run({"in.0": X, "other": BIAS}),
        r"`other` is no input; `bias/0` is missing: bias/0: float32\[3\]\. The inputs are in\.0",
    ),
    "types and sizes": (
        lambda s: s.run({"in.0": X.astype("float64"), "bias/0": BIAS[:2]}),
        r"`in\.0` has the data type float64, float32 is expected; dimension 0 of `bias/0` is 2, 3 is expected",
    ),
    "rank": (lambda s: s(X[0], BIAS), r"`in\.0` has 1 dimensions, 2 are expected"),
    "no tensor": (lambda s: s("x", BIAS), r"`in\.0` is a str, no tensor"),
    "twice": (lambda s: s.run({"in.0": X, "in_0": X, "bias/0": BIAS}), "given by two of its names"),
}


@pytest.mark.parametrize("case", WRONG)
def test_all_that_is_wrong_with_inputs_is_said_at_once(case, session):
    call, message = WRONG[case]
    with pytest.raises(ValueError, match=message):
        call(session)


def test_too_many_inputs(session):
    with pytest.raises(TypeError, match="the model has 2 inputs, 3 are given"):
        session(X, BIAS, X)
    with pytest.raises(TypeError, match=r"given by position and by name: in\.0"):
        session(X, **{"in.0": X, "bias/0": BIAS})


def test_many_threads_call_one_session(session):
    inputs = [rng.standard_normal((1 + at % 3, 4)).astype("float32") for at in range(24)]
    found = [None] * len(inputs)

    def work(first):
        for at in range(first, len(inputs), 4):
            found[at] = session(inputs[at], BIAS)[0]

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for x, result in zip(inputs, found, strict=True):
        close(result, x @ WEIGHT + BIAS)


def test_what_was_compiled_is_read_from_the_cache(tmp_path, monkeypatch):
    folder, path = tmp_path / "cache", written(tmp_path / "model.onnx")
    close(tilewright.load(path, cache=folder)(X, BIAS)[0], SUM)
    (entry,) = folder.iterdir()

    def refused(*args, **options):
        raise AssertionError("compiled again")

    monkeypatch.setattr("tilewright.relax.frontend.onnx.from_onnx", refused)
    again = tilewright.load(path, cache=folder)
    assert [one.name for one in again.outputs] == ["out.0", "relu"]
    close(again(X, BIAS)[0], SUM)
    with pytest.raises(AssertionError, match="compiled again"):
        tilewright.load(written(path, 2 * WEIGHT), cache=folder)
    with tilewright.transform.PassContext(opt_level=1), pytest.raises(AssertionError, match="compiled again"):
        written(path)
        tilewright.load(path, cache=folder)
    monkeypatch.undo()
    # A damaged entry is compiled again.
    entry.write_bytes(entry.read_bytes()[: entry.stat().st_size // 2])
    close(tilewright.load(path, cache=folder)(X, BIAS)[0], SUM)
    assert len(list(folder.iterdir())) == 1


def test_tensors_in_other_files_are_part_of_the_key(tmp_path):
    location = part(1, "location") + part(2, "w.bin")
    held = tensor(np.zeros((4, 3), "float32"), "w")
    external = part(5, held[: -len(part(9, bytes(48)))] + part(13, location) + b"\x70\x01")
    whole = graph([node("MatMul", ["x", "w"], ["y"])], [("x", "float32", ["n", 4])], ["y"]) + external
    (tmp_path / "model.onnx").write_bytes(model(whole))
    for weight in (WEIGHT, 2 * WEIGHT):
        (tmp_path / "w.bin").write_bytes(weight.tobytes())
        close(tilewright.load(tmp_path / "model.onnx", cache=tmp_path / "cache")(X), X @ weight)


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    close(tilewright.load(written(tmp_path / "model.onnx"), cache=tmp_path / "file" / "cache")(X, BIAS)[0], SUM)


def test_modules_executables_and_bytes(tmp_path):
    path = written(tmp_path / "model.onnx")
    module = relax.frontend.onnx.from_onnx(path)
    executable = relax.build(module)
    executable.save(tmp_path / "model.tw")
    for model_of in (module, executable, tmp_path / "model.tw", path.read_bytes()):
        found = tilewright.load(model_of, cache=False)
        close(found(X, BIAS)[0], SUM)
    assert [one.name for one in tilewright.load(executable).outputs] == ["output0", "output1"]


def test_models_of_torch():
    torch = pytest.importorskip("torch")
    network = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())
    x = torch.from_numpy(X)
    found = tilewright.load(network, (x,))(x)
    assert torch.allclose(found if isinstance(found, torch.Tensor) else found[0], network(x), atol=1e-5)
    with pytest.raises(TypeError, match="needs example inputs"):
        tilewright.load(network)


def test_what_is_no_model(tmp_path):
    (tmp_path / "x.txt").write_text("text")
    with pytest.raises(ValueError, match="is none of: an ONNX model"):
        tilewright.load(tmp_path / "x.txt")
    with pytest.raises(TypeError, match="no model is loaded from a int"):
        tilewright.load(3)
    with pytest.raises(FileNotFoundError):
        tilewright.load(tmp_path / "absent.onnx")


def test_results_of_every_type_are_arrays_of_their_own():
    mod = relax.BlockBuilder()
    types = ["float16", "float32", "float64", "bool", "int8", "uint8", "int32", "int64"]
    x = relax.Var("x", relax.TensorStructInfo((tilewright.tir.Var("n", "int64"), 2), "float32"))
    with mod.function("main", [x]):
        with mod.dataflow():
            cast = [mod.emit(relax.op.astype(x, dtype)) for dtype in types]
            result = mod.emit_output(relax.Tuple([*cast, relax.const(np.arange(3.0, dtype="float32"))]))
        mod.emit_func_output(result)
    session = tilewright.load(mod.get())
    found, again = session(np.ones((3, 2), "float32")), session(np.full((3, 2), 2, "float32"))
    assert [str(one.dtype) for one in found] == [*types, "float32"]
    assert all(np.array_equal(one.astype("float32"), np.ones((3, 2))) for one in found[: len(types)])
    assert np.array_equal(found[-1], np.arange(3.0))
    found[1][:] = 7
    assert np.array_equal(again[1], np.full((3, 2), 2)) and found[1][0, 0] == 7
