"""Rules by operator, which replace the operators' own wherever this process legalises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....ir.op import Op

__all__ = ["register_legalize"]

Rule = Callable[[Any, Any], Any]

registered: dict[str, Rule] = {}


def register_legalize(op_name: str, legal_func: Rule | None = None) -> Any:
    """Registers a rule for an operator, such as `relax.add`; without the rule, what registers the function under it.

    A rule returns the replacement of the call, given the builder and the call; the call itself where the
    operator's own rule is to do it. `LegalizeOps`, the pipelines and `relax.build` ask it first.
    """
    Op.get(op_name)

    def register(rule: Rule) -> Rule:
        registered[op_name] = rule
        return rule

    return register if legal_func is None else register(legal_func)
