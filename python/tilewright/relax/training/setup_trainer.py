"""From a model to a module that is trained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._core import IRModule
from ...ir.transform import module_pass
from ..analysis import well_formed
from ..struct_info import TensorStructInfo
from ..transform import DecomposeOpsForInference, DecomposeOpsForTraining, Gradient, LegalizeOps
from .loss import Loss
from .optimizer import Optimizer
from .utils import AppendLoss

__all__ = ["SetupTrainer"]

#: The functions of a module that is trained.
BACKBONE, ADJOINT, OPTIMIZER = "backbone", "backbone_loss_adjoint", "optimizer"
#: Its attributes.
INPUT_NUM, PARAM_NUM, STATE_NUM, OPTIM_STATE = "input_num", "param_num", "state_num", "optim_state"


@module_pass(opt_level=0, name="SetupTrainer")
class SetupTrainer:
    """Makes of a module with a model what a `Trainer` runs.

    The module has the function `backbone`, of one dataflow block: it takes inputs, then `param_num` parameters, then
    `state_num` states (both are attributes of the module), and gives its results and the new states. The new module
    also has

    - `backbone_loss`: the loss of the model's results and of the targets, and the new states;
    - `backbone_loss_adjoint`: that, and the gradients of the parameters;
    - `optimizer`: the optimiser's function;
    - the attributes `input_num` and `optim_state`, the optimiser's state to begin with.

    `loss_args` are the struct infos of the loss's arguments. In `backbone`, operators whose training differs are
    decomposed for inference. With `legalize`, operators become loops.
    """

    BACKBONE_FUNC = BACKBONE
    BACKBONE_LOSS_FUNC = f"{BACKBONE}_loss"
    ADJOINT_FUNC = ADJOINT
    OPTIMIZER_FUNC = OPTIMIZER
    PARAM_NUM_ATTR_KEY = PARAM_NUM
    INPUT_NUM_ATTR_KEY = INPUT_NUM
    STATE_NUM_ATTR_KEY = STATE_NUM
    OPTIM_STATE_ATTR_KEY = OPTIM_STATE

    def __init__(
        self, loss: Loss, optimizer: Optimizer, loss_args: Sequence[TensorStructInfo], legalize: bool = True
    ) -> None:
        self._loss, self._optimizer, self._loss_args = loss, optimizer, loss_args
        self._legalize = legalize

    def _check_well_formed(self, module: IRModule) -> None:
        if not well_formed(module):
            raise ValueError("SetupTrainer: the module with the model is not well formed")
        if self.BACKBONE_FUNC not in module:
            raise ValueError(f"SetupTrainer: the module has no function `{self.BACKBONE_FUNC}`")
        for key in (self.PARAM_NUM_ATTR_KEY, self.STATE_NUM_ATTR_KEY):
            value = module.attrs[key] if module.attrs and key in module.attrs else None
            try:
                int(value)
            except (TypeError, ValueError):
                raise ValueError(f"SetupTrainer: the module needs an integer as its attribute `{key}`") from None
        count, states = (int(module.attrs[key]) for key in (self.PARAM_NUM_ATTR_KEY, self.STATE_NUM_ATTR_KEY))
        there = len(module[self.BACKBONE_FUNC].params)
        if count < 1 or states < 0 or count + states > there:
            raise ValueError(
                f"SetupTrainer: `{self.PARAM_NUM_ATTR_KEY}` is {count} and `{self.STATE_NUM_ATTR_KEY}` is {states}, "
                f"and `{self.BACKBONE_FUNC}` has {there} parameters in all"
            )

    def transform_module(self, mod: IRModule, ctx: Any) -> IRModule:
        """The module that is trained."""
        self._check_well_formed(mod)
        count, states = (int(mod.attrs[key]) for key in (self.PARAM_NUM_ATTR_KEY, self.STATE_NUM_ATTR_KEY))
        mod = AppendLoss(
            self.BACKBONE_FUNC,
            self._loss(*self._loss_args),
            self._loss.num_backbone_outputs,
            self.BACKBONE_LOSS_FUNC,
        )(mod)
        mod = DecomposeOpsForInference(self.BACKBONE_FUNC)(mod)
        mod = DecomposeOpsForTraining(self.BACKBONE_LOSS_FUNC)(mod)
        inputs = len(mod[self.BACKBONE_FUNC].params) - count - states
        params = list(mod[self.BACKBONE_LOSS_FUNC].params)[inputs : inputs + count]
        mod = Gradient(self.BACKBONE_LOSS_FUNC, require_grads=params, target_index=0)(mod)
        self._optimizer.init(params)
        mod[self.OPTIMIZER_FUNC] = self._optimizer.get_function().with_attr("global_symbol", self.OPTIMIZER_FUNC)
        mod = mod.with_attrs({self.INPUT_NUM_ATTR_KEY: inputs, self.OPTIM_STATE_ATTR_KEY: self._optimizer.state})
        return LegalizeOps()(mod) if self._legalize else mod
