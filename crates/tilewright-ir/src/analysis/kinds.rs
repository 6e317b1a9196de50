//! Counts of each kind of node in modules, for tests and tables of the whole language.
//!
//! Each enum of the IR has one `match` without a wildcard here: a new kind does not compile until it has a name, and
//! the tests ask for every name: that random modules have it, and that a textual test shows it.

use std::collections::BTreeMap;

use crate::calls::{is_said_pure, packed_inplace, takes_context, tir_vars};
use crate::relax::{self, BindingBlock, BindingValue, Callee, Function, SeqExpr, StructInfo, TensorShape};
use crate::tir::{Block, ForKind, IterKind, Stmt, StmtKind};
use crate::{Attr, Attrs, GlobalFunc, GlobalInfo, IRModule};
use tilewright_expr::node::{AnyHandle, IrNode, Visitor};
use tilewright_expr::{BinOp, Buffer, Builtin, CmpOp, Expr, ExprKind, ForeignCallee, Intrinsic, Scope, Var};
use tilewright_support::Set;

/// The names of an enum's kinds, and the name of a value's kind.
macro_rules! kinds {
    ($($function:ident($kind:ty) = $sort:literal { $($name:literal: $pattern:pat,)* })*) => {
        $(fn $function(value: &$kind) -> &'static str {
            match value { $($pattern => concat!($sort, " ", $name),)* }
        })*

        /// Every name that is counted, in the order of this file.
        const ALL: &[&str] = &[$($(concat!($sort, " ", $name),)*)*];
    };
}

kinds! {
    stmt_kind(StmtKind) = "tir" {
        "Store": StmtKind::Store { predicate: None, .. },
        "Store with a predicate": StmtKind::Store { predicate: Some(_), .. },
        "For": StmtKind::For { .. },
        "While": StmtKind::While { .. },
        "If": StmtKind::If { otherwise: None, .. },
        "If with else": StmtKind::If { otherwise: Some(_), .. },
        "Let": StmtKind::Let { .. },
        "Assert": StmtKind::Assert { .. },
        "Seq": StmtKind::Seq(_),
        "Evaluate": StmtKind::Evaluate(_),
        "Block": StmtKind::Block { .. },
        "Attr": StmtKind::Attr { .. },
        "AllocateConst": StmtKind::AllocateConst { .. },
        "Allocate": StmtKind::Allocate { .. },
    }
    for_kind(ForKind) = "loop" {
        "Serial": ForKind::Serial,
        "Parallel": ForKind::Parallel,
        "Vectorized": ForKind::Vectorized,
        "Unrolled": ForKind::Unrolled,
        "ThreadBinding": ForKind::ThreadBinding(_),
    }
    iter_kind(IterKind) = "axis" {
        "Spatial": IterKind::Spatial,
        "Reduce": IterKind::Reduce,
        "Scan": IterKind::Scan,
        "Opaque": IterKind::Opaque,
    }
    expr_kind(ExprKind) = "scalar" {
        "Int": ExprKind::Int(_),
        "Float": ExprKind::Float(_),
        "Str": ExprKind::Str(_),
        "Var": ExprKind::Var(_),
        "Binary": ExprKind::Binary(..),
        "Compare": ExprKind::Compare(..),
        "Not": ExprKind::Not(_),
        "Select": ExprKind::Select { .. },
        "Cast": ExprKind::Cast(_),
        "Load": ExprKind::Load { predicate: None, .. },
        "Load with a predicate": ExprKind::Load { predicate: Some(_), .. },
        "Ramp": ExprKind::Ramp { .. },
        "Broadcast": ExprKind::Broadcast(_),
        "Shuffle": ExprKind::Shuffle { .. },
        "Let": ExprKind::Let { .. },
        "Call": ExprKind::Call { .. },
        "Reinterpret": ExprKind::Reinterpret(_),
        "AddressOf": ExprKind::AddressOf { .. },
        "Foreign": ExprKind::Foreign { .. },
    }
    foreign_kind(ForeignCallee) = "foreign" {
        "Extern": ForeignCallee::Extern(_),
        "PureExtern": ForeignCallee::PureExtern(_),
        "Packed": ForeignCallee::Packed(_),
        "Llvm": ForeignCallee::Llvm(_),
        "Builtin": ForeignCallee::Builtin(_),
        "Function": ForeignCallee::Function(_),
    }
    scope_kind(Scope) = "scope" {
        "Global": Scope::Global,
        "Shared": Scope::Shared,
        "Local": Scope::Local,
        "Tagged": Scope::Tagged(_),
    }
    graph_kind(relax::ExprKind) = "relax" {
        "Var": relax::ExprKind::Var(_),
        "GlobalVar": relax::ExprKind::GlobalVar(_),
        "ExternFunc": relax::ExprKind::ExternFunc(_),
        "Constant": relax::ExprKind::Constant(_),
        "Call": relax::ExprKind::Call { .. },
        "Tuple": relax::ExprKind::Tuple(_),
        "TupleGet": relax::ExprKind::TupleGet { .. },
        "Shape": relax::ExprKind::Shape(_),
        "Prim": relax::ExprKind::Prim(_),
        "Str": relax::ExprKind::Str(_),
        "DType": relax::ExprKind::DType(_),
        "If": relax::ExprKind::If { .. },
        "Function": relax::ExprKind::Function(_),
    }
    callee_kind(Callee) = "callee" {
        "Op": Callee::Op(_),
        "Tir": Callee::Tir(_),
        "TirInplace": Callee::TirInplace { .. },
        "DpsPacked": Callee::DpsPacked(_),
        "Packed": Callee::Packed(_),
        "Value": Callee::Value(_),
    }
    binding_kind(BindingValue) = "binding" {
        "Expr": BindingValue::Expr(_),
        "MatchCast": BindingValue::MatchCast { .. },
    }
    info_kind(StructInfo) = "info" {
        "Object": StructInfo::Object,
        "Prim": StructInfo::Prim { value: None, .. },
        "Prim of a value": StructInfo::Prim { value: Some(_), .. },
        "Shape": StructInfo::Shape(_),
        "Tensor": StructInfo::Tensor { vdevice: None, .. },
        "Tensor on a device": StructInfo::Tensor { vdevice: Some(_), .. },
        "Tuple": StructInfo::Tuple(_),
        "Func": StructInfo::Func { params: Some(_), .. },
        "Func of any parameters": StructInfo::Func { params: None, .. },
    }
    shape_kind(TensorShape) = "shape" {
        "Known": TensorShape::Known(_),
        "Rank": TensorShape::Rank(_),
        "Unknown": TensorShape::Unknown,
    }
    attr_kind(Attr) = "attribute" {
        "None": Attr::None,
        "Bool": Attr::Bool(_),
        "Int": Attr::Int(_),
        "Float": Attr::Float(_),
        "Str": Attr::Str(_),
        "DType": Attr::DType(_),
        "Array": Attr::Array(_),
        "Map": Attr::Map(_),
        "Expr": Attr::Expr(_),
        "Tensor": Attr::Tensor(_),
        "IndexMap": Attr::IndexMap(_),
    }
    global_kind(GlobalInfo) = "global info" {
        "VDevice": GlobalInfo::VDevice(_),
        "Dummy": GlobalInfo::Dummy,
    }
    function_kind(GlobalFunc) = "function" {
        "Prim": GlobalFunc::Prim(_),
        "Relax": GlobalFunc::Relax(_),
    }
}

/// Properties of a node that are no kind of its own.
const DETAILS: [&str; 19] = [
    "block with alloc_buffers",
    "block with annotations",
    "block with init",
    "block with match_buffers",
    "block with a predicate",
    "buffer with align",
    "buffer with axis_separators",
    "buffer with elem_offset",
    "buffer with offset_factor",
    "buffer with strides",
    "buffer of any extent",
    "call in place of a packed function",
    "call of a packed function with the machine",
    "call said to be pure",
    "call with scalars",
    "call with a gradient",
    "dataflow block",
    "dataflow variable",
    "size variable",
];

/// The counts of kinds.
#[derive(Debug, Default)]
pub struct Kinds {
    times: BTreeMap<String, u64>,
    /// Handles of the module that have been seen, by address.
    seen: Set<usize>,
}

impl Kinds {
    /// Counts what is in a module.
    pub fn add(&mut self, module: &IRModule) {
        self.seen.clear();
        self.attrs(&module.attrs);
        module.global_infos.values().flatten().for_each(|info| self.met(global_kind(info)));
        for (_, function) in module.sorted() {
            self.met(function_kind(function));
            match function {
                GlobalFunc::Prim(function) => {
                    self.attrs(&function.attrs);
                    function.visit_children(self);
                }
                GlobalFunc::Relax(function) => self.function(function),
            }
        }
    }

    /// The count of the kind of this name.
    pub fn times(&self, name: &str) -> u64 {
        self.times.get(name).copied().unwrap_or(0)
    }

    /// Every name, of nodes, of what they say of themselves, of operators, intrinsics and operations of targets.
    pub fn names() -> Vec<String> {
        let names = ALL.iter().chain(&DETAILS).map(|name| (*name).to_owned());
        let binary = BinOp::ALL.iter().map(|op| format!("operator {op:?}"));
        let compare = CmpOp::ALL.iter().map(|op| format!("comparison {op:?}"));
        let intrinsics = Intrinsic::ALL.iter().map(|intrinsic| format!("intrinsic {}", intrinsic.name()));
        let builtins = Builtin::ALL.iter().map(|builtin| format!("builtin {}", builtin.name));
        names.chain(binary).chain(compare).chain(intrinsics).chain(builtins).collect()
    }

    fn met(&mut self, name: &str) {
        match self.times.get_mut(name) {
            Some(times) => *times += 1,
            None => {
                self.times.insert(name.to_owned(), 1);
            }
        }
    }

    fn met_if(&mut self, so: bool, name: &str) {
        if so {
            self.met(name);
        }
    }

    fn attrs(&mut self, attrs: &Attrs) {
        attrs.values().for_each(|attr| self.attr(attr));
    }

    fn attr(&mut self, attr: &Attr) {
        self.met(attr_kind(attr));
        match attr {
            Attr::Array(items) => items.iter().for_each(|item| self.attr(item)),
            Attr::Map(items) => self.attrs(items),
            _ => {}
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.met(stmt_kind(&stmt.kind));
        match &stmt.kind {
            StmtKind::For { kind, annotations, .. } => {
                self.met(for_kind(kind));
                self.attrs(annotations);
            }
            StmtKind::Block { predicate, block, .. } => {
                self.met_if(predicate.as_int() != Some(1), "block with a predicate");
                self.block(block);
            }
            _ => {}
        }
    }

    fn block(&mut self, block: &Block) {
        block.iters.iter().for_each(|iter| self.met(iter_kind(&iter.kind)));
        self.attrs(&block.annotations);
        self.met_if(!block.annotations.is_empty(), "block with annotations");
        self.met_if(!block.alloc_buffers.is_empty(), "block with alloc_buffers");
        self.met_if(!block.match_buffers.is_empty(), "block with match_buffers");
        self.met_if(block.init.is_some(), "block with init");
    }

    fn buffer(&mut self, buffer: &Buffer) {
        self.met(scope_kind(&buffer.scope));
        self.met_if(buffer.align != 0, "buffer with align");
        self.met_if(!buffer.axis_separators.is_empty(), "buffer with axis_separators");
        self.met_if(buffer.elem_offset.is_some(), "buffer with elem_offset");
        self.met_if(buffer.offset_factor != 0, "buffer with offset_factor");
        self.met_if(!buffer.strides.is_empty(), "buffer with strides");
        self.met_if(buffer.broadcasts, "buffer of any extent");
    }

    fn scalar(&mut self, expr: &Expr) {
        self.met(expr_kind(&expr.kind));
        match &expr.kind {
            ExprKind::Binary(op, ..) => self.met(&format!("operator {op:?}")),
            ExprKind::Compare(op, ..) => self.met(&format!("comparison {op:?}")),
            ExprKind::Call { intrinsic, .. } => self.met(&format!("intrinsic {}", intrinsic.name())),
            ExprKind::Foreign { callee, .. } => {
                self.met(foreign_kind(callee));
                if let ForeignCallee::Builtin(name) = callee {
                    self.met(&format!("builtin {name}"));
                }
            }
            _ => {}
        }
    }

    fn graph(&mut self, expr: &relax::Expr) {
        self.met(graph_kind(&expr.kind));
        match &expr.kind {
            relax::ExprKind::Call { callee, attrs, sinfo_args, .. } => {
                self.met(callee_kind(callee));
                self.met_if(is_said_pure(attrs), "call said to be pure");
                self.met_if(packed_inplace(attrs).is_some(), "call in place of a packed function");
                self.met_if(takes_context(attrs), "call of a packed function with the machine");
                self.met_if(!tir_vars(attrs).is_empty(), "call with scalars");
                self.met_if(attrs.contains_key("te_grad_name"), "call with a gradient");
                self.attrs(attrs);
                sinfo_args.iter().for_each(|info| self.info(info));
            }
            relax::ExprKind::If { then, otherwise, .. } => {
                self.seq(then);
                self.seq(otherwise);
            }
            relax::ExprKind::Function(function) => self.function(function),
            _ => {}
        }
    }

    fn function(&mut self, function: &Function) {
        self.attrs(&function.attrs);
        function.params.iter().for_each(|param| self.info(&param.struct_info));
        self.info(&function.ret);
        self.seq(&function.body);
    }

    fn seq(&mut self, seq: &SeqExpr) {
        seq.blocks.iter().for_each(|block| self.binding_block(block));
        seq.result.visit_children(self);
    }

    fn binding_block(&mut self, block: &BindingBlock) {
        self.met_if(block.dataflow, "dataflow block");
        for binding in &block.bindings {
            self.met(binding_kind(&binding.value));
            self.met_if(binding.var.dataflow, "dataflow variable");
            match &binding.value {
                BindingValue::Expr(value) => value.visit_children(self),
                BindingValue::MatchCast { value, struct_info } => {
                    self.info(struct_info);
                    value.visit_children(self);
                }
            }
        }
    }

    fn info(&mut self, info: &StructInfo) {
        self.met(info_kind(info));
        match info {
            StructInfo::Tensor { shape, .. } | StructInfo::Shape(shape) => self.met(shape_kind(shape)),
            StructInfo::Tuple(fields) => fields.iter().for_each(|field| self.info(field)),
            StructInfo::Func { params, ret, .. } => {
                params.iter().flatten().for_each(|param| self.info(param));
                self.info(ret);
            }
            StructInfo::Object | StructInfo::Prim { .. } => {}
        }
    }
}

impl Visitor for Kinds {
    fn visit(&mut self, node: &dyn AnyHandle) {
        if !self.seen.insert(node.address()) {
            return;
        }
        if let Some(stmt) = node.downcast::<Stmt>() {
            self.stmt(stmt);
        } else if let Some(expr) = node.downcast::<Expr>() {
            self.scalar(expr);
        } else if let Some(buffer) = node.downcast::<Buffer>() {
            self.buffer(buffer);
        } else if let Some(var) = node.downcast::<Var>() {
            self.met_if(var.size, "size variable");
        } else if let Some(expr) = node.downcast::<relax::Expr>() {
            self.graph(expr);
            if matches!(expr.kind, relax::ExprKind::If { .. } | relax::ExprKind::Function(_)) {
                return;
            }
        }
        node.visit_inside(self);
    }
}
