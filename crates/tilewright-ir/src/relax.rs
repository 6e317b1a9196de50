//! Relax: computational graphs over whole tensors.

use std::any::Any;
use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_expr::node::{AnyHandle, EqCx, HashCx, IrNode, Mapper, VarId, Variables, Visitor};
use tilewright_expr::{ir_handle, ir_leaf};
use tilewright_support::Origins;
use tilewright_tensor::{DataType, Tensor};

use crate::op::OpRef;
use crate::{Attr, Attrs};

/// What is known of a tensor's shape.
#[derive(Clone, Debug, IrNode)]
pub enum TensorShape {
    /// Every dimension, as an integer expression (int64) over symbolic dimensions.
    Known(Vec<scalar::Expr>),
    /// Only the number of dimensions.
    Rank(usize),
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

/// A device that a module names: what it is, which one of that sort, and where in its memory.
///
/// Two tensors are on one device where these are equal; where a module lists it ([`crate::GlobalInfo`]) has no meaning.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VDevice {
    /// A target, as `tilewright-target` reads it.
    pub target: Arc<str>,
    pub id: i64,
    pub memory_scope: Arc<str>,
}

/// As messages name it: `llvm, device 1`.
impl std::fmt::Display for VDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, device {}", self.target, self.id)?;
        if &*self.memory_scope == "global" { Ok(()) } else { write!(f, ", memory `{}`", self.memory_scope) }
    }
}

ir_leaf! {
    VDevice: |v, cx| {
        cx.bytes(v.target.as_bytes());
        cx.word(v.id as u64);
        cx.bytes(v.memory_scope.as_bytes());
    };
}

/// What is known of a value at compile time.
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
    Tuple(Vec<StructInfo>),
    /// A function; `params` is `None` where nothing is known of them. Symbolic dimensions of the parameters are defined by them.
    Func {
        #[ir(define)]
        params: Option<Vec<StructInfo>>,
        ret: Box<StructInfo>,
        pure: bool,
    },
}

impl IrNode for Box<StructInfo> {
    fn visit_children(&self, visitor: &mut dyn Visitor) {
        (**self).visit_children(visitor);
    }
    fn map_children(&self, mapper: &mut dyn Mapper) -> Option<Self> {
        (**self).map_children(mapper).map(Box::new)
    }
    fn node_eq(&self, other: &Self, cx: &mut EqCx) -> bool {
        (**self).node_eq(other, cx)
    }
    fn node_hash(&self, cx: &mut HashCx) {
        (**self).node_hash(cx);
    }
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

/// What a [`Var`] says of itself.
#[derive(Debug)]
pub struct VarNode {
    id: VarId,
    pub name: Arc<str>,
    pub struct_info: StructInfo,
    /// Visible only in its dataflow block.
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

    pub fn id(&self) -> VarId {
        self.0.id
    }
}

impl std::ops::Deref for Var {
    type Target = VarNode;
    fn deref(&self) -> &VarNode {
        &self.0
    }
}

impl PartialEq for Var {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}
impl Eq for Var {}
impl std::hash::Hash for Var {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}

impl IrNode for Var {
    fn visit_children(&self, visitor: &mut dyn Visitor) {
        visitor.visit(self);
    }
    fn map_children(&self, mapper: &mut dyn Mapper) -> Option<Self> {
        mapper.map(self)?.into_any().downcast::<Self>().ok().map(|v| *v)
    }
    fn node_eq(&self, other: &Self, cx: &mut EqCx) -> bool {
        match cx.variables(self.0.id, other.0.id) {
            Variables::Same => true,
            Variables::Different => cx.differ(),
            Variables::Bound => {
                self.0.dataflow == other.0.dataflow
                    && cx.contents(|cx| cx.field("struct_info", &self.0.struct_info, &other.0.struct_info))
            }
        }
    }
    fn node_hash(&self, cx: &mut HashCx) {
        if cx.variable(self.0.id) {
            cx.word(u64::from(self.0.dataflow));
            cx.contents(|cx| self.0.struct_info.node_hash(cx));
        }
    }
}

impl AnyHandle for Var {
    fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
    fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }
    fn visit_inside(&self, visitor: &mut dyn Visitor) {
        self.0.struct_info.visit_children(visitor);
    }
    /// A variable whose struct info changes is a new variable; a mapper meets each once and so replaces all uses alike.
    fn map_inside(&self, mapper: &mut dyn Mapper) -> Option<Box<dyn AnyHandle>> {
        let struct_info = self.0.struct_info.map_children(mapper)?;
        Some(Box::new(self.with_struct_info(struct_info)))
    }
    fn boxed(&self) -> Box<dyn AnyHandle> {
        Box::new(self.clone())
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// A function of the module, by name, with the signature that it had when this reference was made.
#[derive(Clone, Debug)]
pub struct GlobalVar {
    pub name: Arc<str>,
    pub signature: StructInfo,
}

impl IrNode for GlobalVar {
    fn visit_children(&self, _: &mut dyn Visitor) {}
    fn map_children(&self, _: &mut dyn Mapper) -> Option<Self> {
        None
    }
    /// Names are the identity of globals.
    fn node_eq(&self, other: &Self, cx: &mut EqCx) -> bool {
        self.name == other.name || cx.differ()
    }
    fn node_hash(&self, cx: &mut HashCx) {
        cx.bytes(self.name.as_bytes());
    }
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

ir_leaf! {
    Constant: |v, cx| {
        v.0.dtype().node_hash(cx);
        v.0.shape().to_vec().node_hash(cx);
        cx.bytes(v.0.as_bytes().unwrap_or_default());
    };
}

/// What a call calls.
#[derive(Clone, Debug, IrNode)]
pub enum Callee {
    /// An operator of the table.
    Op(OpRef),
    /// A PrimFunc of the module, in destination-passing style: the results, as the call's `sinfo_args` say, are
    /// allocated and passed behind the arguments (`R.call_tir`).
    Tir(GlobalVar),
    /// As `Tir`, but some results overwrite arguments, which nobody uses any more (`R.call_tir_inplace`): of each result
    /// the argument whose tensor it is, if it is one. The others are allocated.
    TirInplace { function: GlobalVar, results: Vec<Option<usize>> },
    /// A function registered with the runtime, in destination-passing style (`R.call_dps_packed`).
    DpsPacked(Arc<str>),
    /// A function registered with the runtime that returns its result, as `sinfo_args` say (`R.call_packed`).
    Packed(Arc<str>),
    /// A function value: a global of either level (a PrimFunc gets its destinations as arguments), or a variable.
    Value(Expr),
}

/// What a graph expression is.
#[derive(Clone, Debug, IrNode)]
pub enum ExprKind {
    Var(Var),
    GlobalVar(GlobalVar),
    /// A function registered with the runtime, as a value.
    ExternFunc(Arc<str>),
    Constant(Constant),
    Call {
        callee: Callee,
        args: Vec<Expr>,
        attrs: Attrs,
        /// What the caller says of the result: the destinations of `Tir` and `DpsPacked` (one, or several).
        sinfo_args: Vec<StructInfo>,
    },
    Tuple(Vec<Expr>),
    TupleGet {
        tuple: Expr,
        index: usize,
    },
    /// A shape as a value.
    Shape(Vec<scalar::Expr>),
    /// A scalar as a value.
    Prim(scalar::Expr),
    Str(Arc<str>),
    DType(DataType),
    If {
        condition: Expr,
        then: SeqExpr,
        otherwise: SeqExpr,
    },
    /// A function as a value (closure).
    Function(Box<Function>),
}

impl IrNode for Box<Function> {
    fn visit_children(&self, visitor: &mut dyn Visitor) {
        (**self).visit_children(visitor);
    }
    fn map_children(&self, mapper: &mut dyn Mapper) -> Option<Self> {
        (**self).map_children(mapper).map(Box::new)
    }
    fn node_eq(&self, other: &Self, cx: &mut EqCx) -> bool {
        (**self).node_eq(other, cx)
    }
    fn node_hash(&self, cx: &mut HashCx) {
        (**self).node_hash(cx);
    }
}

/// A graph expression with what is known of its value.
#[derive(Clone, Debug, IrNode)]
pub struct ExprNode {
    pub struct_info: StructInfo,
    pub kind: ExprKind,
}

ir_handle! {
    /// A graph expression: an immutable, shared [`ExprNode`]. Made by the constructors of [`crate::op`] and below.
    Expr => ExprNode, husk = ExprNode { struct_info: StructInfo::Object, kind: ExprKind::Tuple(Vec::new()) }
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

/// What a binding binds its variable to.
#[derive(Clone, Debug, IrNode)]
pub enum BindingValue {
    Expr(Expr),
    /// The value, checked at run time against the struct info; unbound symbolic dimensions in it are defined here.
    MatchCast {
        value: Expr,
        #[ir(define)]
        struct_info: StructInfo,
    },
}

/// `var = value`.
#[derive(Clone, Debug, IrNode)]
pub struct Binding {
    pub value: BindingValue,
    #[ir(bind)]
    pub var: Var,
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
    pub dataflow: bool,
    pub bindings: Vec<Binding>,
}

/// Blocks of bindings and a result.
#[derive(Clone, Debug, IrNode)]
pub struct SeqExpr {
    pub blocks: Vec<BindingBlock>,
    pub result: Expr,
}

/// A graph function.
#[derive(Clone, Debug, IrNode)]
pub struct Function {
    /// Unbound symbolic dimensions in their struct infos are defined by the arguments.
    #[ir(bind)]
    pub params: Vec<Var>,
    pub body: SeqExpr,
    pub ret: StructInfo,
    /// Has no side effects.
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
