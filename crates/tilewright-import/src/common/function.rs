//! The function that a graph becomes: its parameters, and what it gives.

use tilewright_expr as scalar;
use tilewright_ir::builder::BlockBuilder;
use tilewright_ir::relax::{Constant, Expr, StructInfo, Var};
use tilewright_ir::tir::attr_names::GLOBAL_SYMBOL;
use tilewright_ir::{Attr, Attrs};
use tilewright_ops::system::null_value;
use tilewright_support::{Map, OrderedMap};
use tilewright_tensor::{DataType, Tensor};

use super::cx::Cx;
use super::value::{Refused, Res, Value};

/// What a caller of the model gives.
#[derive(Clone, Debug)]
pub struct Input {
    /// The name under which operations mean it.
    pub name: String,
    pub info: StructInfo,
}

/// How the function is made.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The tensors of the model of these names become parameters of the function, after its inputs, and their values
    /// the attribute `params`; all others become constants.
    pub params_as_input: Vec<String>,
    /// A result that is a tuple of one is that one.
    pub unwrap_unit_return_tuple: bool,
    /// The fields of a result that is a tuple are outputs each, and no variable holds the tuple.
    pub no_bind_return_tuple: bool,
}

/// What the operations of a function may use.
#[derive(Debug)]
pub struct Begun<'a> {
    /// The values of the inputs, in order.
    pub inputs: Vec<Value>,
    /// The tensors of the model, by name.
    pub parameters: Map<&'a str, Expr>,
}

/// Begins the function `main` of a model with these tensors, and its dataflow block.
pub fn begin<'a>(
    bb: &mut BlockBuilder,
    inputs: &[Input],
    parameters: &'a OrderedMap<String, Tensor>,
    options: &Options,
) -> Res<Begun<'a>> {
    let mut vars: Vec<Var> = inputs.iter().map(|input| Var::new(&*input.name, input.info.clone())).collect();
    let inputs: Vec<Value> = vars.iter().map(|var| Value::Tensor(Expr::var(var))).collect();
    let value = |(name, tensor): (&'a String, &Tensor)| {
        let value = match options.params_as_input.contains(name) {
            true => Expr::var(&Var::new(name.replace('.', "_"), StructInfo::of_tensor(tensor))),
            false => Expr::constant(tensor.clone()),
        };
        (&**name, value)
    };
    let tensors: Map<&str, Expr> = parameters.iter().map(value).collect();
    let as_input = options.params_as_input.iter().filter_map(|name| tensors.get(&**name));
    vars.extend(as_input.filter_map(|value| value.as_var().cloned()));
    bb.begin_function_with("main", vars, attributes(inputs.len(), parameters, options), true);
    bb.begin_dataflow()?;
    Ok(Begun { inputs, parameters: tensors })
}

fn attributes(inputs: usize, parameters: &OrderedMap<String, Tensor>, options: &Options) -> Attrs {
    let mut attrs = Attrs::from([(GLOBAL_SYMBOL.into(), Attr::str("main"))]);
    if !options.params_as_input.is_empty() {
        let tensors = options.params_as_input.iter().filter_map(|name| parameters.get(name));
        let constants = tensors.map(|tensor| Attr::Tensor(Constant(tensor.clone())));
        attrs.insert("params".into(), Attr::Array(constants.collect()));
        attrs.insert("num_input".into(), Attr::Int(inputs as i64));
    }
    attrs
}

/// Ends the dataflow block and the function, which gives this value.
pub fn finish(bb: &mut BlockBuilder, value: &Value, options: &Options) -> Res<()> {
    let visible = |bb: &mut BlockBuilder, value: &Value| -> Res<Expr> {
        let value = expression(&Cx { bb: &mut *bb }, value)?;
        Ok(Expr::var(&bb.emit_output(&value)?))
    };
    let result = match value {
        Value::List(items) if options.unwrap_unit_return_tuple && items.len() == 1 => visible(bb, &items[0])?,
        Value::List(items) if options.no_bind_return_tuple => {
            Expr::tuple(items.iter().map(|item| visible(bb, item)).collect::<Res<_>>()?)
        }
        other => visible(bb, other)?,
    };
    bb.end_dataflow()?;
    bb.emit_func_output(&result)?;
    Ok(())
}

/// A value as what a function can give.
fn expression(cx: &Cx<'_>, value: &Value) -> Res<Expr> {
    Ok(match value {
        Value::Tensor(expr) => expr.clone(),
        Value::List(items) => Expr::tuple(items.iter().map(|item| expression(cx, item)).collect::<Res<_>>()?),
        Value::None => cx.call(&null_value::OP, &[], [])?,
        Value::Bool(value) => Expr::prim(scalar::Expr::bool(*value)),
        Value::Int(value) => Expr::prim(scalar::Expr::i64(*value)),
        Value::Float(value) => Expr::prim(scalar::Expr::float(*value, DataType::F64)),
        Value::Dim(value) => Expr::prim(value.clone()),
        Value::Str(text) => Expr::str(&**text),
        Value::DType(dtype) => Expr::dtype_value(*dtype),
        other => return Err(Refused(format!("a function cannot give {}", other.in_words()))),
    })
}
