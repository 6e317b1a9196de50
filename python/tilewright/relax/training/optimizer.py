"""Optimisers: each makes a graph function of parameters, their gradients and a state, that gives the next of both."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from ...runtime import ndarray
from ..block_builder import BlockBuilder
from ..expr import Expr, Function, Tuple, TupleGetItem, Var, const
from ..op import add, divide, multiply, sqrt, subtract
from ..struct_info import TensorStructInfo, TupleStructInfo

__all__ = ["SGD", "Adam", "MomentumSGD", "Optimizer"]


class Optimizer:
    """What all optimisers have.

    `init(params)` says which variables are optimised; `state` is then the state to begin with, a list of tensors, and
    `get_function()` the function `(params, gradients, state) -> (params, state)` of tuples.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.param_list: list[Var] = []
        self.dtype = ""
        self._state: list[Any] | None = None

    def init(self, params: Var | Sequence[Var]) -> Optimizer:
        """Takes the variables, all of one float type."""
        self._set_params_and_dtype(params)
        self._state = None
        return self

    def _set_params_and_dtype(self, params: Var | Sequence[Var]) -> None:
        params = [params] if isinstance(params, (Var, str)) else list(params)
        dtype = ""
        for at, param in enumerate(params):
            if not isinstance(param, Var):
                raise ValueError(f"{self.name} takes variables, found {param!r}")
            name = param.name_hint
            if not isinstance(param.struct_info, TensorStructInfo):
                raise ValueError(f"{self.name} takes tensors; parameter {name} is {param.struct_info}")
            own = str(param.struct_info.dtype)
            if "float" not in own:
                raise ValueError(f"{self.name} takes tensors of floats; parameter {name} is of {own}")
            if dtype not in ("", own):
                raise ValueError(
                    f"{self.name} takes parameters of one type; {name} is of {own}, those before of {dtype}"
                )
            if any(param.same_as(other) for other in params[:at]):
                raise ValueError(f"{self.name} takes each parameter once; {name} occurs twice")
            dtype = own
        self.param_list, self.dtype = params, dtype

    @property
    def state(self) -> list[Any] | None:
        """The state to begin with; `None` before `init`."""
        if self._state is None and self.param_list:
            self._state = [ndarray.array(value) for value in self._first()]
        return self._state

    @state.setter
    def state(self, value: Sequence[Any]) -> None:
        self._state = list(value)

    def get_function(self) -> Function:
        """The function of tuples: parameters, gradients and state in, parameters and state out."""
        if not self.param_list:
            raise RuntimeError(f"{self.name} has no parameters yet: call `init` before `get_function`")
        infos = [param.struct_info for param in self.param_list]
        params, gradients, state = (
            Var(name, TupleStructInfo(own))
            for name, own in (("params", infos), ("gradients", infos), ("optim_states", self._state_infos()))
        )
        bb = BlockBuilder()
        with bb.function(self.name, [params, gradients, state]):
            with bb.dataflow():
                steps = bb.emit(TupleGetItem(state, 0), "num_steps")
                counted = bb.emit(add(steps, const(1, "int64")), "num_steps_new")
                new_params, new_state = self._steps(bb, params, gradients, state)
                outputs = [
                    bb.emit_output(Tuple(new_params), "params_new"),
                    bb.emit_output(Tuple([counted, *new_state]), "optim_states_new"),
                ]
            bb.emit_func_output(Tuple(outputs))
        return bb.get()[self.name]

    def _number(self, value: float | Decimal) -> Expr:
        return const(float(value), self.dtype)

    def _rest(self, value: float) -> Expr:
        """One without a share, as decimal digits have it."""
        return self._number(1 - Decimal(str(value)))

    def _zeros(self) -> list[np.ndarray]:
        shapes = [[int(dim) for dim in param.struct_info.shape] for param in self.param_list]
        return [np.zeros(shape, self.dtype) for shape in shapes]

    def _state_infos(self) -> list[TensorStructInfo]:
        return [TensorStructInfo((), "int64")]

    def _first(self) -> list[np.ndarray]:
        return [np.zeros((), "int64")]

    def _gradient(self, bb: BlockBuilder, name: str, param: Expr, gradient: Expr, decay: float) -> Expr:
        """The gradient with that of the parameters' squares."""
        return bb.emit(add(multiply(self._number(decay), param), gradient), f"{name}_grad_new") if decay else gradient

    def _parts(self, bb: BlockBuilder, at: int, params: Var, gradients: Var) -> tuple[str, Expr, Expr]:
        name = self.param_list[at].name_hint
        return name, bb.emit(TupleGetItem(params, at), name), bb.emit(TupleGetItem(gradients, at), f"{name}_grad")

    def _steps(self, bb: BlockBuilder, params: Var, gradients: Var, state: Var) -> tuple[list[Expr], list[Expr]]:
        raise NotImplementedError(f"{type(self).__name__} has no step")


class SGD(Optimizer):
    """Stochastic gradient descent: `param - lr * (gradient + weight_decay * param)`. The state counts the steps."""

    def __init__(self, lr: float, weight_decay: float = 0) -> None:
        super().__init__("SGD")
        self.lr, self.weight_decay = float(lr), float(weight_decay)

    def _steps(self, bb: BlockBuilder, params: Var, gradients: Var, state: Var) -> tuple[list[Expr], list[Expr]]:
        new = []
        for at in range(len(self.param_list)):
            name, param, gradient = self._parts(bb, at, params, gradients)
            gradient = self._gradient(bb, name, param, gradient, self.weight_decay)
            new.append(bb.emit(subtract(param, multiply(self._number(self.lr), gradient)), f"{name}_new"))
        return new, []


class MomentumSGD(Optimizer):
    """Gradient descent with a velocity: `v = momentum * v + (1 - dampening) * gradient`, and `param - lr * v`.

    With `nesterov` the step is along `gradient + momentum * v`. The state counts the steps and keeps the velocities.
    """

    def __init__(
        self, lr: float, momentum: float, dampening: float = 0, weight_decay: float = 0, nesterov: bool = False
    ) -> None:
        super().__init__("MomentumSGD")
        self.lr, self.momentum, self.dampening = float(lr), float(momentum), float(dampening)
        self.weight_decay, self.nesterov = float(weight_decay), nesterov

    def _state_infos(self) -> list[TensorStructInfo]:
        return [*super()._state_infos(), *(param.struct_info for param in self.param_list)]

    def _first(self) -> list[np.ndarray]:
        return [*super()._first(), *self._zeros()]

    def _steps(self, bb: BlockBuilder, params: Var, gradients: Var, state: Var) -> tuple[list[Expr], list[Expr]]:
        new, velocities = [], []
        for at in range(len(self.param_list)):
            name, param, gradient = self._parts(bb, at, params, gradients)
            velocity = bb.emit(TupleGetItem(state, at + 1), f"{name}_v")
            gradient = self._gradient(bb, name, param, gradient, self.weight_decay)
            kept = multiply(self._number(self.momentum), velocity)
            fresh = multiply(self._rest(self.dampening), gradient) if self.dampening else gradient
            velocity = bb.emit(add(kept, fresh), f"{name}_v_new")
            along = velocity
            if self.nesterov:
                along = bb.emit(add(gradient, multiply(self._number(self.momentum), velocity)), f"{name}_g_nest")
            new.append(bb.emit(subtract(param, multiply(self._number(self.lr), along)), f"{name}_new"))
            velocities.append(velocity)
        return new, velocities


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015): steps along the mean gradient over the root of its mean square, both corrected.

    The state counts the steps, and keeps the powers of both betas, the means and the mean squares.
    """

    def __init__(
        self, lr: float, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-08, weight_decay: float = 0
    ) -> None:
        super().__init__("Adam")
        self.lr, self.betas, self.eps = float(lr), (float(betas[0]), float(betas[1])), float(eps)
        self.beta1, self.beta2 = self.betas
        self.weight_decay = float(weight_decay)

    def _state_infos(self) -> list[TensorStructInfo]:
        number, infos = TensorStructInfo((), self.dtype), [param.struct_info for param in self.param_list]
        return [*super()._state_infos(), number, number, *infos, *infos]

    def _first(self) -> list[np.ndarray]:
        one = np.ones((), self.dtype)
        return [*super()._first(), one, one, *self._zeros(), *self._zeros()]

    def _steps(self, bb: BlockBuilder, params: Var, gradients: Var, state: Var) -> tuple[list[Expr], list[Expr]]:
        powers = [
            bb.emit(multiply(TupleGetItem(state, at), self._number(beta)), f"beta{at}_prod")
            for at, beta in enumerate(self.betas, 1)
        ]
        new, means, squares = [], [], []
        count = len(self.param_list)
        for at in range(count):
            name, param, gradient = self._parts(bb, at, params, gradients)
            mean = bb.emit(TupleGetItem(state, at + 3), f"{name}_m")
            square = bb.emit(TupleGetItem(state, at + 3 + count), f"{name}_v")
            gradient = self._gradient(bb, name, param, gradient, self.weight_decay)
            mean = bb.emit(self._moved(mean, gradient, self.beta1), f"{name}_m_new")
            square = bb.emit(self._moved(square, multiply(gradient, gradient), self.beta2), f"{name}_v_new")
            mean_hat, square_hat = (
                bb.emit(divide(value, subtract(self._number(1), power)), f"{name}_{letter}_hat")
                for letter, value, power in zip("mv", (mean, square), powers, strict=True)
            )
            along = divide(mean_hat, add(sqrt(square_hat), self._number(self.eps)))
            new.append(bb.emit(subtract(param, multiply(self._number(self.lr), along)), f"{name}_new"))
            means.append(mean)
            squares.append(square)
        return new, [*powers, *means, *squares]

    def _moved(self, mean: Expr, value: Expr, beta: float) -> Expr:
        return add(multiply(self._number(beta), mean), multiply(self._rest(beta), value))
