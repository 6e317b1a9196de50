//! The kinds of scalar expressions.

use std::sync::Arc;

use tilewright_tensor::DataType;

use crate::node::{EqCx, FloatBits, IrNode, VarId};
use crate::semantics::{int_range, wrap};
use crate::{Buffer, Builtin, BuiltinEffect, Intrinsic, ir_handle, ir_identity};

/// The fields of a [`Var`].
#[derive(Debug, IrNode)]
pub struct VarNode {
    #[ir(identity)]
    id: VarId,
    #[ir(skip)]
    pub name: Arc<str>,
    /// `DataType::HANDLE` for an address.
    pub dtype: DataType,
    /// Whether it is a size: never negative.
    pub size: bool,
}

/// A scalar variable: its identity, not its name.
#[derive(Clone, Debug)]
pub struct Var(Arc<VarNode>);

impl Var {
    pub fn new(name: impl Into<Arc<str>>, dtype: DataType) -> Self {
        Self(Arc::new(VarNode { id: VarId::fresh(), name: name.into(), dtype, size: false }))
    }

    /// A variable that is never negative, such as the extent of a dimension.
    pub fn size(name: impl Into<Arc<str>>, dtype: DataType) -> Self {
        Self(Arc::new(VarNode { id: VarId::fresh(), name: name.into(), dtype, size: true }))
    }

    /// Another variable that says the same of itself.
    pub fn renewed(&self) -> Self {
        let VarNode { name, dtype, size, .. } = &*self.0;
        Self(Arc::new(VarNode { id: VarId::fresh(), name: name.clone(), dtype: *dtype, size: *size }))
    }
}

ir_identity! { Var => VarNode, sort = "tir.Var" }

/// Operators of two operands of one type, whose result has that type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, IrNode)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    /// Division that rounds towards zero for integers, IEEE division for floats.
    Div,
    /// The remainder of [`BinOp::Div`], with the sign of the dividend.
    Mod,
    /// Division that rounds towards minus infinity.
    FloorDiv,
    /// The remainder of [`BinOp::FloorDiv`], with the sign of the divisor.
    FloorMod,
    /// The smaller operand; NaN if either is.
    Min,
    /// The larger operand; NaN if either is.
    Max,
    /// Of bools; the right one is evaluated only where the left one is true. In vectors both are.
    And,
    /// Of bools; the right one is evaluated only where the left one is false. In vectors both are.
    Or,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    /// Arithmetic for signed integers, logical for unsigned ones.
    Shr,
}

impl BinOp {
    pub const ALL: [Self; 16] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Mod,
        Self::FloorDiv,
        Self::FloorMod,
        Self::Min,
        Self::Max,
        Self::And,
        Self::Or,
        Self::BitAnd,
        Self::BitOr,
        Self::BitXor,
        Self::Shl,
        Self::Shr,
    ];

    /// Whether elements of this type have the operation.
    pub const fn takes(self, dtype: DataType) -> bool {
        match self {
            Self::Add | Self::Sub | Self::Mul | Self::Div | Self::Mod | Self::FloorDiv | Self::FloorMod => {
                dtype.is_int() || dtype.is_float()
            }
            Self::Min | Self::Max => dtype.is_int() || dtype.is_float() || dtype.is_bool(),
            Self::And | Self::Or => dtype.is_bool(),
            Self::BitAnd | Self::BitOr | Self::BitXor => dtype.is_int() || dtype.is_bool(),
            Self::Shl | Self::Shr => dtype.is_int(),
        }
    }

    /// The value that changes nothing where it is an operand, of operations whose operands may come in any order.
    pub fn identity(self, dtype: DataType) -> Option<Expr> {
        let extremes = || match int_range(dtype) {
            Some((least, greatest)) => Some((Expr::int(least as i64, dtype), Expr::int(greatest as i64, dtype))),
            None if dtype.is_float() => {
                Some((Expr::float(f64::NEG_INFINITY, dtype), Expr::float(f64::INFINITY, dtype)))
            }
            None => None,
        };
        match self {
            Self::Add | Self::BitOr | Self::BitXor => Some(Expr::number(0, dtype)),
            Self::Mul => Some(Expr::number(1, dtype)),
            Self::Min => extremes().map(|(_, greatest)| greatest),
            Self::Max => extremes().map(|(least, _)| least),
            Self::And => Some(Expr::bool(true)),
            Self::Or => Some(Expr::bool(false)),
            Self::BitAnd => Some(Expr::int(wrap(-1, dtype), dtype)),
            Self::Sub | Self::Div | Self::Mod | Self::FloorDiv | Self::FloorMod | Self::Shl | Self::Shr => None,
        }
    }

    /// The operator as scripts write it.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "truncmod",
            Self::FloorDiv => "//",
            Self::FloorMod => "%",
            Self::Min => "min",
            Self::Max => "max",
            Self::And => "and",
            Self::Or => "or",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::Shl => "<<",
            Self::Shr => ">>",
        }
    }
}

/// Comparisons: two operands of one type, a bool result. Every one but `Ne` is false where an operand is NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, IrNode)]
pub enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl CmpOp {
    pub const ALL: [Self; 6] = [Self::Eq, Self::Ne, Self::Lt, Self::Le, Self::Gt, Self::Ge];

    /// The operator as scripts write it.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }

    /// Whether the comparison is true of two values.
    pub fn holds<T: Ord>(self, x: &T, y: &T) -> bool {
        match self {
            Self::Eq => x == y,
            Self::Ne => x != y,
            Self::Lt => x < y,
            Self::Le => x <= y,
            Self::Gt => x > y,
            Self::Ge => x >= y,
        }
    }
}

/// The kinds of scalar expressions.
#[derive(Clone, Debug, IrNode)]
pub enum ExprKind {
    /// An integer or bool constant; a `uint64` by its bits.
    Int(#[ir(name = "value")] i64),
    /// A float constant, representable in its type.
    Float(#[ir(name = "value")] FloatBits),
    /// A text, only as an argument of calls and asserts.
    Str(#[ir(name = "value")] Arc<str>),
    Var(Var),
    Binary(#[ir(name = "op")] BinOp, #[ir(name = "a")] Expr, #[ir(name = "b")] Expr),
    Compare(#[ir(name = "op")] CmpOp, #[ir(name = "a")] Expr, #[ir(name = "b")] Expr),
    Not(#[ir(name = "a")] Expr),
    /// Both values are evaluated; the condition may be a vector.
    Select {
        condition: Expr,
        #[ir(name = "true_value")]
        then: Expr,
        #[ir(name = "false_value")]
        otherwise: Expr,
    },
    /// Conversion of the value to the expression's type.
    Cast(#[ir(name = "value")] Expr),
    /// An element, or a vector of elements where an index is one. Lanes whose predicate is false read as zero.
    Load {
        buffer: Buffer,
        indices: Vec<Expr>,
        predicate: Option<Expr>,
    },
    /// `[base, base + stride, …]`, as many lanes as the type says.
    Ramp {
        base: Expr,
        stride: Expr,
    },
    /// The scalar in every lane.
    Broadcast(#[ir(name = "value")] Expr),
    /// Lanes picked by number from the concatenation of vectors.
    Shuffle {
        vectors: Vec<Expr>,
        lanes: Vec<usize>,
    },
    Let {
        #[ir(bind)]
        var: Var,
        value: Expr,
        body: Expr,
    },
    Call {
        intrinsic: Intrinsic,
        args: Vec<Expr>,
    },
    /// The bits of the value as another type of as many bits; lane 0 has the lowest.
    Reinterpret(#[ir(name = "value")] Expr),
    /// The address of an element, as an argument of a foreign call.
    AddressOf {
        buffer: Buffer,
        indices: Vec<Expr>,
    },
    /// A function that the IR does not know: it may have effects, and runs once wherever its node is evaluated.
    Foreign {
        callee: ForeignCallee,
        args: Vec<Expr>,
    },
}

/// Whom a foreign call calls.
#[derive(Clone, PartialEq, Eq, Hash, Debug, IrNode)]
pub enum ForeignCallee {
    /// A C function of the process, by its symbol: `T.call_extern`.
    Extern(Arc<str>),
    /// A C function whose result follows from its operands, and that does nothing else: `T.call_pure_extern`.
    PureExtern(Arc<str>),
    /// A packed function of the runtime's registry: `T.call_packed`.
    Packed(Arc<str>),
    /// An intrinsic of LLVM, such as `llvm.x86.avx512bf16.dpbf16ps.512`: `T.call_llvm_intrin`.
    Llvm(Arc<str>),
    /// An operation that some targets know, by its name after `T.`: a row of [`Builtin::ALL`].
    Builtin(Arc<str>),
    /// A PrimFunc of the module, by its name there: `Module.f(…)`.
    Function(Arc<str>),
}

impl ForeignCallee {
    /// The name that is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Extern(name)
            | Self::PureExtern(name)
            | Self::Packed(name)
            | Self::Llvm(name)
            | Self::Builtin(name)
            | Self::Function(name) => name,
        }
    }

    /// The row of a builtin; `None` for other callees, and for a builtin that no row has.
    pub fn builtin(&self) -> Option<&'static Builtin> {
        match self {
            Self::Builtin(name) => Builtin::by_name(name),
            _ => None,
        }
    }

    /// Whether it is this builtin.
    pub fn is(&self, row: &Builtin) -> bool {
        matches!(self, Self::Builtin(name) if **name == *row.name)
    }

    /// Whether a call does nothing but give a value that follows from its operands.
    pub fn is_pure(&self) -> bool {
        match self {
            Self::PureExtern(_) => true,
            Self::Builtin(_) => self.builtin().is_some_and(|row| row.effect == BuiltinEffect::Pure),
            Self::Extern(_) | Self::Packed(_) | Self::Llvm(_) | Self::Function(_) => false,
        }
    }
}

/// A scalar expression with its type.
#[derive(Clone, Debug, IrNode)]
pub struct ExprNode {
    pub dtype: DataType,
    #[ir(flatten)]
    pub kind: ExprKind,
}

ir_handle! {
    /// A scalar expression: an immutable, shared [`ExprNode`].
    Expr => ExprNode, sort = "tir.Expr", husk = ExprNode { dtype: DataType::VOID, kind: ExprKind::Int(0) }
}

impl Expr {
    /// The constant's value, if this is an integer or bool constant.
    pub fn as_int(&self) -> Option<i64> {
        match self.kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The variable, if this is one.
    pub fn as_var(&self) -> Option<&Var> {
        match &self.kind {
            ExprKind::Var(var) => Some(var),
            _ => None,
        }
    }

    /// The element that this prefetches, by its buffer and indices, and the hints after it. Its address does not
    /// escape: nothing is read or written there, and the element need not exist.
    pub fn prefetched(&self) -> Option<(&Buffer, &[Self], &[Self])> {
        let ExprKind::Foreign { callee, args } = &self.kind else { return None };
        let (address, hints) = args.split_first()?;
        match &address.kind {
            ExprKind::AddressOf { buffer, indices }
                if callee.builtin().is_some_and(|row| row.effect == BuiltinEffect::Prefetch) =>
            {
                Some((buffer, indices, hints))
            }
            _ => None,
        }
    }

    /// The operands, if this is a call of the builtin.
    pub fn builtin_args(&self, row: &Builtin) -> Option<&[Self]> {
        match &self.kind {
            ExprKind::Foreign { callee, args } if callee.is(row) => Some(args),
            _ => None,
        }
    }

    /// Structural equality, free variables by identity.
    pub fn equal(&self, other: &Self) -> bool {
        self.same(other) || EqCx::compare(self, other).is_ok()
    }
}

/// `extent` integers from `min` on.
#[derive(Clone, Debug, IrNode)]
pub struct Range {
    pub min: Expr,
    pub extent: Expr,
}

impl Range {
    pub fn new(min: Expr, extent: Expr) -> Self {
        Self { min, extent }
    }

    /// From zero on, in the extent's own type.
    pub fn up_to(extent: Expr) -> Self {
        Self { min: Expr::int(0, extent.dtype), extent }
    }
}
