//! Relax: computational graphs over whole tensors.

use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_expr::node::{EqCx, HashCx, Input, IrNode, Leaf, LoadError, Loader, Saver, VarId};
use tilewright_expr::{ir_handle, ir_identity, ir_leaf};
use tilewright_support::Origins;
use tilewright_tensor::{DataType, Tensor};

use crate::op::OpRef;
use crate::{Attr, Attrs};

/// The known shape of a tensor.
#[derive(Clone, Debug, IrNode)]
pub enum TensorShape {
    /// Every dimension, as an integer expression (int64) over symbolic dimensions.
    Known(#[ir(name = "values")] Vec<scalar::Expr>),
    /// Only the number of dimensions.
    Rank(#[ir(name = "ndim")] usize),
    Unknown,
}

impl TensorShape {
    /// The number of dimensions, where known.
    pub fn rank(&self) -> Option<usize> {
        match self {
            Self::Known(dims) => Some(dims.len()),
            Self::Rank(rank) => Some(*rank),
            Self::Unknown => None,
        }
    }
}

/// A device that a module names: its target, its index among those of that target, and its memory scope.
///
/// Two tensors are on one device where these are equal; where a module lists it ([`crate::GlobalInfo`]) has no meaning.
#[derive(Clone, PartialEq, Eq, Hash, Debug, IrNode)]
pub struct VDevice {
    /// A target, as `tilewright-target` reads it.
    pub target: Arc<str>,
    pub id: i64,
    pub memory_scope: Arc<str>,
}

impl VDevice {
    /// The device as an attribute of an operator.
    pub fn to_attr(&self) -> Attr {
        Attr::Map(Attrs::from([
            ("memory_scope".into(), Attr::Str(self.memory_scope.clone())),
            ("target".into(), Attr::Str(self.target.clone())),
            ("vdevice_id".into(), Attr::Int(self.id)),
        ]))
    }

    /// The device that [`VDevice::to_attr`] wrote.
    pub fn of_attr(attr: &Attr) -> Option<Self> {
        let Attr::Map(fields) = attr else { return None };
        match (fields.get("target"), fields.get("vdevice_id"), fields.get("memory_scope"), fields.len()) {
            (Some(Attr::Str(target)), Some(Attr::Int(id)), Some(Attr::Str(scope)), 3) => {
                Some(Self { target: target.clone(), id: *id, memory_scope: scope.clone() })
            }
            _ => None,
        }
    }

    /// The first word of the target: the kind of device.
    pub fn kind(&self) -> &str {
        self.target.split_whitespace().next().unwrap_or_default()
    }
}

/// As messages name it: `llvm, device 1`.
impl std::fmt::Display for VDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, device {}", self.target, self.id)?;
        if &*self.memory_scope == "global" { Ok(()) } else { write!(f, ", memory `{}`", self.memory_scope) }
    }
}

/// The static type of a value: what is known at compile time.
#[derive(Clone, Debug, IrNode)]
pub enum StructInfo {
    /// Any value.
    Object,
    /// A scalar, with its value where that is known.
    Prim {
        dtype: DataType,
        value: Option<scalar::Expr>,
    },
    /// A shape, as a value.
    Shape(TensorShape),
    Tensor {
        shape: TensorShape,
        dtype: Option<DataType>,
        /// The device it lies on; `None`: any, or not known.
        vdevice: Option<VDevice>,
    },
    Tuple(#[ir(name = "fields")] Vec<StructInfo>),
    /// A function; `params` is `None` where nothing is known of them. Symbolic dimensions of the parameters are defined
    /// by them, for this type alone.
    #[ir(local)]
    Func {
        #[ir(define)]
        params: Option<Vec<StructInfo>>,
        ret: Box<StructInfo>,
        #[ir(name = "purity")]
        pure: bool,
    },
}

impl StructInfo {
    /// A tensor of known shape and type.
    pub fn tensor(shape: Vec<scalar::Expr>, dtype: DataType) -> Self {
        Self::tensor_with(TensorShape::Known(shape), Some(dtype))
    }

    /// A tensor on any device of which this is known.
    pub fn tensor_with(shape: TensorShape, dtype: Option<DataType>) -> Self {
        Self::Tensor { shape, dtype, vdevice: None }
    }

    /// A tensor of constant shape.
    pub fn tensor_of(shape: &[i64], dtype: DataType) -> Self {
        Self::tensor(shape.iter().map(|&d| scalar::Expr::i64(d)).collect(), dtype)
    }

    /// The info of a concrete tensor.
    pub fn of_tensor(tensor: &Tensor) -> Self {
        Self::tensor_of(tensor.shape(), tensor.dtype())
    }

    /// The known dimensions of a tensor or shape.
    pub fn dims(&self) -> Option<&[scalar::Expr]> {
        match self {
            Self::Tensor { shape: TensorShape::Known(dims), .. } | Self::Shape(TensorShape::Known(dims)) => Some(dims),
            _ => None,
        }
    }

    /// The number of dimensions of a tensor or shape.
    pub fn rank(&self) -> Option<usize> {
        match self {
            Self::Tensor { shape, .. } | Self::Shape(shape) => shape.rank(),
            _ => None,
        }
    }

    /// The element type of a tensor, where known.
    pub fn dtype(&self) -> Option<DataType> {
        match self {
            Self::Tensor { dtype, .. } => *dtype,
            Self::Prim { dtype, .. } => Some(*dtype),
            _ => None,
        }
    }

    /// The device of a tensor, where known.
    pub fn vdevice(&self) -> Option<&VDevice> {
        match self {
            Self::Tensor { vdevice, .. } => vdevice.as_ref(),
            _ => None,
        }
    }

    /// The same on this device: every tensor in it that says none.
    pub fn on_device(&self, device: &VDevice) -> Self {
        match self {
            Self::Tensor { shape, dtype, vdevice: None } => {
                Self::Tensor { shape: shape.clone(), dtype: *dtype, vdevice: Some(device.clone()) }
            }
            Self::Tuple(fields) => Self::Tuple(fields.iter().map(|field| field.on_device(device)).collect()),
            other => other.clone(),
        }
    }

    /// Structural equality; symbolic dimensions by identity.
    pub fn equal(&self, other: &Self) -> bool {
        EqCx::compare(self, other).is_ok()
    }

    /// The tensors of a result: one, or those of a tuple in order. `None` if something else is in it.
    pub fn tensors(&self) -> Option<Vec<&Self>> {
        match self {
            Self::Tensor { .. } => Some(vec![self]),
            Self::Tuple(fields) => {
                fields.iter().map(|f| matches!(f, Self::Tensor { .. }).then_some(f)).collect::<Option<Vec<_>>>()
            }
            _ => None,
        }
    }
}

/// The fields of a [`Var`].
#[derive(Debug, IrNode)]
pub struct VarNode {
    #[ir(identity)]
    id: VarId,
    #[ir(skip)]
    pub name: Arc<str>,
    pub struct_info: StructInfo,
    /// Visible only in its dataflow block.
    #[ir(name = "is_dataflow")]
    pub dataflow: bool,
}

/// A graph variable: its identity, not its name.
#[derive(Clone, Debug)]
pub struct Var(Arc<VarNode>);

impl Var {
    pub fn new(name: impl Into<Arc<str>>, struct_info: StructInfo) -> Self {
        Self(Arc::new(VarNode { id: VarId::fresh(), name: name.into(), struct_info, dataflow: false }))
    }

    /// A variable that is visible only in its dataflow block.
    pub fn dataflow(name: impl Into<Arc<str>>, struct_info: StructInfo) -> Self {
        Self(Arc::new(VarNode { id: VarId::fresh(), name: name.into(), struct_info, dataflow: true }))
    }

    /// A new variable like this one, but of another struct info.
    pub fn with_struct_info(&self, struct_info: StructInfo) -> Self {
        let (name, dataflow) = (self.name.clone(), self.dataflow);
        Self(Arc::new(VarNode { id: VarId::fresh(), name, struct_info, dataflow }))
    }
}

ir_identity! { Var => VarNode, sort = "relax.Var" }

/// A function of the module, by name, with the signature that it had when this reference was made.
#[derive(Clone, Debug, IrNode)]
pub struct GlobalVar {
    /// Names are the identity of globals.
    #[ir(name = "name_hint")]
    pub name: Arc<str>,
    #[ir(skip)]
    pub signature: StructInfo,
}

/// A tensor as a constant: compared and hashed by type, shape and bytes.
#[derive(Clone, Debug)]
pub struct Constant(pub Tensor);

impl PartialEq for Constant {
    fn eq(&self, other: &Self) -> bool {
        self.0.same(&other.0)
            || (self.0.dtype() == other.0.dtype()
                && self.0.shape() == other.0.shape()
                && matches!((self.0.as_bytes(), other.0.as_bytes()), (Ok(a), Ok(b)) if a == b))
    }
}

impl Leaf for Constant {
    fn feed(&self, cx: &mut HashCx) {
        self.0.dtype().node_hash(cx);
        self.0.shape().to_vec().node_hash(cx);
        cx.bytes(self.0.as_bytes().unwrap_or_default());
    }
    fn save(&self, out: &mut Saver) {
        out.tensor(&self.0);
    }
    fn load(input: Input<'_>, cx: &mut Loader<'_>) -> Result<Self, LoadError> {
        cx.tensor(input).map(Self)
    }
}

ir_leaf!(Constant);

/// The callee of a call.
#[derive(Clone, Debug, IrNode)]
pub enum Callee {
    /// An operator of the table.
    Op(OpRef),
    /// A PrimFunc of the module, in destination-passing style: the results, as the call's `sinfo_args` say, are
    /// allocated and passed after the arguments (`R.call_tir`).
    Tir(GlobalVar),
    /// As `Tir`, but some results overwrite dead arguments (`R.call_tir_inplace`): for each result the argument whose
    /// tensor it is, if any. The others are allocated.
    TirInplace { function: GlobalVar, results: Vec<Option<usize>> },
    /// A function registered with the runtime, in destination-passing style (`R.call_dps_packed`).
    DpsPacked(Arc<str>),
    /// A function registered with the runtime that returns its result, as `sinfo_args` say (`R.call_packed`).
    Packed(Arc<str>),
    /// A function value: a global of either level (a PrimFunc gets its destinations as arguments), or a variable.
    Value(Expr),
}

/// The kinds of graph expressions.
#[derive(Clone, Debug, IrNode)]
pub enum ExprKind {
    Var(Var),
    GlobalVar(GlobalVar),
    /// A function registered with the runtime, as a value.
    ExternFunc(#[ir(name = "global_symbol")] Arc<str>),
    Constant(#[ir(name = "data")] Constant),
    Call {
        #[ir(name = "op")]
        callee: Callee,
        args: Vec<Expr>,
        attrs: Attrs,
        /// The declared result: the destinations of `Tir` and `DpsPacked` (one, or several).
        sinfo_args: Vec<StructInfo>,
    },
    Tuple(#[ir(name = "fields")] Vec<Expr>),
    TupleGet {
        #[ir(name = "tuple_value")]
        tuple: Expr,
        index: usize,
    },
    /// A shape as a value.
    Shape(#[ir(name = "values")] Vec<scalar::Expr>),
    /// A scalar as a value.
    Prim(#[ir(name = "value")] scalar::Expr),
    Str(#[ir(name = "value")] Arc<str>),
    DType(#[ir(name = "value")] DataType),
    If {
        #[ir(name = "cond")]
        condition: Expr,
        #[ir(name = "true_branch")]
        then: SeqExpr,
        #[ir(name = "false_branch")]
        otherwise: SeqExpr,
    },
    /// A function as a value (closure).
    Function(Box<Function>),
}

/// A graph expression with what is known of its value.
#[derive(Clone, Debug, IrNode)]
pub struct ExprNode {
    pub struct_info: StructInfo,
    #[ir(flatten)]
    pub kind: ExprKind,
}

ir_handle! {
    /// A graph expression: an immutable, shared [`ExprNode`]. Made by the constructors of [`crate::op`] and below.
    Expr => ExprNode, sort = "relax.Expr", husk = ExprNode { struct_info: StructInfo::Object, kind: ExprKind::Tuple(Vec::new()) }
}

/// Expressions whose struct info follows from their parts.
impl Expr {
    /// A node whose struct info the caller has worked out.
    pub fn raw(struct_info: StructInfo, kind: ExprKind) -> Self {
        Self::from_node(ExprNode { struct_info, kind })
    }

    pub fn var(var: &Var) -> Self {
        Self::raw(var.struct_info.clone(), ExprKind::Var(var.clone()))
    }

    pub fn constant(tensor: Tensor) -> Self {
        Self::raw(StructInfo::of_tensor(&tensor), ExprKind::Constant(Constant(tensor)))
    }

    pub fn global(global: &GlobalVar) -> Self {
        Self::raw(global.signature.clone(), ExprKind::GlobalVar(global.clone()))
    }

    pub fn extern_func(name: impl Into<Arc<str>>) -> Self {
        let signature = StructInfo::Func { params: None, ret: Box::new(StructInfo::Object), pure: false };
        Self::raw(signature, ExprKind::ExternFunc(name.into()))
    }

    pub fn tuple(fields: Vec<Self>) -> Self {
        let infos = fields.iter().map(|f| f.struct_info.clone()).collect();
        Self::raw(StructInfo::Tuple(infos), ExprKind::Tuple(fields))
    }

    pub fn shape(dims: Vec<scalar::Expr>) -> Self {
        Self::raw(StructInfo::Shape(TensorShape::Known(dims.clone())), ExprKind::Shape(dims))
    }

    pub fn prim(value: scalar::Expr) -> Self {
        Self::raw(StructInfo::Prim { dtype: value.dtype, value: Some(value.clone()) }, ExprKind::Prim(value))
    }

    pub fn str(text: impl Into<Arc<str>>) -> Self {
        Self::raw(StructInfo::Object, ExprKind::Str(text.into()))
    }

    pub fn dtype_value(dtype: DataType) -> Self {
        Self::raw(StructInfo::Object, ExprKind::DType(dtype))
    }

    /// The variable, if this is one.
    pub fn as_var(&self) -> Option<&Var> {
        match &self.kind {
            ExprKind::Var(var) => Some(var),
            _ => None,
        }
    }
}

/// The value of a binding.
#[derive(Clone, Debug, IrNode)]
pub enum BindingValue {
    Expr(#[ir(name = "value")] Expr),
    /// The value, checked at run time against the struct info; unbound symbolic dimensions in it are defined here.
    MatchCast {
        value: Expr,
        #[ir(define)]
        struct_info: StructInfo,
    },
}

/// `var = value`. The variable comes first: a function can mention the one that it is bound to.
#[derive(Clone, Debug, IrNode)]
pub struct Binding {
    #[ir(bind)]
    pub var: Var,
    #[ir(flatten)]
    pub value: BindingValue,
    #[ir(skip)]
    pub origins: Origins,
}

impl Binding {
    pub fn new(var: Var, value: Expr, origins: Origins) -> Self {
        Self { value: BindingValue::Expr(value), var, origins }
    }
}

/// Bindings in order. In a dataflow block nothing has side effects, and only variables that are not
/// [`VarNode::dataflow`] are visible outside.
#[derive(Clone, Debug, IrNode)]
pub struct BindingBlock {
    #[ir(name = "is_dataflow")]
    pub dataflow: bool,
    pub bindings: Vec<Binding>,
}

/// Blocks of bindings and a result.
#[derive(Clone, Debug, IrNode)]
pub struct SeqExpr {
    pub blocks: Vec<BindingBlock>,
    #[ir(name = "body")]
    pub result: Expr,
}

/// The names of attributes of graph functions that have a meaning here.
pub mod attr_names {
    /// The function is pure, whatever its calls say of themselves.
    pub const FORCE_PURE: &str = "relax.force_pure";
    /// How many of the first parameters are inputs of a run; the others are weights, which are the same in every run.
    pub const NUM_INPUT: &str = "num_input";
}

/// A graph function.
#[derive(Clone, Debug, IrNode)]
pub struct Function {
    /// Unbound symbolic dimensions in their struct infos are defined by the arguments.
    #[ir(bind)]
    pub params: Vec<Var>,
    pub body: SeqExpr,
    #[ir(name = "ret_struct_info")]
    pub ret: StructInfo,
    /// Has no side effects.
    #[ir(name = "is_pure")]
    pub pure: bool,
    pub attrs: Attrs,
    #[ir(skip)]
    pub origins: Origins,
}

impl Function {
    pub fn signature(&self) -> StructInfo {
        StructInfo::Func {
            params: Some(self.params.iter().map(|p| p.struct_info.clone()).collect()),
            ret: Box::new(self.ret.clone()),
            pure: self.pure,
        }
    }

    /// The name under which the function is visible outside its module.
    pub fn global_symbol(&self) -> Option<&str> {
        self.attrs.get(crate::tir::attr_names::GLOBAL_SYMBOL).and_then(Attr::as_str)
    }
}
