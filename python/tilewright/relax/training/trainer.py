"""Running a module that is trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..._core import IRModule
from ...runtime import ndarray
from ...tir import IntImm
from ..expr import Var
from .setup_trainer import ADJOINT, BACKBONE, INPUT_NUM, OPTIM_STATE, OPTIMIZER, PARAM_NUM, STATE_NUM

__all__ = ["Trainer"]

Values = Sequence[Any] | Mapping[str, Any]


class Trainer:
    """Trains a model: keeps its parameters, its states and the optimiser's state, and runs the machine.

    `train_mod` is what `SetupTrainer` makes, `vm` the machine with what was built of it, `device` where the tensors
    lie. Parameters and states begin as zeros, which needs constant shapes, unless `zero_init_param_state` is false.
    """

    BACKBONE_FUNC = BACKBONE
    ADJOINT_FUNC = ADJOINT
    OPTIMIZER_FUNC = OPTIMIZER

    def __init__(self, train_mod: IRModule, vm: Any, device: Any, zero_init_param_state: bool = True) -> None:
        self.mod, self.vm, self.device = train_mod.without_attr(OPTIM_STATE), vm, device
        attrs = train_mod.attrs
        self._optim_state = [self._there(value) for value in attrs[OPTIM_STATE]]
        self._input_num = int(attrs[INPUT_NUM])
        self._param_num = int(attrs[PARAM_NUM])
        self._state_num = int(attrs[STATE_NUM])
        given = list(train_mod[self.BACKBONE_FUNC].params)[self._input_num :]
        self._param_vars: list[Var] = given[: self._param_num]
        self._state_vars: list[Var] = given[self._param_num :]
        self._params: list[Any] = [None] * self._param_num
        self._states: list[Any] = [None] * self._state_num
        if zero_init_param_state:
            self.zero_init_params()
            self.zero_init_states()

    def _there(self, value: Any) -> Any:
        """The tensor on the trainer's device."""
        array = value.numpy() if hasattr(value, "numpy") else np.asarray(value)
        return ndarray.array(array, self.device)

    def _check_inited(self) -> None:
        for values, names, what in (
            (self._params, self._param_vars, "parameters"),
            (self._states, self._state_vars, "states"),
        ):
            missing = [var.name_hint for var, value in zip(names, values, strict=True) if value is None]
            if missing:
                raise RuntimeError(f"these {what} have no values yet: {', '.join(missing)}")

    def _made(self, var: Var, fill: Any) -> Any:
        dims = [int(dim) for dim in var.struct_info.shape]
        return self._there(np.asarray(fill(dims)).astype(str(var.struct_info.dtype)))

    def xaiver_uniform_init_params(self) -> None:
        """Draws parameters of two or more dimensions as Glorot and Bengio (2010) do; the others become zeros."""

        def drawn(dims: list[int]) -> np.ndarray:
            if len(dims) < 2:
                return np.zeros(dims)
            window = int(np.prod(dims[2:]))
            bound = np.sqrt(6.0 / max((dims[0] + dims[1]) * window, 1))
            return np.random.uniform(-bound, bound, dims)

        self._params = [self._made(var, drawn) for var in self._param_vars]

    def zero_init_params(self) -> None:
        """Sets all parameters to zero."""
        self._params = [self._made(var, np.zeros) for var in self._param_vars]

    def zero_init_states(self) -> None:
        """Sets all states to zero."""
        self._states = [self._made(var, np.zeros) for var in self._state_vars]

    def load_params(self, params: Values) -> None:
        """Takes parameters, in order or by name."""
        self._load(self._params, self._param_vars, params, "parameters")

    def load_states(self, states: Values) -> None:
        """Takes states, in order or by name."""
        self._load(self._states, self._state_vars, states, "states")

    def _load(self, values: list[Any], names: list[Var], given: Values, what: str) -> None:
        known = {var.name_hint: at for at, var in enumerate(names)}
        if isinstance(given, Mapping):
            for name in given:
                if name not in known:
                    raise ValueError(f"the model has no {what} of the name {name!r}: they are {', '.join(known)}")
            taken = {known[name]: self._there(value) for name, value in given.items()}
        else:
            if len(given) != len(names):
                raise ValueError(f"the model has {len(names)} {what}, found {len(given)}")
            taken = {at: self._there(value) for at, value in enumerate(given)}
        wrong = [text for at, value in taken.items() if (text := _mismatch(names[at], value))]
        if wrong:
            raise ValueError(f"these {what} are not those of the model: {'; '.join(wrong)}")
        for at, value in taken.items():
            values[at] = value

    def export_params(self) -> dict[str, Any]:
        """The parameters by name."""
        return {var.name_hint: value for var, value in zip(self._param_vars, self._params, strict=True)}

    def export_states(self) -> dict[str, Any]:
        """The states by name."""
        return {var.name_hint: value for var, value in zip(self._state_vars, self._states, strict=True)}

    def predict(self, *input_instances: Any) -> Any:
        """The results of the model, without its new states."""
        self._check_inited()
        if len(input_instances) != self._input_num:
            raise ValueError(f"the model takes {self._input_num} inputs, found {len(input_instances)}")
        inputs = [self._there(value) for value in input_instances]
        results = self.vm[self.BACKBONE_FUNC](*inputs, *self._params, *self._states)
        if not self._state_num:
            return results
        results = list(results)[: len(results) - self._state_num]
        return results[0] if len(results) == 1 else results

    def update(self, input_instances: Any, targets: Any) -> Any:
        """Trains by one step of these inputs and targets, each a tensor or a list of them; gives the loss."""
        self._check_inited()
        inputs, wanted = (
            [self._there(value) for value in (given if isinstance(given, (list, tuple)) else [given])]
            for given in (input_instances, targets)
        )
        if len(inputs) != self._input_num:
            raise ValueError(f"the model takes {self._input_num} inputs, found {len(inputs)}")
        result, gradients = self.vm[self.ADJOINT_FUNC](*inputs, *self._params, *self._states, *wanted)
        if self._state_num:
            loss, *states = result
            self._states = states[len(states) - self._state_num :]
        else:
            loss = result if not isinstance(result, (list, tuple)) else result[0]
        params, state = self.vm[self.OPTIMIZER_FUNC](tuple(self._params), gradients, tuple(self._optim_state))
        self._params, self._optim_state = list(params), list(state)
        return loss


def _mismatch(var: Var, value: Any) -> str | None:
    """How the tensor differs from what the variable says; symbolic dimensions take any size."""
    info = var.struct_info
    dims = getattr(info.shape, "values", None)
    same = info.ndim in (-1, len(value.shape))
    if same and dims is not None:
        pairs = zip(dims, value.shape, strict=True)
        same = all(not isinstance(dim, (int, IntImm)) or int(dim) == size for dim, size in pairs)
    if same and str(info.dtype) in ("", str(value.dtype)):
        return None
    sizes = None if dims is None else ", ".join(str(getattr(dim, "value", dim)) for dim in dims)
    expected = str(info) if sizes is None else f"{info.dtype} of the shape ({sizes})"
    found = f"{value.dtype} of the shape ({', '.join(map(str, value.shape))})"
    return f"`{var.name_hint}` is {expected}, found {found}"
