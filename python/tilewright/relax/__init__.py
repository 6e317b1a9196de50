"""The graph level: functions over tensors, passes on them, building and running."""

from ..ir.expr import PrimExpr
from ..ir.global_info import VDevice
from . import (
    analysis,
    backend,
    binding_rewrite,
    block_builder,
    dpl,
    exec_builder,
    expr,
    expr_functor,
    frontend,
    ir,
    op,
    pipeline,
    struct_info,
    testing,
    transform,
    utils,
    vm,
)
from .binding_rewrite import DataflowBlockRewrite
from .block_builder import BlockBuilder
from .exec_builder import ExecBuilder
from .expr import *
from .expr_functor import PyExprMutator, PyExprVisitor
from .op import *
from .pipeline import get_default_pipeline, get_pipeline, register_pipeline
from .struct_info import *
from .utils import convert_to_expr, get_shape_of
from .vm import Executable, VirtualMachine, VMExecutable, VMInstrumentReturnKind
from .vm_build import build

__all__ = [
    "BlockBuilder",
    "DataflowBlockRewrite",
    "ExecBuilder",
    "Executable",
    "PrimExpr",
    "VDevice",
    "PyExprMutator",
    "PyExprVisitor",
    "VMExecutable",
    "VMInstrumentReturnKind",
    "VirtualMachine",
    "analysis",
    "backend",
    "build",
    "binding_rewrite",
    "block_builder",
    "convert_to_expr",
    "dpl",
    "exec_builder",
    "expr",
    "expr_functor",
    "frontend",
    "get_default_pipeline",
    "get_pipeline",
    "get_shape_of",
    "ir",
    "op",
    "pipeline",
    "register_pipeline",
    "struct_info",
    "testing",
    "transform",
    "utils",
    "vm",
    *expr.__all__,
    *op.__all__,
    *struct_info.__all__,
]
