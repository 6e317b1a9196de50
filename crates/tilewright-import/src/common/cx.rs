//! What rules build with: calls of graph operators.

use tilewright_ir::builder::BlockBuilder;
use tilewright_ir::node::FloatBits;
use tilewright_ir::op::{OpDef, OpRef};
use tilewright_ir::relax::{Expr, StructInfo};
use tilewright_ir::{Attr, Attrs};
use tilewright_tensor::DataType;

use super::value::{Refused, Res, Value};

/// A graph operator: the static of its declaration, such as `&nn::relu::OP`.
pub type Op = &'static OpDef;

/// Whether both are the same operator.
pub fn is(op: Op, other: Op) -> bool {
    OpRef(op) == OpRef(other)
}

/// The context of a rule.
#[derive(Debug)]
pub struct Cx<'a> {
    pub bb: &'a mut BlockBuilder,
}

/// The attribute of a value of Rust.
pub trait ToAttr {
    fn to_attr(self) -> Attr;
}

macro_rules! to_attr {
    ($($type:ty: |$value:ident| $attr:expr;)*) => {
        $(impl ToAttr for $type {
            fn to_attr(self) -> Attr {
                let $value = self;
                $attr
            }
        })*
    };
}

to_attr! {
    bool: |value| Attr::Bool(value);
    i64: |value| Attr::Int(value);
    f64: |value| Attr::Float(FloatBits(value));
    &str: |value| Attr::str(value);
    DataType: |value| Attr::DType(value);
    Vec<i64>: |value| Attr::Array(value.into_iter().map(Attr::Int).collect());
    Option<Vec<i64>>: |value| value.map_or(Attr::None, ToAttr::to_attr);
    Option<i64>: |value| value.map_or(Attr::None, Attr::Int);
}

/// Calls of operators.
impl Cx<'_> {
    /// A call of a graph operator.
    pub fn call<const N: usize>(&self, op: Op, args: &[&Expr], attrs: [(&str, Attr); N]) -> Res<Expr> {
        let attrs: Attrs = attrs.into_iter().map(|(name, value)| (name.into(), value)).collect();
        let args = args.iter().map(|arg| (*arg).clone()).collect();
        Ok(Expr::call_op(self.bb.infer_cx(), OpRef(op), args, attrs)?)
    }

    /// A call without attributes, as the result of a rule.
    pub fn op(&self, op: Op, args: &[&Expr]) -> Res {
        self.call(op, args, []).map(Value::Tensor)
    }

    /// The value bound to a variable, for values that are used more than once.
    pub fn emit(&mut self, value: Expr) -> Res<Expr> {
        match value.as_var() {
            Some(_) => Ok(value),
            None => Ok(Expr::var(&self.bb.emit(&value)?)),
        }
    }

    /// The fields of a call whose result is a tuple.
    pub fn fields(&mut self, tuple: Expr) -> Res<Vec<Value>> {
        let StructInfo::Tuple(infos) = &tuple.struct_info else { return Err(Refused::new("expected a tuple")) };
        let count = infos.len();
        let tuple = self.emit(tuple)?;
        (0..count).map(|index| Ok(Value::Tensor(Expr::tuple_get(tuple.clone(), index)?))).collect()
    }
}
