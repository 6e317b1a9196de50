//! The form of a declaration.
//!
//! [`op!`] is used once in an op's file and defines two items: `OP`, the static [`OpDef`](tilewright_ir::op::OpDef)
//! that everything interprets, and `call`, a thin typed view of it for Rust. [`unary!`] and [`binary!`] make a module
//! with both of each of their lines, and the family's list.

/// The Rust type in which an attribute of a kind is given to `call`.
macro_rules! attr_type {
    (Bool) => { bool };
    (Int) => { i64 };
    (OptionalInt) => { Option<i64> };
    (IntOrInts) => { ::tilewright_ir::Attr };
    (Float) => { f64 };
    (OptionalFloat) => { Option<f64> };
    (Str) => { &str };
    (OptionalStr) => { Option<&str> };
    (DType) => { ::tilewright_tensor::DataType };
    (Ints) => { &[i64] };
    (OptionalInts) => { Option<&[i64]> };
    (Each) => { &[i64] };
    (OptionalEach) => { Option<&[i64]> };
    (Sides) => { &[i64] };
    (Floats) => { &[f64] };
    (IndexMap) => { ::tilewright_ir::IndexMap };
    (VDevice) => { &::tilewright_ir::relax::VDevice };
}

/// The Rust type in which an argument of a kind is given to `call`.
macro_rules! arg_type {
    (Values) => { Vec<::tilewright_ir::relax::Expr> };
    ($kind:ident) => { ::tilewright_ir::relax::Expr };
}

/// The arguments of the op that one argument of `call` provides.
macro_rules! arg_values {
    (Values, $value:expr) => {
        $value
    };
    ($kind:ident, $value:expr) => {
        vec![$value]
    };
}

/// The attribute's value as data.
macro_rules! attr_value {
    (Bool, $value:expr) => {
        ::tilewright_ir::Attr::Bool($value)
    };
    (Int, $value:expr) => {
        ::tilewright_ir::Attr::Int($value)
    };
    (OptionalInt, $value:expr) => {
        $value.map_or(::tilewright_ir::Attr::None, ::tilewright_ir::Attr::Int)
    };
    (IntOrInts, $value:expr) => {
        $value
    };
    (Float, $value:expr) => {
        ::tilewright_ir::Attr::Float(::tilewright_ir::node::FloatBits($value))
    };
    (OptionalFloat, $value:expr) => {
        $value.map_or(::tilewright_ir::Attr::None, |number| attr_value!(Float, number))
    };
    (Str, $value:expr) => {
        ::tilewright_ir::Attr::str($value)
    };
    (OptionalStr, $value:expr) => {
        $value.map_or(::tilewright_ir::Attr::None, ::tilewright_ir::Attr::str)
    };
    (DType, $value:expr) => {
        ::tilewright_ir::Attr::DType($value)
    };
    (Ints, $value:expr) => {
        ::tilewright_ir::Attr::Array($value.iter().map(|&v| ::tilewright_ir::Attr::Int(v)).collect())
    };
    (IndexMap, $value:expr) => {
        ::tilewright_ir::Attr::IndexMap($value)
    };
    (VDevice, $value:expr) => {
        $value.to_attr()
    };
    (OptionalInts, $value:expr) => {
        $value.map_or(::tilewright_ir::Attr::None, |ints| attr_value!(Ints, ints))
    };
    (Each, $value:expr) => {
        attr_value!(Ints, $value)
    };
    (Sides, $value:expr) => {
        attr_value!(Ints, $value)
    };
    (OptionalEach, $value:expr) => {
        attr_value!(OptionalInts, $value)
    };
    (Floats, $value:expr) => {
        ::tilewright_ir::Attr::Array(
            $value.iter().map(|&v| ::tilewright_ir::Attr::Float(::tilewright_ir::node::FloatBits(v))).collect(),
        )
    };
}

/// Declares an op:
///
/// ```text
/// op! {
/// The documentation, in whole sentences.
///     "family.name" {
///         args: { x: Tensor, "What it is." }
///         attrs: { axis: Int = AttrDefault::Int(-1), "What it does." }
///         infer: |cx, call| …,
///         legalize: Legalize::PrimFunc(…),
///         properties: Properties { pure: true, fusion: Fusion::Injective },
///         loops: "function", "block", // the names of its PrimFunc and of its blocks, see `OpDef::loops`
///         numbers: &[1], // the operands of which constants are numbers of the loops, see `OpDef::numbers`
///         decompose: |cx, call, purpose| …, // where there is one
///         gradient: |cx, call, adjoint| …, // where it is differentiated, see `crate::gradient`
///         layouts: Layouts::Numbered(&["axis"]), // where the fusion does not tell, see `OpDef::layouts`
///         other_order: OtherOrder { … }, // where programs order arguments otherwise
///     }
/// }
/// ```
macro_rules! op {
    (@list) => { &[] };
    (@list $value:expr) => { $value };
    (@given) => { None };
    (@given $value:expr) => { Some($value) };
    (
        $(#[doc = $doc:literal])+
        $name:literal {
            args: { $($arg:ident: $arg_kind:ident, $arg_doc:literal;)* }
            attrs: { $($attr:ident: $attr_kind:ident $(($count:literal))? = $default:expr, $attr_doc:literal;)* }
            infer: $infer:expr,
            legalize: $legalize:expr,
            properties: $properties:expr
            $(, loops: $function:expr, $block:expr)?
            $(, numbers: $numbers:expr)?
            $(, decompose: $decompose:expr)?
            $(, gradient: $gradient:expr)?
            $(, layouts: $layouts:expr)?
            $(, other_order: $other_order:expr)? $(,)?
        }
    ) => {
        $(#[doc = $doc])+
        pub static OP: ::tilewright_ir::op::OpDef = ::tilewright_ir::op::OpDef {
            name: $name,
            doc: concat!($($doc, "\n"),+),
            args: &[$(::tilewright_ir::op::ArgDef {
                name: stringify!($arg),
                kind: ::tilewright_ir::op::ArgKind::$arg_kind,
                doc: $arg_doc,
            }),*],
            attrs: &[$(::tilewright_ir::op::AttrDef {
                name: stringify!($attr),
                kind: ::tilewright_ir::op::AttrKind::$attr_kind $(($count))?,
                default: $default,
                doc: $attr_doc,
            }),*],
            infer: $infer,
            legalize: $legalize,
            properties: $properties,
            loops: op!(@given $(::tilewright_ir::op::LoopNames { function: $function, block: $block })?),
            numbers: op!(@list $($numbers)?),
            decompose: op!(@given $($decompose)?),
            gradient: op!(@given $($gradient)?),
            layouts: op!(@given $($layouts)?),
            other_order: op!(@given $($other_order)?),
        };

        $(#[doc = $doc])+
        pub fn call(
            cx: &::tilewright_ir::op::InferCx,
            $($arg: arg_type!($arg_kind),)*
            $($attr: attr_type!($attr_kind),)*
        ) -> Result<::tilewright_ir::relax::Expr, ::tilewright_ir::op::InferError> {
            let attrs = ::tilewright_ir::Attrs::from([$((stringify!($attr).into(), attr_value!($attr_kind, $attr))),*]);
            let args: Vec<Vec<::tilewright_ir::relax::Expr>> = vec![$(arg_values!($arg_kind, $arg)),*];
            ::tilewright_ir::relax::Expr::call_op(cx, ::tilewright_ir::op::OpRef(&OP), args.concat(), attrs)
        }
    };
}

/// Declares ops of one tensor, element by element, a line each: name, element types, type of the result (`Same` or
/// `Bool`), formula of an element; where it is differentiated, the gradient of its operand from that of its result, the
/// operand and the result.
macro_rules! unary {
    (@loops $name:literal) => { "compute" };
    (@loops $name:literal $block:literal) => { $block };
    ($(
        $(#[doc = $doc:literal])+
        $module:ident $name:literal $function:literal $($block:literal)?: $takes:ident -> $gives:ident,
        |$x:ident| $formula:expr $(, gradient |$grad:ident, $of:ident, $result:ident| $gradient:expr)?;
    )*) => {
        $(
            $(#[doc = $doc])+
            pub mod $module {
                op! {
                    $(#[doc = $doc])+
                    $name {
                        args: { x: Tensor, "The input tensor."; }
                        attrs: {}
                        infer: |cx, call| {
                            let gives = $crate::elementwise::Gives::$gives;
                            $crate::elementwise::infer_unary(cx, call, $crate::elementwise::$takes, gives)
                        },
                        legalize: ::tilewright_ir::op::Legalize::PrimFunc(|call| {
                            $crate::elementwise::legalize_unary(call, |$x| $formula)
                        }),
                        properties: ::tilewright_ir::op::Properties {
                            pure: true,
                            fusion: ::tilewright_ir::op::Fusion::Elementwise,
                        },
                        loops: $function, unary!(@loops $name $($block)?)
                        $(, gradient: |cx, call, adjoint| {
                            $crate::gradient::unary(cx, call, adjoint, |$grad, $of, $result| $gradient)
                        })?
                    }
                }
            }
        )*

        /// The ops of this list.
        pub const ELEMENTWISE: &[&::tilewright_ir::op::OpDef] = &[$(&$module::OP),*];
    };
}

/// Declares ops of two tensors that broadcast, element by element, a line each: name, element types, type of the
/// result (`Same` or `Bool`), formula of an element; where it is differentiated, the gradients of both operands from
/// that of the result, the operands and the result.
macro_rules! binary {
    ($(
        $(#[doc = $doc:literal])+
        $module:ident $name:literal: $takes:ident -> $gives:ident, |$a:ident, $b:ident| $formula:expr
        $(, gradient |$grad:ident, $left:ident, $right:ident, $result:ident| $gradient:expr)?;
    )*) => {
        $(
            $(#[doc = $doc])+
            pub mod $module {
                op! {
                    $(#[doc = $doc])+
                    $name {
                        args: {
                            x1: Operand, "The first operand.";
                            x2: Operand, "The second operand; the shapes broadcast.";
                        }
                        attrs: {}
                        infer: |cx, call| {
                            let gives = $crate::elementwise::Gives::$gives;
                            $crate::elementwise::infer_binary(cx, call, $crate::elementwise::$takes, gives)
                        },
                        legalize: ::tilewright_ir::op::Legalize::PrimFunc(|call| {
                            $crate::elementwise::legalize_binary(call, |$a, $b| $formula)
                        }),
                        properties: ::tilewright_ir::op::Properties {
                            pure: true,
                            fusion: ::tilewright_ir::op::Fusion::Broadcast,
                        },
                        numbers: &[1, 0]
                        $(, gradient: |cx, call, adjoint| {
                            $crate::gradient::binary(cx, call, adjoint, |$grad, $left, $right, $result| $gradient)
                        })?
                    }
                }
            }
        )*

        /// The ops of this list.
        pub const ELEMENTWISE: &[&::tilewright_ir::op::OpDef] = &[$(&$module::OP),*];
    };
}

/// The family of a folder: one line for each op declares its file and puts it into the family's list, in the order of
/// the reference page. (`cargo fmt` does not follow modules that a macro declares: `make fmt` names the files to
/// `rustfmt`.)
macro_rules! family {
    ($($op:ident,)*) => {
        $(pub mod $op;)*

        /// The family, in the order of the reference page.
        pub const OPS: &[&::tilewright_ir::op::OpDef] = &[$(&$op::OP),*];
    };
}
