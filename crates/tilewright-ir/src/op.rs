//! Operators: their declarations as data, and the requirements on their calls. The constructors of calls are in
//! [`crate::calls`]; `attributes` has the attributes of a call, `gradient` the rules of differentiation.
//!
//! An [`OpDef`] is a static; the crate `tilewright-ops` holds the table. Script, builders, Python functions, the
//! reference page and the generated tests interpret the declaration; passes ask it for properties.

mod attributes;
mod gradient;

use std::fmt;

use tilewright_expr::ir_leaf;
use tilewright_expr::node::{HashCx, Input, Leaf, LoadError, Loader, Saver};
use tilewright_tensor::DataType;

use crate::legalize::{Candidate, LegalizeCx};
use crate::relax::{Expr, ExprKind, StructInfo, TensorShape, VDevice};
use crate::tir::PrimFunc;
use crate::{Attr, Attrs};

pub use crate::calls::{is_said_pure, tir_vars};
pub use crate::infer::{EqualSizes, InferCx};
pub use crate::matching::{DimBindings, check_against, substitute_dims};
pub(crate) use attributes::complete_attrs;
pub use attributes::{AttrDef, AttrDefault, AttrKind};
pub use gradient::{Adjoint, Gradient, Partials};

/// The kinds of arguments of an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgKind {
    Tensor,
    /// A tensor, or a scalar, which is as a tensor without dimensions.
    Operand,
    /// A tensor, or nothing (an empty tuple).
    OptionalTensor,
    /// A shape value.
    Shape,
    /// A shape value, or nothing (an empty tuple).
    OptionalShape,
    /// The shape of the result, in which the caller may write -1 and 0 for dimensions that the operator works out. The
    /// call that is made holds the dimensions themselves.
    ResultShape,
    Tuple,
    /// A tuple, or nothing (an empty tuple).
    OptionalTuple,
    /// A scalar value.
    Scalar,
    /// A scalar value, or nothing (an empty tuple).
    OptionalScalar,
    /// A function value, or an object that may be one.
    Function,
    /// A scalar bool: a tensor without dimensions, or a scalar.
    Condition,
    /// Anything.
    Value,
    /// Any number of anything; only the last argument.
    Values,
}

impl ArgKind {
    /// Whether the caller may leave it out.
    pub fn is_optional(self) -> bool {
        match self {
            Self::OptionalTensor | Self::OptionalShape | Self::OptionalTuple | Self::OptionalScalar | Self::Values => {
                true
            }
            Self::Tensor
            | Self::Operand
            | Self::Shape
            | Self::ResultShape
            | Self::Tuple
            | Self::Scalar
            | Self::Function
            | Self::Condition
            | Self::Value => false,
        }
    }

    /// The description in messages.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Tensor | Self::Operand | Self::OptionalTensor => "a tensor",
            Self::Shape | Self::OptionalShape | Self::ResultShape => "a shape",
            Self::Tuple | Self::OptionalTuple => "a tuple",
            Self::Scalar | Self::OptionalScalar => "a scalar",
            Self::Function => "a function",
            Self::Condition => "a scalar bool",
            Self::Value | Self::Values => "a value",
        }
    }

    fn takes(self, info: &StructInfo) -> bool {
        match (self, info) {
            (Self::Tensor | Self::OptionalTensor, StructInfo::Tensor { .. })
            | (Self::Operand, StructInfo::Tensor { .. } | StructInfo::Prim { .. })
            | (Self::Shape | Self::OptionalShape | Self::ResultShape, StructInfo::Shape(_))
            | (Self::Tuple | Self::OptionalTuple, StructInfo::Tuple(_))
            | (Self::Scalar | Self::OptionalScalar, StructInfo::Prim { .. })
            | (Self::Function, StructInfo::Func { .. } | StructInfo::Object)
            | (Self::Value | Self::Values, _) => true,
            (Self::OptionalTensor | Self::OptionalShape | Self::OptionalScalar, StructInfo::Tuple(fields)) => {
                fields.is_empty()
            }
            (Self::Condition, StructInfo::Tensor { .. } | StructInfo::Prim { .. }) => {
                info.dtype().is_none_or(|dtype| dtype.is_bool()) && info.rank().unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

/// An argument of an operator.
#[derive(Clone, Copy, Debug)]
pub struct ArgDef {
    pub name: &'static str,
    pub kind: ArgKind,
    pub doc: &'static str,
}

/// How an operator's loops combine with others'. The order is the order of generality.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fusion {
    /// Element by element.
    Elementwise,
    /// Element by element, with dimensions repeated.
    Broadcast,
    /// Each result element from one input element.
    Injective,
    /// A reduction.
    Reduction,
    /// A product or convolution: elementwise work may follow it.
    OutElementwise,
    Opaque,
}

impl Fusion {
    /// The kind, as the reference says it.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Elementwise => "elementwise",
            Self::Broadcast => "broadcast",
            Self::Injective => "injective",
            Self::Reduction => "reduction",
            Self::OutElementwise => "elementwise work may follow",
            Self::Opaque => "opaque",
        }
    }
}

/// How an operator becomes loops.
#[derive(Clone, Copy, Debug)]
pub enum Legalize {
    /// A PrimFunc that computes the call; its parameters are the call's tensor arguments in order, then the results.
    PrimFunc(fn(&OpCall<'_>) -> Result<PrimFunc, InferError>),
    /// As [`Legalize::PrimFunc`], by the first candidate whose needs the machine meets.
    FirstOf(&'static [Candidate]),
    /// The virtual machine does it itself.
    Machine(MachineOp),
}

impl Legalize {
    /// Whether calls become PrimFuncs.
    pub fn is_prim_func(self) -> bool {
        match self {
            Self::PrimFunc(_) | Self::FirstOf(_) => true,
            Self::Machine(_) => false,
        }
    }

    /// The PrimFunc that a call becomes.
    pub fn prim_func(self, cx: &LegalizeCx, call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
        let refused = |why: &str| InferError::new(format!("`{}` {why}", call.op.name));
        (call.op.infer)(&InferCx::for_loops(), call)?;
        match self {
            Self::PrimFunc(legalize) => legalize(call),
            Self::FirstOf(candidates) => {
                let fits = |candidate: &&Candidate| candidate.needs.are_met_by(&cx.capabilities);
                let found = candidates.iter().find(fits);
                (found.ok_or_else(|| refused("has no algorithm for this machine"))?.legalize)(cx, call)
            }
            Self::Machine(_) => Err(refused("is run by the virtual machine itself")),
        }
    }

    /// Whether the result lies in the memory of the first argument.
    pub fn is_view(self) -> bool {
        matches!(self, Self::Machine(machine) if machine.is_view())
    }
}

/// The instructions of the virtual machine for operators that have one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MachineOp {
    /// `(shape)`, attribute `dtype`: a tensor of its own memory, which may leave the function.
    AllocTensor,
    /// Attribute `bytes`: a piece of the function's arena.
    AllocStorage,
    /// `(storage, shape)`, attributes `offset` (bytes) and `dtype`: a tensor inside a storage.
    TensorInStorage,
    /// `(value)`: the value is not used any more.
    Kill,
    /// `(value)`: the value itself.
    Same,
    /// `(function, tuple)`: the function with these last arguments given.
    Closure,
    /// `(function, arguments)`: a PrimFunc on the tensors and scalars of a tuple, and on the dimensions of a shape that
    /// ends it.
    CallPrimFunc,
    /// A function of the runtime that gets the values of the attributes in the order of their declaration, then the
    /// arguments.
    Builtin(Builtin),
}

/// Functions that every runtime has. Their arguments are those of the operators that name them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    ShapeOf,
    ShapeToTensor,
    TensorToShape,
    NullValue,
    Print,
    Assert,
    View,
    AllocStorage,
    AllocTensor,
    /// Dimensions against numbers and into a heap of them.
    MatchShape,
    /// A scalar, likewise.
    MatchPrimValue,
    /// A shape of numbers in a heap.
    MakeShape,
    /// A scalar, likewise.
    MakePrimValue,
    Unique,
    Nonzero,
    DynamicStridedSlice,
    TensorStride,
    TensorByteOffset,
    TensorElemOffset,
    TensorDim,
    TensorRank,
    TensorTypeCode,
    TensorTypeBits,
    TensorTypeLanes,
    /// An object that represents the machine that runs the program.
    Context,
    /// The element of a tensor of one element, as a scalar: how the value of a PrimFunc's `T.ret` is read.
    Item,
}

/// What a function does with the elements of the tensors that it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touches {
    Nothing,
    Reads,
    Writes,
}

impl Builtin {
    /// What the function does with the elements of its arguments, which lie on the host if it does anything.
    pub fn touches(self) -> Touches {
        match self {
            Self::ShapeOf
            | Self::ShapeToTensor
            | Self::NullValue
            | Self::View
            | Self::AllocStorage
            | Self::AllocTensor
            | Self::TensorStride
            | Self::TensorByteOffset
            | Self::TensorElemOffset
            | Self::TensorDim
            | Self::TensorRank
            | Self::TensorTypeCode
            | Self::TensorTypeBits
            | Self::TensorTypeLanes
            | Self::Context => Touches::Nothing,
            Self::TensorToShape
            | Self::Print
            | Self::Assert
            | Self::MakeShape
            | Self::MakePrimValue
            | Self::Item
            | Self::Unique
            | Self::Nonzero
            | Self::DynamicStridedSlice => Touches::Reads,
            Self::MatchShape | Self::MatchPrimValue => Touches::Writes,
        }
    }

    /// The name under which the runtime has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ShapeOf => "vm.builtin.shape_of",
            Self::ShapeToTensor => "relax.run.shape_to_tensor",
            Self::TensorToShape => "vm.builtin.tensor_to_shape",
            Self::NullValue => "vm.builtin.null_value",
            Self::Print => "relax.run.print",
            Self::Assert => "relax.run.assert_op",
            Self::View => "vm.builtin.view",
            Self::AllocStorage => "vm.builtin.alloc_storage",
            Self::AllocTensor => "vm.builtin.alloc_tensor",
            Self::MatchShape => "vm.builtin.match_shape",
            Self::MatchPrimValue => "vm.builtin.match_prim_value",
            Self::MakeShape => "vm.builtin.make_shape",
            Self::MakePrimValue => "vm.builtin.make_prim_value",
            Self::Unique => "relax.run.unique",
            Self::Nonzero => "relax.run.nonzero",
            Self::DynamicStridedSlice => "relax.run.dynamic_strided_slice",
            Self::TensorStride => "relax.run.tensor_stride_i",
            Self::TensorByteOffset => "relax.run.tensor_byte_offset",
            Self::TensorElemOffset => "relax.run.tensor_elem_offset",
            Self::TensorDim => "relax.run.tensor_shape_i",
            Self::TensorRank => "relax.run.tensor_ndim",
            Self::TensorTypeCode => "relax.run.tensor_dtype_code",
            Self::TensorTypeBits => "relax.run.tensor_dtype_bits",
            Self::TensorTypeLanes => "relax.run.tensor_dtype_lanes",
            Self::Context => "vm.builtin.context",
            Self::Item => "relax.run.item",
        }
    }
}

impl MachineOp {
    /// Whether what it gives lies in the memory of its first argument.
    pub fn is_view(self) -> bool {
        match self {
            Self::Same | Self::Builtin(Builtin::View) => true,
            Self::AllocTensor
            | Self::AllocStorage
            | Self::TensorInStorage
            | Self::Kill
            | Self::Closure
            | Self::CallPrimFunc
            | Self::Builtin(_) => false,
        }
    }

    /// Whether it works on the function's own memory, and so may occur in a function without side effects.
    pub fn is_of_memory(self) -> bool {
        match self {
            Self::AllocTensor
            | Self::AllocStorage
            | Self::TensorInStorage
            | Self::Kill
            | Self::Builtin(
                Builtin::AllocStorage | Builtin::AllocTensor | Builtin::MatchShape | Builtin::MatchPrimValue,
            ) => true,
            Self::Same | Self::Closure | Self::CallPrimFunc | Self::Builtin(_) => false,
        }
    }
}

/// Properties of an operator that passes ask for.
#[derive(Clone, Copy, Debug)]
pub struct Properties {
    /// Has no side effect: may be in a dataflow block, be reordered and dropped.
    pub pure: bool,
    pub fusion: Fusion,
}

/// The declaration of an operator.
#[derive(Debug)]
pub struct OpDef {
    /// The name after `R.`, such as `nn.relu`.
    pub name: &'static str,
    pub doc: &'static str,
    pub args: &'static [ArgDef],
    pub attrs: &'static [AttrDef],
    pub infer: fn(&InferCx, &OpCall<'_>) -> Result<StructInfo, InferError>,
    pub legalize: Legalize,
    pub properties: Properties,
    /// The names of its function and of the function's block, where they are no plain ones.
    pub loops: Option<LoopNames>,
    /// The operands of which the first that is a constant without dimensions becomes a number of the loops.
    pub numbers: &'static [usize],
    /// How calls are expressed by simpler operators, for those that passes may look through.
    pub decompose: Option<Decompose>,
    /// How gradients are propagated through a call; operators without a rule are not differentiated.
    pub gradient: Option<Gradient>,
    /// How it takes operands in another layout, if [`OpDef::layouts`] does not tell by itself.
    pub layouts: Option<Layouts>,
    /// An alternative order of positional arguments and attributes.
    pub other_order: Option<OtherOrder>,
}

/// The names of the loops that an operator becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoopNames {
    pub function: &'static str,
    pub block: &'static str,
}

/// Another order of an operator's arguments and attributes, recognised by a positional argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtherOrder {
    /// The position of the argument that decides.
    pub position: usize,
    /// Whether it is a number in this order, which it is not in the operator's own; or the other way round.
    pub is_number: bool,
    /// The names in order. What the operator has no name for has to say what holds anyway.
    pub names: &'static [&'static str],
}

/// The adaptation of a call whose operands are in another layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layouts {
    /// It takes them in the order that they were written in.
    Fixed,
    /// It works element by element: in any order that all operands share, which is that of the result.
    Shared,
    /// Attributes name the orders, as texts such as `NCHW`: those of the first operands, and that of the result.
    Named { operands: &'static [&'static str], result: &'static str },
    /// Attributes number dimensions of the first operand, or of each of a tuple; what has as many dimensions in the
    /// result has its order. Other operands stay.
    Numbered(&'static [&'static str]),
    /// The attribute numbers dimensions of the operand that the result lacks, unless an attribute `keepdims` is true;
    /// `None` there means all.
    Dropped(&'static str),
}

/// The treatment of an operator's float32 operands in a graph that uses float16.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    /// They are worth narrowing: products and convolutions, whose sums have a type of their own.
    Narrow,
    /// They are narrow where what computes them is.
    Follow,
    /// They stay wide: sums of many elements, and what is not known to bear less.
    Wide,
}

impl OpDef {
    /// Whether a function that calls it has side effects. A new tensor is none: nobody else sees its memory.
    pub fn has_effect(&self) -> bool {
        !self.properties.pure && !matches!(self.legalize, Legalize::Machine(MachineOp::AllocTensor))
    }

    /// The attribute of operators that sum products in a type of its own.
    pub const OUT_DTYPE: &str = "out_dtype";

    /// The name of the function that it becomes.
    pub fn function_name(&self) -> &'static str {
        self.loops.map_or_else(|| self.name.rsplit('.').next().unwrap_or(self.name), |loops| loops.function)
    }

    /// The base name of the blocks and buffers of that function.
    pub fn block_name(&self) -> String {
        match self.loops {
            Some(loops) => loops.block.to_owned(),
            None => format!("T_{}", self.name.rsplit('.').next().unwrap_or(self.name)),
        }
    }

    /// How the operator takes part in mixed precision.
    pub fn precision(&self) -> Precision {
        let sums_apart = self.attrs.iter().any(|attr| attr.name == Self::OUT_DTYPE);
        match self.properties.fusion {
            Fusion::OutElementwise if sums_apart => Precision::Narrow,
            Fusion::Elementwise | Fusion::Broadcast | Fusion::Injective | Fusion::OutElementwise => Precision::Follow,
            Fusion::Reduction | Fusion::Opaque => Precision::Wide,
        }
    }

    /// How the operator takes operands in another layout.
    pub fn layouts(&self) -> Layouts {
        self.layouts.unwrap_or(match self.properties.fusion {
            Fusion::Elementwise | Fusion::Broadcast => Layouts::Shared,
            Fusion::Injective | Fusion::Reduction | Fusion::OutElementwise | Fusion::Opaque => Layouts::Fixed,
        })
    }
}

/// The purpose of a decomposition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The machine runs it: the call keeps its meaning.
    Run,
    /// A user asks for a graph for inference, whatever the call was made for.
    Inference,
    Training,
}

/// The calls that compute what the call does; nothing where this purpose keeps it, or where too little is known of its
/// operands. The operands are variables or constants.
pub type Decompose = fn(&InferCx, &OpCall<'_>, Purpose) -> Result<Option<Expr>, InferError>;

/// A reference to an operator of the table; equal by name.
#[derive(Clone, Copy, Debug)]
pub struct OpRef(pub &'static OpDef);

impl std::ops::Deref for OpRef {
    type Target = OpDef;
    fn deref(&self) -> &OpDef {
        self.0
    }
}

impl PartialEq for OpRef {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}
impl Eq for OpRef {}

impl Leaf for OpRef {
    fn feed(&self, cx: &mut HashCx) {
        cx.bytes(self.0.name.as_bytes());
    }
    fn save(&self, out: &mut Saver) {
        out.text(self.0.name);
    }
    fn load(input: Input<'_>, cx: &mut Loader<'_>) -> Result<Self, LoadError> {
        let name = input.text()?;
        let known = cx.environment::<OpTable>().and_then(|table| (table.0)(&name));
        known.map_or_else(|| input.fail(format!("unknown operator `{name}`")), Ok)
    }
}

ir_leaf!(OpRef);

/// How loading finds operators by their names without `R.`.
#[derive(Clone, Copy, Debug)]
pub struct OpTable(pub fn(&str) -> Option<OpRef>);

/// A call that is being typed or legalised: arguments are typed, attributes complete.
#[derive(Clone, Copy, Debug)]
pub struct OpCall<'a> {
    pub op: OpRef,
    pub args: &'a [Expr],
    pub attrs: &'a Attrs,
}

/// The call is wrong; `arg` is the argument to underline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InferError {
    pub message: String,
    pub arg: Option<usize>,
}

impl InferError {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), arg: None }
    }

    pub fn at(arg: usize, message: impl Into<String>) -> Self {
        Self { message: message.into(), arg: Some(arg) }
    }
}

impl fmt::Display for InferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for InferError {}

impl OpCall<'_> {
    /// The known shape and element type of a tensor argument.
    pub fn tensor(&self, arg: usize) -> Result<(&TensorShape, Option<DataType>), InferError> {
        match self.args.get(arg).map(|a| &a.struct_info) {
            Some(StructInfo::Tensor { shape, dtype, .. }) => Ok((shape, *dtype)),
            other => Err(InferError::at(arg, format!("expected a tensor, found {}", describe(other)))),
        }
    }

    /// The known shape and element type of an argument that is a tensor or a scalar: a scalar has no dimensions.
    pub fn operand(&self, arg: usize) -> Result<(&TensorShape, Option<DataType>), InferError> {
        const WITHOUT_DIMENSIONS: &TensorShape = &TensorShape::Known(Vec::new());
        match self.args.get(arg).map(|a| &a.struct_info) {
            Some(StructInfo::Prim { dtype, .. }) => Ok((WITHOUT_DIMENSIONS, Some(*dtype))),
            _ => self.tensor(arg),
        }
    }

    pub fn attr(&self, name: &str) -> Option<&Attr> {
        self.attrs.get(name)
    }

    /// The tensors among the arguments in order, with the fields of tuples: the arguments of the PrimFunc of a
    /// legalisation.
    pub fn tensors(&self) -> Result<Vec<Expr>, InferError> {
        let mut tensors = Vec::new();
        for arg in self.args {
            match (&arg.struct_info, &arg.kind) {
                (StructInfo::Tensor { .. }, _) => tensors.push(arg.clone()),
                (StructInfo::Tuple(_), ExprKind::Tuple(fields)) => tensors.extend(fields.iter().cloned()),
                (StructInfo::Tuple(infos), _) => {
                    for index in 0..infos.len() {
                        tensors.push(Expr::tuple_get(arg.clone(), index)?);
                    }
                }
                _ => {}
            }
        }
        tensors.retain(|value| matches!(value.struct_info, StructInfo::Tensor { .. }));
        Ok(tensors)
    }
}

/// A struct info in words, for messages.
pub fn describe(info: Option<&StructInfo>) -> &'static str {
    match info {
        None => "nothing",
        Some(StructInfo::Object) => "an object",
        Some(StructInfo::Prim { .. }) => "a scalar",
        Some(StructInfo::Shape(_)) => "a shape",
        Some(StructInfo::Tensor { .. }) => "a tensor",
        Some(StructInfo::Tuple(_)) => "a tuple",
        Some(StructInfo::Func { .. }) => "a function",
    }
}

pub(crate) fn check_args(op: OpRef, args: &[Expr]) -> Result<(), InferError> {
    let open = op.args.last().is_some_and(|last| last.kind == ArgKind::Values);
    let least = op.args.len() - usize::from(open);
    if args.len() < least || (args.len() > least && !open) {
        let names: Vec<_> = op.args.iter().map(|a| a.name).collect();
        return Err(InferError::new(format!(
            "`{}` takes {} arguments ({}), found {}",
            op.name,
            op.args.len(),
            names.join(", "),
            args.len()
        )));
    }
    for (i, (def, arg)) in op.args.iter().zip(args).enumerate() {
        if !def.kind.takes(&arg.struct_info) {
            let expected = def.kind.in_words();
            let found = describe(Some(&arg.struct_info));
            return Err(InferError::at(
                i,
                format!("argument `{}` of `{}` must be {expected}, found {found}", def.name, op.name),
            ));
        }
    }
    Ok(())
}

/// The arguments with -1 and 0 replaced by dimensions of the result, see [`ArgKind::ResultShape`].
pub(crate) fn resolve_shapes(op: OpRef, args: &mut [Expr], result: &StructInfo) -> Result<(), InferError> {
    let open = |dim: &tilewright_expr::Expr| dim.as_int().is_some_and(|dim| dim <= 0);
    for (i, (def, arg)) in op.args.iter().zip(args).enumerate() {
        if let (ArgKind::ResultShape, ExprKind::Shape(dims)) = (def.kind, &arg.kind)
            && dims.iter().any(open)
        {
            let Some(dims) = result.dims() else {
                let message = format!("-1 and 0 in `{}` of `{}` need a tensor of known shape", def.name, op.name);
                return Err(InferError::at(i, message));
            };
            *arg = Expr::shape(dims.to_vec());
        }
    }
    Ok(())
}

/// The device of all arguments of a call that say one: the result lies there too, unless its rule says where.
pub(crate) fn common_device(op: OpRef, args: &[Expr]) -> Result<Option<&VDevice>, InferError> {
    let mut found: Option<(usize, &VDevice)> = None;
    let devices = args.iter().enumerate().flat_map(|(i, arg)| {
        let fields = match &arg.struct_info {
            StructInfo::Tuple(fields) => fields.as_slice(),
            one => std::slice::from_ref(one),
        };
        fields.iter().filter_map(move |info| Some((i, info.vdevice()?)))
    });
    for (i, device) in devices {
        match found {
            Some((_, first)) if first != device => {
                let message = format!("the arguments of `{}` lie on different devices: {first}; {device}", op.name);
                return Err(InferError::at(i, message));
            }
            _ => found = Some((i, device)),
        }
    }
    Ok(found.map(|(_, device)| device))
}
