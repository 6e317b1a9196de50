"""What both levels of the IR share: modules, expressions' common ground, comparison, passes."""

from .._core import Object
from . import (
    attrs,
    base,
    container,
    diagnostics,
    expr,
    function,
    global_info,
    instrument,
    module,
    op,
    supply,
    transform,
)
from .attrs import Attrs, DictAttrs, make_node
from .base import (
    Node,
    SourceName,
    Span,
    assert_structural_equal,
    get_first_structural_mismatch,
    load_json,
    save_json,
    structural_equal,
    structural_hash,
)
from .container import Array, Map
from .expr import BaseExpr, PrimExpr, Range, RelaxExpr, RelayExpr
from .function import BaseFunc, CallingConv
from .global_info import DummyGlobalInfo, GlobalInfo, VDevice
from .module import GlobalVar, IRModule
from .op import Op, register_intrin_lowering, register_op_attr
from .supply import GlobalVarSupply, NameSupply

__all__ = [
    "Array",
    "Attrs",
    "BaseExpr",
    "BaseFunc",
    "CallingConv",
    "DictAttrs",
    "DummyGlobalInfo",
    "GlobalInfo",
    "GlobalVar",
    "GlobalVarSupply",
    "IRModule",
    "Map",
    "NameSupply",
    "Node",
    "Object",
    "Op",
    "PrimExpr",
    "Range",
    "RelaxExpr",
    "RelayExpr",
    "SourceName",
    "Span",
    "VDevice",
    "assert_structural_equal",
    "attrs",
    "base",
    "container",
    "diagnostics",
    "expr",
    "function",
    "get_first_structural_mismatch",
    "global_info",
    "instrument",
    "load_json",
    "make_node",
    "module",
    "op",
    "register_intrin_lowering",
    "register_op_attr",
    "save_json",
    "structural_equal",
    "structural_hash",
    "supply",
    "transform",
]
