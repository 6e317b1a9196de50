"""Losses and optimisers as graph functions, against PyTorch's."""

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax, tir
from tilewright.relax.training import AppendLoss, SetupTrainer, Trainer
from tilewright.relax.training.loss import CategoricalCrossEntropyLoss, CrossEntropyLoss, L1Loss, MSELoss
from tilewright.relax.training.optimizer import SGD, Adam, MomentumSGD

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(3)


def built(function, name):
    return relax.VirtualMachine(relax.build(tw.IRModule({name: function}), "llvm"), tw.cpu())[name]


def variable(name, array):
    return relax.Var(name, relax.TensorStructInfo(array.shape, str(array.dtype)))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (SGD(0.1), lambda p: torch.optim.SGD(p, 0.1)),
        (SGD(0.1, 0.02), lambda p: torch.optim.SGD(p, 0.1, weight_decay=0.02)),
        (MomentumSGD(0.1, 0.9), lambda p: torch.optim.SGD(p, 0.1, 0.9)),
        (
            MomentumSGD(0.1, 0.9, 0, 0.01, nesterov=True),
            lambda p: torch.optim.SGD(p, 0.1, 0.9, 0, 0.01, nesterov=True),
        ),
        (Adam(0.01), lambda p: torch.optim.Adam(p, 0.01)),
        (Adam(0.01, (0.8, 0.99), 1e-6, 0.03), lambda p: torch.optim.Adam(p, 0.01, (0.8, 0.99), 1e-6, 0.03)),
    ],
)
def test_an_optimiser_steps_as_pytorch_s_does(ours, theirs):
    arrays = [RNG.standard_normal(shape).astype("float64") for shape in [(3, 5), (), (0, 2), (7,)]]
    ours.init([variable(f"p{i}", array) for i, array in enumerate(arrays)])
    step, state = built(ours.get_function(), ours.name), ours.state
    expected = [torch.tensor(array, requires_grad=True) for array in arrays]
    optimiser, params = theirs(expected), [tw.nd.array(array) for array in arrays]
    for _ in range(4):
        gradients = [RNG.standard_normal(array.shape) for array in arrays]
        for param, gradient in zip(expected, gradients, strict=True):
            param.grad = torch.tensor(gradient)
        optimiser.step()
        params, state = step(tuple(params), tuple(tw.nd.array(np.asarray(g)) for g in gradients), tuple(state))
        for found, param in zip(params, expected, strict=True):
            np.testing.assert_allclose(found.numpy(), param.detach().numpy(), rtol=1e-9)
    assert int(state[0].numpy()) == 4


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_a_loss_is_pytorch_s(reduction):
    x, y = (RNG.standard_normal((4, 3)) for _ in range(2))
    classes, weights = RNG.integers(0, 3, 4), RNG.random(3)
    functional = torch.nn.functional
    x_, y_, classes_, weights_ = map(torch.tensor, (x, y, classes, weights))
    infos = [variable("v", array).struct_info for array in (x, y, classes, weights)]
    cases = [
        (MSELoss(reduction)(infos[0], infos[1]), [x, y], functional.mse_loss(x_, y_, reduction=reduction)),
        (L1Loss(reduction)(infos[0], infos[1]), [x, y], functional.l1_loss(x_, y_, reduction=reduction)),
        (
            CrossEntropyLoss(reduction)(infos[0], infos[2], infos[3]),
            [x, classes, weights],
            functional.cross_entropy(x_, classes_, weights_, reduction=reduction),
        ),
    ]
    for function, args, expected in cases:
        name = function.attrs["global_symbol"]
        np.testing.assert_allclose(built(function, name)(*args).numpy(), expected.numpy(), rtol=1e-9)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_the_loss_of_probabilities_is_that_of_all_elements(reduction):
    x, weights = RNG.standard_normal((4, 3)), RNG.random(3)
    classes = np.array([2, 0, 1, 1])
    chosen, probabilities = np.eye(3, dtype="int64")[classes], RNG.dirichlet(np.ones(3), 4)
    likelihoods = x - np.log(np.exp(x).sum(1, keepdims=True))
    reduced = {"mean": np.mean, "sum": np.sum, "none": lambda same: same}[reduction]
    kept = torch.nn.functional.cross_entropy(
        torch.tensor(x), torch.tensor(classes), torch.tensor(weights), reduction=reduction, ignore_index=1
    )
    loss = CategoricalCrossEntropyLoss
    rows = [
        (loss(reduction), [x, probabilities], reduced(-likelihoods * probabilities)),
        (loss(reduction), [x, chosen], reduced(-likelihoods * chosen)),
        (loss(reduction), [x, chosen, weights], reduced(-likelihoods * chosen * weights)),
        (loss(reduction, ignore_index=1), [x, chosen, weights], kept.numpy()),
    ]
    for made, args, expected in rows:
        function = made(*(variable("v", array).struct_info for array in args))
        found = built(function, function.attrs["global_symbol"])(*args).numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_other_values_than_parameters_are_refused():
    with pytest.raises(RuntimeError, match="call `init`"):
        SGD(0.1).get_function()
    x = relax.Var("x", relax.TensorStructInfo((2,), "int32"))
    with pytest.raises(ValueError, match="float"):
        Adam(0.1).init([x])
    y = relax.Var("y", relax.TensorStructInfo((2,), "float32"))
    with pytest.raises(ValueError, match="once"):
        SGD(0.1).init([y, y])
    with pytest.raises(ValueError, match="reduction"):
        MSELoss("median")


@pytest.mark.parametrize("outputs", [1, 2])
def test_a_loss_is_appended_to_a_model(outputs):
    bb, op = relax.BlockBuilder(), relax.op
    shapes = {"x": (tir.Var("n", "int64"), 3), "w": (3, 2)}
    x, w = (relax.Var(name, relax.TensorStructInfo(shape, "float64")) for name, shape in shapes.items())
    with bb.function("main", [x, w]):
        with bb.dataflow():
            scores = bb.emit(op.matmul(x, w))
            out = bb.emit_output(scores if outputs == 1 else relax.Tuple([scores, op.exp(scores)]))
        bb.emit_func_output(out)
    module = bb.get()
    rows = relax.TensorStructInfo((tir.Var("n", "int64"), 2), "float64")
    with_loss = AppendLoss("main", MSELoss()(rows, rows))(module)
    tw.ir.assert_structural_equal(with_loss["main"], module["main"])
    a, b, c = RNG.standard_normal((5, 3)), RNG.standard_normal((3, 2)), RNG.standard_normal((5, 2))
    machine = relax.VirtualMachine(relax.build(with_loss, "llvm"), tw.cpu())
    found = machine["main_loss"](a, b, c)
    loss, *rest = [found] if outputs == 1 else list(found)
    np.testing.assert_allclose(loss.numpy(), ((a @ b - c) ** 2).mean())
    for value in rest:
        np.testing.assert_allclose(value.numpy(), np.exp(a @ b))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (MomentumSGD(0.05, 0.9, weight_decay=0.01), lambda p: torch.optim.SGD(p, 0.05, 0.9, weight_decay=0.01)),
        (Adam(0.01), lambda p: torch.optim.Adam(p, 0.01)),
    ],
)
def test_a_perceptron_learns_as_in_pytorch(ours, theirs):
    sizes, batch = (8, 16, 4), 6
    arrays = [RNG.standard_normal(shape).astype("float32") / 2 for shape in [(8, 16), (16,), (16, 4), (4,)]]
    bb, op = relax.BlockBuilder(), relax.op
    x = relax.Var("x", relax.TensorStructInfo((batch, sizes[0]), "float32"))
    params = [variable(f"p{at}", array) for at, array in enumerate(arrays)]
    count = relax.Var("count", relax.TensorStructInfo((), "int64"))
    with bb.function("backbone", [x, *params, count]):
        with bb.dataflow():
            hidden = bb.emit(op.nn.gelu(op.matmul(x, params[0]) + params[1]))
            scores = bb.emit_output(op.matmul(hidden, params[2]) + params[3])
            counted = bb.emit_output(count + relax.const(1, "int64"))
        bb.emit_func_output(relax.Tuple([scores, counted]))
    module = bb.get().with_attrs({"param_num": 4, "state_num": 1})
    infos = [relax.TensorStructInfo((batch, sizes[-1]), "float32"), relax.TensorStructInfo((batch,), "int64")]
    trained = SetupTrainer(CrossEntropyLoss(), ours, infos)(module)
    assert int(trained.attrs["input_num"]) == 1
    machine = relax.VirtualMachine(relax.build(trained, "llvm"), tw.cpu())
    trainer = Trainer(trained, machine, tw.cpu(), zero_init_param_state=False)
    with pytest.raises(RuntimeError, match="no values yet: p0, p1, p2, p3"):
        trainer.predict(np.zeros((batch, 8), "float32"))
    trainer.load_params(arrays)
    trainer.zero_init_states()
    with pytest.raises(ValueError, match="no parameters of the name 'q'"):
        trainer.load_params({"q": arrays[0]})
    with pytest.raises(ValueError, match=r"`p0` is float32 .*\(8, 16\), found float32 .*\(16, 8\); `p3` .* float64"):
        trainer.load_params({"p0": arrays[0].T, "p1": arrays[1], "p3": arrays[3].astype("float64")})
    model = [torch.tensor(array, requires_grad=True) for array in arrays]
    optimiser = theirs(model)
    losses = []
    for _ in range(20):
        data, classes = RNG.standard_normal((batch, 8)).astype("float32"), RNG.integers(0, 4, batch)
        hidden = torch.nn.functional.gelu(torch.tensor(data) @ model[0] + model[1])
        scores = hidden @ model[2] + model[3]
        np.testing.assert_allclose(trainer.predict(data).numpy(), scores.detach().numpy(), rtol=2e-4, atol=2e-4)
        loss = torch.nn.functional.cross_entropy(scores, torch.tensor(classes))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append((float(trainer.update(data, classes).numpy()), float(loss.detach())))
    np.testing.assert_allclose(*np.array(losses).T, rtol=2e-4)
    for found, expected in zip(trainer.export_params().values(), model, strict=True):
        np.testing.assert_allclose(found.numpy(), expected.detach().numpy(), rtol=1e-3, atol=1e-4)
    assert int(trainer.export_states()["count"].numpy()) == 20


def test_a_model_without_its_parts_is_refused():
    setup = SetupTrainer(MSELoss(), SGD(0.1), [relax.TensorStructInfo((2,), "float32")] * 2)
    with pytest.raises(ValueError, match="no function `backbone`"):
        setup(tw.IRModule({}))
    x = relax.Var("x", relax.TensorStructInfo((2,), "float32"))
    bb = relax.BlockBuilder()
    with bb.function("backbone", [x]):
        with bb.dataflow():
            out = bb.emit_output(relax.op.exp(x))
        bb.emit_func_output(out)
    with pytest.raises(ValueError, match="`param_num`"):
        setup(bb.get())
    for count, states in ((2, 0), (0, 0), (1, 1), (-1, 0), (1, -1)):
        with pytest.raises(ValueError, match=f"`param_num` is {count} and `state_num` is {states}"):
            setup(bb.get().with_attrs({"param_num": count, "state_num": states}))
