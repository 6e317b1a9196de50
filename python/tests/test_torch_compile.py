"""`torch.compile(backend="tilewright")`: by name, for all sizes, beside operators that PyTorch runs, and its report."""

import threading
import tomllib
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch_checks import Small, assert_close, draw, draw_again  # noqa: E402

import tilewright  # noqa: E402
import tilewright.torch  # noqa: E402
from tilewright.relax.frontend.torch import relax_dynamo  # noqa: E402

pytestmark = pytest.mark.torch

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def forgotten():
    torch._dynamo.reset()
    tilewright.torch.reset()


def compiled(function, **options):
    return torch.compile(function, backend=tilewright.torch.backend, **options)


def run(function, *inputs, **options):
    """The report of a function that gives what PyTorch gives, and changes what PyTorch changes."""
    own = [one.clone() if isinstance(one, torch.Tensor) else one for one in inputs]
    torch_s = [one.clone() if isinstance(one, torch.Tensor) else one for one in inputs]
    with torch.no_grad():
        found, expected = compiled(function, **options)(*own), function(*torch_s)
    alike(found, expected)
    alike(own, torch_s)
    return tilewright.torch.report()


def alike(found, expected):
    for one, wanted in zip(
        torch.utils._pytree.tree_leaves(found), torch.utils._pytree.tree_leaves(expected), strict=True
    ):
        if isinstance(wanted, torch.Tensor):
            assert (one.dtype, one.stride()) == (wanted.dtype, wanted.stride())
            torch.testing.assert_close(one, wanted, rtol=1e-5, atol=1e-5, equal_nan=True)
        else:
            assert one == wanted


def test_the_backend_is_found_by_its_name(tmp_path, python):
    entry_points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = [f"[{group}]\n{name} = {what}" for group, some in entry_points.items() for name, what in some.items()]
    folder = tmp_path / "tilewright_by_name-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: tilewright_by_name\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("\n".join(lines))
    program = tmp_path / "program.py"
    program.write_text(
        f"import sys\nsys.path[:0] = [{str(tmp_path)!r}, {str(ROOT / 'python')!r}]\n"
        "import torch\nassert 'tilewright' not in sys.modules\n"
        "f = torch.compile(lambda x: x.sin() + 1, backend='tilewright')\n"
        "x = torch.ones(3)\nassert torch.allclose(f(x), x.sin() + 1)\n"
        "print(sys.modules['tilewright.torch'].report().native_operators)\n"
    )
    finished = python(program)
    assert finished.stdout.strip() == "2", finished.stderr


def test_one_graph_for_all_sizes():
    model, function = draw_again(Small()), compiled(draw_again(Small()), dynamic=True)
    with torch.no_grad():
        for rows in range(2, 14):
            assert_close(function(draw(rows, 5)), model(draw(rows, 5)))
    [graph] = tilewright.torch.report().graphs
    assert graph.calls == 12
    assert [low for low, _ in graph.sizes.values()] == [2]
    assert not graph.left


def by_size(x, n):
    rows = x.shape[0]
    return x * rows + n, x.reshape(-1)[: rows + 1], rows + n, x.new_zeros(n), torch.arange(rows * 2)


def test_sizes_are_numbers_of_inputs_and_results():
    function = compiled(by_size, dynamic=True)
    for rows in (2, 3, 9):
        alike(function(draw(rows, 3), rows + 4), by_size(draw(rows, 3), rows + 4))
    report = tilewright.torch.report()
    assert (len(report.graphs), report.recompilations) == (1, 0)


def test_bounds_are_those_of_guards():
    def function(x):
        return x * 2 if x.shape[0] <= 100 else x * 3

    compiled(function, dynamic=True)(draw(7))
    [bounds] = tilewright.torch.report().graphs[0].sizes.values()
    assert bounds == (2, 100)


def unsupported(x):
    y = torch.special.i0e(x.sin() * 2)
    return y.cos() + torch.special.i1e(y), x + 1


def test_an_operator_without_a_rule_is_left_to_pytorch():
    report = run(unsupported, draw(3, 4))
    [graph] = report.graphs
    assert sorted(one.operator for one in graph.left) == ["aten.special_i0e.default", "aten.special_i1e.default"]
    assert {one.reason for one in graph.left} == {"it has no rule"}
    assert all(one.place.startswith(__file__) for one in graph.left)
    assert graph.native_operators == 5
    text = str(report)
    assert "left: aten.special_i0e.default: it has no rule at" in text
    assert "5 operators" in text


def test_no_operator_is_left_where_the_option_says_so():
    with pytest.raises(Exception, match=r"aten.special_i0e.default: it has no rule at .*test_torch_compile.py"):
        compiled(unsupported, options={"fallback": False})(draw(3, 4))


def test_a_rule_of_the_users():
    def i0e(node, importer):
        return importer.block_builder.emit(tilewright.relax.op.abs(importer.env[node.args[0]]))

    function = compiled(lambda x: torch.special.i0e(x) + 1, options={"custom_convert_map": {"special_i0e": i0e}})
    assert_close(function(draw(5)), draw(5).abs() + 1)


WRONG = [
    ({"mode": "max-autotune"}, "the mode .* is \"default\", found 'max-autotune'"),
    ({"mode": "fast"}, "the mode .* is \"default\", found 'fast'"),
    ({"options": {"fallbak": True}}, "no option `fallbak`.*did you mean `fallback`"),
    ({"options": {"fallback": 1}}, "`fallback` is a bool, found 1"),
    ({"options": {"training": "yes"}}, '`training` is "eager" or "detached", found \'yes\''),
    ({"options": {"pipeline": "nothing"}}, "nothing"),
    ({"options": {"target": "abacus"}}, "abacus"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_modes_and_options_are_checked(options, message):
    with pytest.raises(Exception, match=message):
        compiled(lambda x: x + 1, **options)(draw(3))


def test_a_graph_that_is_trained_is_left_to_pytorch():
    model, x = draw_again(Small()), draw(3, 5)
    compiled(model)(x).sum().backward()
    own = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    model(x).sum().backward()
    alike(own, [parameter.grad for parameter in model.parameters()])
    report = tilewright.torch.report()
    assert (report.training_graphs, report.native_operators) == (1, 0)
    assert "gradients flow through it" in str(report)


def test_results_have_no_gradients_where_the_option_says_so():
    model = draw_again(Small())
    found = compiled(model, options={"training": "detached"})(draw(3, 5))
    assert not found.requires_grad
    assert_close(found, model(draw(3, 5)))
    assert tilewright.torch.report().native_operators


@pytest.mark.parametrize("context", [torch.no_grad, torch.inference_mode])
def test_weights_are_shared(context):
    model, x = draw_again(Small()), draw(3, 5)
    function = compiled(model)
    with context():
        assert_close(function(x), model(x))
        for parameter in model.parameters():
            parameter.mul_(2)
        assert_close(function(x), model(x))
        model.first.weight = nn.Parameter(draw(4, 5, seed=4))
        assert_close(function(x), model(x))
    [part] = tilewright.torch.report().graphs[0].parts
    assert part.copied_bytes == 0


def changed(x, y):
    y.add_(1)
    x[:, 0] = y[0]
    return x.T, y[1:], x


CALLS = {
    "changed inputs": (changed, lambda: (draw(3, 4), draw(3))),
    "an input as a result": (lambda x: (x, x * 2, x.view(-1)), lambda: (draw(2, 3),)),
    "a copy": (lambda x: (x.clone(), (x + 0).clone()), lambda: (draw(2, 3),)),
    "a constant": (lambda x: (torch.zeros_like(x), torch.arange(3)), lambda: (draw(2, 3),)),
    "one result twice": (lambda x: (lambda y: (y, y, y.clone(), y[0]))(x + 1), lambda: (draw(2, 3),)),
    "not contiguous": (lambda x, y: (x + 1, x @ y, x.sum(0)), lambda: (draw(4, 3).T, draw(8, 5)[::2])),
    "expanded": (lambda x: x * 2 + x, lambda: (draw(1, 3).expand(4, 3),)),
    "without dimensions": (lambda x, y: (x * y, x + 1, y.sin()), lambda: (draw(3), torch.tensor(2.0))),
    "empty": (lambda x: (x + 1, x.sum(), x.T), lambda: (draw(0, 3),)),
    "of strings and numbers": (lambda x, k, n: (x * k + n, k * n, "text"), lambda: (draw(3), 2.5, 3)),
    "complex numbers beside": (lambda x: torch.view_as_real(torch.fft.fft(x.sin())) * 2, lambda: (draw(8),)),
    "channels last": (
        lambda x: F.relu(x) + 1, lambda: (draw(2, 3, 4, 5).to(memory_format=torch.channels_last),),
    ),
    "random numbers": (lambda x: (x + torch.zeros(3).bernoulli_(1.0), F.dropout(x, 0.0, True)), lambda: (draw(3),)),
    "a mask": (lambda x: (x[x > 0] * 2, x.nonzero()), lambda: (draw(9),)),
    "a number of a tensor": (lambda x: x * x.sum().item(), lambda: (draw(4),)),
    "a condition": (lambda x: x + 1 if x.sum() > 0 else x - 1, lambda: (draw(4),)),
    "an operator of higher order": (
        lambda x: torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x - 1, (x * 2,)) + 1, lambda: (draw(4),),
    ),
}  # fmt: skip


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_a_call(name, dynamic):
    function, inputs = CALLS[name]
    run(function, *inputs(), dynamic=dynamic)


X, INTEGERS = draw(3, 4), draw(3, 4, dtype="int64")

#: Whole graphs that are compiled, and their arguments.
NATIVE = {
    "integers by floats": (
        lambda m, v, w: torch.addmv(w, m, v, alpha=2.6, beta=-1.5),
        (INTEGERS, INTEGERS[0], INTEGERS[:, 0]),
    ),
    "by nothing": (
        lambda m, n, x: (torch.addmm(x, m, n, alpha=0), torch.addmm(x, m, n, beta=0)),
        (X, X.T, draw(3, 3)),
    ),
    "integers between floats": (
        lambda x: (torch.arange(2.1, -2.9, -1.0, dtype=torch.int64) + x, torch.arange(5, 0, -0.5, dtype=torch.int64)),
        (torch.tensor([1]),),
    ),
    "signs": (
        lambda x, y: (torch.copysign(x, y), torch.copysign(x, -0.0), torch.copysign(x.int(), y)),
        (X, torch.tensor([0.0, -0.0, 2.0, -3.0])),
    ),
    "powers of integers": (
        lambda x, y: (x**y, x ** (y * 11), x**5, x**0, 3**y, x.to(torch.int8) ** 9),
        (INTEGERS, draw(3, 4, dtype="int64", seed=3)),
    ),
    "with gaps": (
        lambda x: torch.unravel_index(x + 1, (4, 5)),
        (torch.arange(6).reshape(2, 3),),
    ),
    "convolutions": (
        lambda x, w: (F.conv1d(x, w, padding=1, stride=2), F.conv_transpose1d(x, w, stride=2, output_padding=1)),
        (draw(2, 4, 7), draw(4, 4, 3)),
    ),
}


@pytest.mark.parametrize("name", NATIVE)
def test_a_graph_of_operators_with_rules(name):
    function, inputs = NATIVE[name]
    report = run(function, *inputs)
    assert not report.fallbacks
    assert report.native_operators


def test_arguments_that_share_memory():
    def function(x, y):
        x.add_(1)
        return x + y

    own, torch_s = draw(6), draw(6)
    alike(compiled(function)(own[:4], own[2:]), function(torch_s[:4], torch_s[2:]))
    alike(own, torch_s)


def test_results_are_not_changed_by_changes_of_inputs():
    x = draw(3)
    function = compiled(lambda x: (x.clone(), torch.ones_like(x)))
    copy, ones = function(x)
    x.zero_()
    ones.zero_()
    alike(copy, draw(3))
    alike(function(draw(3)), (draw(3), torch.ones(3)))


@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float64", "bool", "uint8", "int8", "int16", "int32", "int64"]
)
def test_data_types(dtype):
    x = draw(4, 3, dtype="float32").mul(5).abs().to(getattr(torch, dtype))
    report = run(lambda x: (x.T + x.T, x[0] == x[1], x.to(torch.float32) * 0.5), x)
    assert not report.fallbacks


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.register_buffer("count", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.count += 1
        return self.norm(x) * self.count


def test_buffers_and_running_statistics_change():
    own, torch_s = Counted(), Counted()
    function = compiled(own)
    with torch.no_grad():
        for seed in range(3):
            alike(function(draw(4, 3, seed=seed)), torch_s(draw(4, 3, seed=seed)))
    alike(own.state_dict(), torch_s.state_dict())


def test_graph_breaks_and_recompilations_are_told():
    def function(x):
        y = x.sin()
        torch._dynamo.graph_break()
        return y + 1

    called = compiled(function, dynamic=False)
    for size in (3, 4):
        called(draw(size))
    report = tilewright.torch.report()
    assert (report.graph_breaks, report.recompilations) == (2, 2)
    text = str(report)
    assert "test_torch_compile.py" in text
    assert "recompiled: " in text
    assert "size mismatch at index 0. expected 3, actual 4" in text
    assert "graph break: " in text


def test_a_compiled_function_is_called_from_several_threads():
    model, inputs = draw_again(Small()), [draw(3, 5, seed=seed) for seed in range(8)]
    function, found = compiled(model), {}

    def call(at):
        with torch.no_grad():
            for _ in range(20):
                found[at] = function(inputs[at])

    threads = [threading.Thread(target=call, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with torch.no_grad():
        for at, x in enumerate(inputs):
            assert_close(found[at], model(x))


def test_relax_dynamo_takes_a_pipeline():
    model = draw_again(Small())
    for pipeline in ("default", None, tilewright.relax.get_pipeline("zero")):
        torch._dynamo.reset()
        assert_close(torch.compile(model, backend=relax_dynamo(pipeline))(draw(3, 5)), model(draw(3, 5)))
