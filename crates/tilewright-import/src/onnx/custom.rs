//! Nodes that something outside of the importer translates: functions of users, and other runtimes.
//!
//! They get the values of a node's inputs and its attributes, and may get the node as a model of its own, whose inputs
//! are those that are no constants.

use tilewright_expr as scalar;
use tilewright_ir::builder::BlockBuilder;
use tilewright_ir::relax::{Expr, ExprKind, StructInfo};
use tilewright_tensor::DataType;

use super::model::{Attribute, AttributeValue, Node};
use super::tensors::element_number;
use super::values::Val;
use crate::common::{Cx, Refused, Res, Value};

/// What an importer is given besides the bytes of a model.
#[derive(Clone, Copy, Default)]
pub struct Resources<'a> {
    /// Reads tensors in other files.
    pub external: Option<&'a super::External<'a>>,
    /// Translates nodes.
    pub custom: Option<&'a Custom<'a>>,
}

impl std::fmt::Debug for Resources<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resources").finish_non_exhaustive()
    }
}

/// Gives the outputs of a node.
pub type Translate<'a> = dyn Fn(&mut BlockBuilder, &Foreign<'_>) -> Res<Vec<Value>> + Sync + 'a;

/// Which nodes something else translates, and how.
pub struct Custom<'a> {
    /// Operators by name, with their domain and a dot before it where it is not the standard one.
    pub operators: &'a [String],
    /// Whether it gets nodes without a rule, and those that their rules refuse.
    pub takes_unsupported: bool,
    pub translate: &'a Translate<'a>,
}

impl std::fmt::Debug for Custom<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Custom").field("operators", &self.operators).finish_non_exhaustive()
    }
}

impl Custom<'_> {
    /// Whether a node of this operator is translated here, whatever rule there is.
    pub fn takes(&self, domain: &str, name: &str) -> bool {
        let is_standard = matches!(domain, "" | "ai.onnx");
        self.operators.iter().any(|operator| match operator.rsplit_once('.') {
            Some((own, rest)) => rest == name && (own == domain || (is_standard && own == "ai.onnx")),
            None => is_standard && operator == name,
        })
    }
}

/// A node that something else translates.
#[derive(Debug)]
pub struct Foreign<'a> {
    pub op_type: &'a str,
    pub domain: &'a str,
    pub name: &'a str,
    /// The version of its operator set.
    pub opset: i64,
    /// `None` is an input that is left out.
    pub inputs: Vec<Value>,
    pub attributes: &'a [Attribute<'a>],
    /// The names of the outputs, empty where one is left out.
    pub outputs: &'a [&'a str],
    /// Why the rule refused it.
    pub reason: Option<String>,
    /// The node as a model of its own; nothing where it is no such model, as with graphs that see names around them.
    pub model: Option<Single>,
}

/// A model of one node.
#[derive(Debug)]
pub struct Single {
    pub bytes: Vec<u8>,
    /// The names of the model's inputs, each with the number of the node's input.
    pub inputs: Vec<(String, usize)>,
    /// The sizes that the symbolic dimensions `d0`, `d1` and so on of its inputs are.
    pub sizes: Vec<scalar::Expr>,
}

/// Writes messages of protocol buffers.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn varint(mut self, mut value: u64) -> Self {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
        self
    }

    fn int(self, field: u64, value: i64) -> Self {
        self.varint(field << 3).varint(value as u64)
    }

    fn bytes(self, field: u64, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let mut long = self.varint(field << 3 | 2).varint(bytes.len() as u64);
        long.0.extend(bytes);
        long
    }
}

/// The type of an input: its sizes are constants, or names of symbolic dimensions.
fn typed(name: &str, dtype: DataType, dims: &[scalar::Expr], sizes: &mut Vec<scalar::Expr>) -> Res<Writer> {
    let mut shape = Writer::default();
    for dim in dims {
        let written = match dim.as_int() {
            Some(size) => Writer::default().int(1, size),
            None => {
                let at = sizes.iter().position(|size| size.equal(dim)).unwrap_or_else(|| {
                    sizes.push(dim.clone());
                    sizes.len() - 1
                });
                Writer::default().bytes(2, format!("d{at}"))
            }
        };
        shape = shape.bytes(1, written.0);
    }
    let tensor = Writer::default().int(1, element_number(dtype)?).bytes(2, shape.0);
    Ok(Writer::default().bytes(1, name).bytes(2, Writer::default().bytes(1, tensor.0).0))
}

/// The node as a model: constants stay constants, other inputs are those of the model.
pub(super) fn single(
    cx: &Cx<'_>,
    node: &Node<'_>,
    inputs: &[Val],
    opsets: &[(&str, i64)],
    ir_version: i64,
) -> Res<Option<Single>> {
    let of_its_own = |attribute: &Attribute<'_>| {
        !matches!(attribute.value, AttributeValue::Graph(_) | AttributeValue::Reference(_) | AttributeValue::Other(_))
    };
    if !node.attributes.iter().all(of_its_own) {
        return Ok(None);
    }
    let mut graph = Writer::default().bytes(1, node.raw).bytes(2, "node");
    let (mut sizes, mut names) = (Vec::new(), Vec::<(String, usize)>::new());
    for (at, (name, value)) in node.inputs.iter().zip(inputs).enumerate() {
        let is_known = names.iter().any(|(known, _)| known == name);
        let expr = match value {
            Val::Absent => continue,
            Val::Tensor(_) | Val::Known(_) => value.to_expr(cx)?,
            _ => return Ok(None),
        };
        if let ExprKind::Constant(constant) = &expr.kind {
            let tensor = &constant.0;
            let dims = tensor.shape().iter().fold(Writer::default(), |message, size| message.int(1, *size));
            let proto = dims.int(2, element_number(tensor.dtype())?).bytes(8, name);
            graph = graph.bytes(5, proto.bytes(9, tensor.as_bytes()?).0);
            continue;
        }
        if is_known {
            continue;
        }
        let StructInfo::Tensor { .. } = &expr.struct_info else { return Ok(None) };
        let (dims, dtype) = (cx.shape(&expr)?, cx.dtype(&expr)?);
        graph = graph.bytes(11, typed(name, dtype, &dims, &mut sizes)?.0);
        names.push(((*name).to_owned(), at));
    }
    for name in node.outputs.iter().filter(|name| !name.is_empty()) {
        graph = graph.bytes(12, Writer::default().bytes(1, name).0);
    }
    let mut model = Writer::default().int(1, ir_version);
    for (domain, version) in opsets {
        model = model.bytes(8, Writer::default().bytes(1, domain).int(2, *version).0);
    }
    Ok(Some(Single { bytes: model.bytes(7, graph.0).0, inputs: names, sizes }))
}

/// The value of an input as functions outside of the importer see it.
pub(super) fn shown(cx: &Cx<'_>, value: &Val) -> Res<Value> {
    Ok(match value {
        Val::Absent => Value::None,
        Val::Sequence(items) | Val::Outputs(items) => {
            Value::List(items.iter().map(|item| shown(cx, item)).collect::<Res<_>>()?)
        }
        one => Value::Tensor(one.to_expr(cx)?),
    })
}

/// The value that such a function gives.
pub(super) fn taken_over(value: Value) -> Res<Val> {
    Ok(match value {
        Value::None => Val::Absent,
        Value::Tensor(expr) => match &expr.struct_info {
            StructInfo::Tensor { .. } => Val::Tensor(expr),
            _ => return Err(Refused::new("a function gives a value that is no tensor")),
        },
        Value::List(items) => Val::Sequence(items.into_iter().map(taken_over).collect::<Res<_>>()?),
        other => return Err(Refused(format!("a function gives {}, expected a tensor", other.in_words()))),
    })
}

/// The fields of a tuple as values each.
pub(super) fn apart(cx: &mut Cx<'_>, mut values: Vec<Value>) -> Res<Vec<Value>> {
    if let [Value::Tensor(one)] = values.as_slice()
        && matches!(one.struct_info, StructInfo::Tuple(_))
    {
        let one: Expr = one.clone();
        values = cx.fields(one)?;
    }
    Ok(values)
}
