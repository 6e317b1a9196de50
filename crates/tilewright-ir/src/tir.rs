//! TensorIR: loops, blocks and buffers.

use std::sync::Arc;

use tilewright_expr::ir_handle;
use tilewright_expr::node::{IrNode, VarId, rewrite, walk, walk_some};
pub use tilewright_expr::{
    BinOp, Buffer, BufferNode, Builtin, BuiltinEffect, BuiltinResult, CmpOp, Expr, ExprKind, ExprNode, ForeignCallee,
    Intrinsic, Range, Scope, TypeMismatch, Var,
};
use tilewright_support::{Map, Origins, Set, with_stack};
use tilewright_tensor::DataType;

use crate::relax::{Constant, StructInfo, TensorShape};
use crate::{Attr, Attrs};

/// How the iterations of a loop run.
#[derive(Clone, PartialEq, Eq, Debug, IrNode)]
pub enum ForKind {
    /// One after the other.
    Serial,
    /// In any order, on any thread.
    Parallel,
    /// As lanes of vector operations.
    Vectorized,
    /// Written out one after the other; the extent is a constant.
    Unrolled,
    /// On the threads of a GPU with this tag, such as `threadIdx.x`.
    ThreadBinding(#[ir(name = "thread")] Arc<str>),
}

/// Whether the tag names a dimension of blocks or threads: `blockIdx.x`, `threadIdx.y`, `vthread`, `vthread.z`, ….
pub fn is_thread(tag: &str) -> bool {
    match tag.split_once('.') {
        Some((kind, dimension)) => {
            ["blockIdx", "threadIdx", "vthread"].contains(&kind) && ["x", "y", "z"].contains(&dimension)
        }
        None => tag == "vthread",
    }
}

/// The kind of an axis of a block, which decides about reordering.
#[derive(Clone, Copy, PartialEq, Eq, Debug, IrNode)]
pub enum IterKind {
    /// Instances with different values write different elements.
    Spatial,
    /// Instances with different values are combined by a reduction.
    Reduce,
    /// Instances run in the order of their values, each after the one before.
    Scan,
    /// Nothing is promised.
    Opaque,
}

/// An axis of a block.
#[derive(Clone, Debug, IrNode)]
pub struct IterVar {
    #[ir(bind)]
    pub var: Var,
    #[ir(name = "dom")]
    pub domain: Range,
    #[ir(name = "iter_type")]
    pub kind: IterKind,
}

/// A box of elements of a buffer: one range for each dimension.
#[derive(Clone, Debug, IrNode)]
pub struct BufferRegion {
    pub buffer: Buffer,
    pub region: Vec<Range>,
}

/// A view of a region: inside the block `buffer` is an alias of the elements of `source`.
#[derive(Clone, Debug, IrNode)]
pub struct MatchBuffer {
    #[ir(bind)]
    pub buffer: Buffer,
    pub source: BufferRegion,
}

/// The unit of computation: instances over its axes, each touching the declared regions only.
#[derive(Clone, Debug, IrNode)]
pub struct Block {
    /// As output calls it; two blocks that differ in their names only are alike.
    #[ir(skip, name = "name_hint")]
    pub name: Arc<str>,
    #[ir(name = "iter_vars")]
    pub iters: Vec<IterVar>,
    #[ir(bind)]
    pub alloc_buffers: Vec<Buffer>,
    pub match_buffers: Vec<MatchBuffer>,
    pub reads: Vec<BufferRegion>,
    pub writes: Vec<BufferRegion>,
    pub annotations: Attrs,
    /// Runs before `body` in instances whose reduce axes all have their first value; by itself where a loop of the
    /// reduction has no iteration ([`crate::empty_reduction`]).
    pub init: Option<Stmt>,
    pub body: Stmt,
    #[ir(skip)]
    pub origins: Origins,
}

impl Block {
    /// A block without axes, which declares no regions.
    pub fn without_axes(name: impl Into<Arc<str>>, alloc_buffers: Vec<Buffer>, body: Stmt) -> Self {
        Self {
            name: name.into(),
            iters: Vec::new(),
            alloc_buffers,
            match_buffers: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            annotations: Attrs::new(),
            init: None,
            body,
            origins: Origins::default(),
        }
    }
}

/// The kinds of statements.
#[derive(Clone, Debug, IrNode)]
pub enum StmtKind {
    /// `buffer[indices] = value`; lanes whose predicate is false are not written.
    Store {
        buffer: Buffer,
        indices: Vec<Expr>,
        value: Expr,
        predicate: Option<Expr>,
    },
    /// Runs `body` for `extent` values of `var` from `min` on; an extent of 0 or less is no run.
    For {
        #[ir(bind, name = "loop_var")]
        var: Var,
        min: Expr,
        extent: Expr,
        kind: ForKind,
        annotations: Attrs,
        body: Stmt,
    },
    While {
        condition: Expr,
        body: Stmt,
    },
    If {
        condition: Expr,
        #[ir(name = "then_case")]
        then: Stmt,
        #[ir(name = "else_case")]
        otherwise: Option<Stmt>,
    },
    Let {
        #[ir(bind)]
        var: Var,
        value: Expr,
        body: Stmt,
    },
    /// Stops the function with the message unless the condition holds.
    Assert {
        condition: Expr,
        message: Arc<str>,
    },
    /// One after the other; empty is "do nothing".
    Seq(#[ir(name = "seq")] Vec<Stmt>),
    /// Evaluates for its effect.
    Evaluate(#[ir(name = "value")] Expr),
    /// An instance of a block: values for its axes, and a predicate under which it runs at all.
    Block {
        #[ir(name = "iter_values")]
        values: Vec<Expr>,
        predicate: Expr,
        block: Block,
    },
    /// Says something of a thing while `body` runs: `with T.attr(node, "key", value):`. What a key means is the matter
    /// of those who read it; see `tilewright-tir-passes` for those that lowering knows.
    Attr {
        node: Expr,
        #[ir(name = "attr_key")]
        key: Arc<str>,
        value: Expr,
        body: Stmt,
    },
    /// Memory that holds these elements, in row-major order, while `body` runs; it is read-only.
    AllocateConst {
        #[ir(bind)]
        buffer: Buffer,
        data: Constant,
        body: Stmt,
    },
    /// Memory that exists while `body` runs (opaque and flat form). Where the buffer's data variable is defined
    /// already, the declaration of a view of that memory (not in the flat form).
    Allocate {
        #[ir(bind)]
        buffer: Buffer,
        body: Stmt,
    },
}

/// Wraps [`StmtKind`] so that it can be a node of its own.
#[derive(Clone, Debug, IrNode)]
pub struct StmtNode {
    #[ir(flatten)]
    pub kind: StmtKind,
}

ir_handle! {
    /// A statement: an immutable, shared [`StmtKind`].
    Stmt => StmtNode, sort = "tir.Stmt", husk = StmtNode { kind: StmtKind::Seq(Vec::new()) }
}

impl From<StmtKind> for Stmt {
    fn from(kind: StmtKind) -> Self {
        Self::from_node(StmtNode { kind })
    }
}

impl Stmt {
    /// A checked store; the value is broadcast to the lanes of the indices.
    pub fn store(buffer: &Buffer, indices: Vec<Expr>, value: &Expr) -> Result<Self, TypeMismatch> {
        Self::store_where(buffer, indices, value, None)
    }

    pub fn store_where(
        buffer: &Buffer,
        indices: Vec<Expr>,
        value: &Expr,
        predicate: Option<Expr>,
    ) -> Result<Self, TypeMismatch> {
        let value = buffer.check_store(value, &indices, predicate.as_ref())?;
        Ok(StmtKind::Store { buffer: buffer.clone(), indices, value, predicate }.into())
    }

    /// The line of an element, which need not be there, is on its way to a level of cache: 3 is the nearest, 1 the
    /// last.
    pub fn prefetch(buffer: &Buffer, indices: Vec<Expr>, write: bool, level: i64) -> Result<Self, TypeMismatch> {
        let address = Expr::address_of(buffer, indices)?;
        let [write, level] = [i64::from(write), level].map(|number| Expr::int(number, DataType::I32));
        let callee = ForeignCallee::Builtin("prefetch".into());
        Ok(StmtKind::Evaluate(Expr::foreign(DataType::VOID, callee, vec![address, write, level])).into())
    }

    /// A plain loop.
    pub fn for_loop(var: &Var, min: Expr, extent: Expr, kind: ForKind, body: Self) -> Self {
        StmtKind::For { var: var.clone(), min, extent, kind, annotations: Attrs::new(), body }.into()
    }

    /// The statements in order; one alone stays itself, sequences inside are flattened.
    pub fn seq(stmts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Seq(inner) => flat.extend(inner.iter().cloned()),
                _ => flat.push(stmt),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { StmtKind::Seq(flat).into() }
    }

    pub fn nothing() -> Self {
        StmtKind::Seq(Vec::new()).into()
    }

    /// The expressions of the statement itself, without those of statements below and of a block's declarations.
    pub fn own_exprs(&self) -> Vec<Expr> {
        match &self.kind {
            StmtKind::Store { indices, value, predicate, .. } => {
                indices.iter().chain([value]).chain(predicate).cloned().collect()
            }
            StmtKind::For { min, extent, .. } => vec![min.clone(), extent.clone()],
            StmtKind::While { condition, .. } | StmtKind::If { condition, .. } | StmtKind::Assert { condition, .. } => {
                vec![condition.clone()]
            }
            StmtKind::Let { value, .. } => vec![value.clone()],
            StmtKind::Evaluate(e) => vec![e.clone()],
            StmtKind::Block { values, predicate, .. } => values.iter().chain([predicate]).cloned().collect(),
            StmtKind::Attr { node, value, .. } => vec![node.clone(), value.clone()],
            StmtKind::Allocate { buffer, .. } | StmtKind::AllocateConst { buffer, .. } => buffer.shape.clone(),
            StmtKind::Seq(_) => Vec::new(),
        }
    }
}

/// A parameter of a PrimFunc: a scalar, or a buffer passed by address.
#[derive(Clone, Debug, IrNode)]
pub struct Param {
    /// The value that is passed: a scalar, or for a buffer its handle, named as the user named the parameter.
    #[ir(bind)]
    pub var: Var,
    /// The buffer of a handle. Unbound variables in its shape are defined by the argument's shape.
    #[ir(define)]
    pub buffer: Option<Buffer>,
}

impl Param {
    /// A buffer parameter named as the buffer.
    pub fn buffer(buffer: &Buffer) -> Self {
        Self { var: Var::new(buffer.name.clone(), DataType::HANDLE), buffer: Some(buffer.clone()) }
    }

    /// A scalar parameter.
    pub fn scalar(var: &Var) -> Self {
        Self { var: var.clone(), buffer: None }
    }
}

/// A loop function in destination-passing style.
#[derive(Clone, Debug, IrNode)]
pub struct PrimFunc {
    pub params: Vec<Param>,
    pub attrs: Attrs,
    /// In block form: the *root block* without axes, whose `alloc_buffers` are the function's temporaries.
    pub body: Stmt,
    #[ir(skip)]
    pub origins: Origins,
}

/// The data variables of the buffers that the statement stores to, or whose address it gives to a foreign function.
pub fn written_data(stmt: &Stmt) -> Set<VarId> {
    written_data_with(stmt, &mut |_| ())
}

/// As [`written_data`], in one walk with somebody who is shown all statements, outermost first.
pub(crate) fn written_data_with(stmt: &Stmt, f: &mut dyn FnMut(&Stmt)) -> Set<VarId> {
    let (mut stored, mut given) = (Set::default(), Set::default());
    given_away_in(
        stmt,
        &mut |buffer, effect| {
            if effect == AddressUse::Any {
                given.insert(buffer.data.id());
            }
        },
        &mut |stmt| {
            if let StmtKind::Store { buffer, .. } = &stmt.kind {
                stored.insert(buffer.data.id());
            }
            f(stmt);
        },
    );
    stored.extend(given);
    stored
}

/// Calls `f` with each buffer whose address is passed to a foreign function, which may do anything with the memory
/// there.
pub fn given_away<N: IrNode>(node: &N, f: &mut dyn FnMut(&Buffer)) {
    given_away_in(node, &mut |buffer, _| f(buffer), &mut |_| ());
}

/// What a foreign function does with the memory at an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AddressUse {
    Read,
    Any,
}

/// Instructions that read the memory at their addresses, and do nothing else with it.
const READING: [&str; 2] = ["llvm.x86.tileloadd64", "llvm.x86.ldtilecfg"];

/// As [`given_away`], with somebody who is shown all statements.
fn given_away_in<N: IrNode>(node: &N, f: &mut dyn FnMut(&Buffer, AddressUse), of_stmt: &mut dyn FnMut(&Stmt)) {
    walk_some(node, |node| {
        let Some(expr) = node.downcast::<Expr>() else {
            node.downcast::<Stmt>().into_iter().for_each(&mut *of_stmt);
            return true;
        };
        if let ExprKind::AddressOf { buffer, .. } = &expr.kind {
            f(buffer, AddressUse::Any);
        }
        let operands: Vec<&Expr> = match (expr.prefetched(), &expr.kind) {
            (Some((_, indices, hints)), _) => indices.iter().chain(hints).collect(),
            (None, ExprKind::Foreign { callee: ForeignCallee::Llvm(name), args }) if READING.contains(&&**name) => {
                args.iter().flat_map(|arg| read_operands(arg, f)).collect()
            }
            _ => return true,
        };
        operands.into_iter().for_each(|operand| with_stack(|| given_away_in(operand, f, &mut |_| ())));
        false
    });
}

/// The operands of an argument of an instruction that reads memory: the indices of an address, or the argument itself.
fn read_operands<'a>(arg: &'a Expr, f: &mut dyn FnMut(&Buffer, AddressUse)) -> &'a [Expr] {
    match &arg.kind {
        ExprKind::AddressOf { buffer, indices } => {
            f(buffer, AddressUse::Read);
            indices
        }
        _ => std::slice::from_ref(arg),
    }
}

/// Names of attributes that the compiler itself reads.
pub mod attr_names {
    /// The name under which a function is visible outside its module; absent on private functions.
    pub const GLOBAL_SYMBOL: &str = "global_symbol";
    /// Buffers of different parameters do not overlap.
    pub const NOALIAS: &str = "tir.noalias";
    /// What the function is compiled for, if not for the target of its compilation.
    pub const TARGET: &str = "target";
    /// Texts of LLVM's form whose functions the code calls by their names (`T.call_extern`).
    pub const LLVM_IMPORTS: &str = "tilewright.llvm_imports";
}

impl PrimFunc {
    /// The name under which the function is visible outside its module.
    pub fn global_symbol(&self) -> Option<&str> {
        self.attrs.get(attr_names::GLOBAL_SYMBOL).and_then(Attr::as_str)
    }

    /// The root block, if the body has the block form.
    pub fn root_block(&self) -> Option<&Block> {
        match &self.body.kind {
            StmtKind::Block { block, .. } if block.iters.is_empty() => Some(block),
            _ => None,
        }
    }

    /// The function with another root body: wraps `body` in a root block that allocates the temporaries.
    pub fn with_root(params: Vec<Param>, attrs: Attrs, temporaries: Vec<Buffer>, body: Stmt, origins: Origins) -> Self {
        let block = Block::without_axes("root", temporaries, body);
        let body = StmtKind::Block { values: Vec::new(), predicate: Expr::bool(true), block }.into();
        Self { params, attrs, body, origins }
    }

    /// The type of the value that the function returns, by the first `T.ret`; `None` of a function without one.
    pub fn returned(&self) -> Option<DataType> {
        let mut first = None;
        walk(&self.body, |expr: &Expr| {
            if let (None, Some([value])) = (first, expr.builtin_args(Builtin::RET)) {
                first = Some(value.dtype);
            }
        });
        first
    }

    /// The other functions of the module that the function calls.
    pub fn called(&self) -> Vec<Arc<str>> {
        let mut names = Vec::new();
        walk(&self.body, |expr: &Expr| {
            if let ExprKind::Foreign { callee: ForeignCallee::Function(name), .. } = &expr.kind {
                names.push(name.clone());
            }
        });
        names
    }

    /// How a graph sees it: tensors and scalars in, the scalar of its `T.ret` or nothing out, with side effects on its
    /// arguments. The dimensions of a tensor are int64 there, whatever type the buffer gives them.
    pub fn signature(&self) -> StructInfo {
        let mut wide = Map::default();
        let params = self
            .params
            .iter()
            .map(|param| match &param.buffer {
                Some(buffer) => StructInfo::tensor_with(graph_shape(&buffer.shape, &mut wide), Some(buffer.dtype)),
                None if param.var.dtype.is_handle() => StructInfo::Object,
                None => StructInfo::Prim { dtype: param.var.dtype, value: None },
            })
            .collect();
        let ret = match self.returned() {
            Some(dtype) if !dtype.is_handle() => StructInfo::Prim { dtype, value: None },
            _ => StructInfo::Tuple(Vec::new()),
        };
        StructInfo::Func { params: Some(params), ret: Box::new(ret), pure: false }
    }
}

/// The dimensions of a buffer in int64; their number alone, where a dimension of another type is more than arithmetic.
/// `wide` has the replacements of variables of other types.
fn graph_shape(dims: &Vec<Expr>, wide: &mut Map<VarId, Var>) -> TensorShape {
    let mut arithmetic = true;
    let widened = rewrite(dims, |part: &Expr| {
        let Ok(wide) = widened(part, wide) else {
            arithmetic = false;
            return None;
        };
        wide
    });
    match widened {
        None => TensorShape::Known(dims.clone()),
        Some(dims) if arithmetic => TensorShape::Known(dims),
        Some(dims) => TensorShape::Rank(dims.len()),
    }
}

/// A part of a dimension in int64, its own parts being that already; an error for what is no arithmetic of indices,
/// which is that of the integers.
fn widened(part: &Expr, wide: &mut Map<VarId, Var>) -> Result<Option<Expr>, NoArithmetic> {
    let narrow = part.dtype.is_int() && part.dtype.is_scalar() && part.dtype != DataType::I64;
    Ok(match &part.kind {
        ExprKind::Int(value) if narrow => Some(Expr::int(*value, DataType::I64)),
        ExprKind::Var(var) if narrow => {
            let like = || match var.size {
                true => Var::size(var.name.clone(), DataType::I64),
                false => Var::new(var.name.clone(), DataType::I64),
            };
            Some(Expr::var(wide.entry(var.id()).or_insert_with(like)))
        }
        ExprKind::Cast(value) if part.dtype.is_int() && value.dtype == DataType::I64 => Some(value.clone()),
        ExprKind::Binary(..) | ExprKind::Select { .. } if narrow => Some(Expr::raw(DataType::I64, part.kind.clone())),
        ExprKind::Int(_) | ExprKind::Var(_) | ExprKind::Binary(..) | ExprKind::Compare(..) | ExprKind::Not(_) => None,
        ExprKind::Select { .. } => None,
        _ => return Err(NoArithmetic),
    })
}

struct NoArithmetic;
