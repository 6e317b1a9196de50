//! The messages of ONNX as typed values. Texts and raw data are slices of the file.

use tilewright_support::{Set, with_stack};

use super::wire::{Field, Message};
use crate::ImportError;

/// A model.
#[derive(Clone, Debug, Default)]
pub struct Model<'a> {
    pub ir_version: i64,
    pub producer: &'a str,
    pub producer_version: &'a str,
    /// The versions of the operator sets that it uses, by domain.
    pub opsets: Vec<(&'a str, i64)>,
    pub graph: Graph<'a>,
    pub functions: Vec<Function<'a>>,
    pub metadata: Vec<(&'a str, &'a str)>,
}

#[derive(Clone, Debug, Default)]
pub struct Graph<'a> {
    pub name: &'a str,
    pub nodes: Vec<Node<'a>>,
    pub initializers: Vec<TensorProto<'a>>,
    /// How many tensors it has that are stored as their elements other than 0.
    pub sparse_initializers: usize,
    pub inputs: Vec<ValueInfo<'a>>,
    pub outputs: Vec<ValueInfo<'a>>,
}

#[derive(Clone, Debug, Default)]
pub struct Node<'a> {
    pub name: &'a str,
    pub op_type: &'a str,
    pub domain: &'a str,
    pub overload: &'a str,
    pub inputs: Vec<&'a str>,
    pub outputs: Vec<&'a str>,
    pub attributes: Vec<Attribute<'a>>,
    /// The bytes of its message.
    pub raw: &'a [u8],
}

#[derive(Clone, Debug)]
pub struct Attribute<'a> {
    pub name: &'a str,
    pub value: AttributeValue<'a>,
}

#[derive(Clone, Debug)]
pub enum AttributeValue<'a> {
    Float(f64),
    Int(i64),
    Str(&'a [u8]),
    Tensor(TensorProto<'a>),
    Graph(Box<Graph<'a>>),
    Floats(Vec<f64>),
    Ints(Vec<i64>),
    Strs(Vec<&'a [u8]>),
    Type(TypeProto<'a>),
    /// In a function: the attribute of this name that the function is called with.
    Reference(&'a str),
    /// A kind of value that has no rule, by its name.
    Other(&'static str),
}

/// A tensor with its elements, or where these are.
#[derive(Clone, Debug, Default)]
pub struct TensorProto<'a> {
    pub name: &'a str,
    pub dims: Vec<i64>,
    /// ONNX's number of the element type.
    pub data_type: i64,
    pub raw: Option<&'a [u8]>,
    /// Elements of the typed fields: integers of 32 or 64 bits.
    pub ints: Vec<i64>,
    /// Elements of the typed fields: the bytes of float32 or float64.
    pub floats: Vec<u8>,
    pub strings: Vec<&'a [u8]>,
    /// Whether the elements are in another file, which these entries say.
    pub is_external: bool,
    pub external: Vec<(&'a str, &'a str)>,
}

#[derive(Clone, Debug, Default)]
pub struct ValueInfo<'a> {
    pub name: &'a str,
    pub info: TypeProto<'a>,
}

#[derive(Clone, Debug, Default)]
pub enum TypeProto<'a> {
    #[default]
    Unknown,
    Tensor {
        element: i64,
        dims: Option<Vec<Dim<'a>>>,
    },
    Sequence(Box<TypeProto<'a>>),
    Optional(Box<TypeProto<'a>>),
    Other(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dim<'a> {
    Size(i64),
    Symbol(&'a str),
    #[default]
    Unknown,
}

/// A function of the model, whose calls are nodes.
#[derive(Clone, Debug, Default)]
pub struct Function<'a> {
    pub name: &'a str,
    pub domain: &'a str,
    pub overload: &'a str,
    pub inputs: Vec<&'a str>,
    pub outputs: Vec<&'a str>,
    /// Attributes that a call may leave out.
    pub defaults: Vec<Attribute<'a>>,
    pub nodes: Vec<Node<'a>>,
    pub opsets: Vec<(&'a str, i64)>,
}

type Read<T> = Result<T, ImportError>;

/// Reads a message field by field into a value that begins with defaults.
fn read<'a, T: Default>(message: Message<'a>, mut each: impl FnMut(&mut T, Field<'a>) -> Read<()>) -> Read<T> {
    let mut value = T::default();
    for field in message.fields() {
        each(&mut value, field?)?;
    }
    Ok(value)
}

impl<'a> Model<'a> {
    pub fn read(bytes: &'a [u8]) -> Read<Self> {
        let whole = Message::new(bytes);
        let mut graphs = 0;
        let model = read(whole, |model: &mut Self, field| {
            match field.number {
                1 => model.ir_version = field.int()?,
                2 => model.producer = field.text()?,
                3 => model.producer_version = field.text()?,
                7 => {
                    graphs += 1;
                    model.graph = Graph::read(field.message()?)?;
                }
                8 => model.opsets.push(opset(field.message()?)?),
                14 => model.metadata.push(entry(field.message()?)?),
                25 => model.functions.push(Function::read(field.message()?)?),
                _ => {}
            }
            Ok(())
        })?;
        match graphs {
            0 => Err(whole.error("no model of ONNX: it has no graph")),
            _ => Ok(model),
        }
    }

    /// The names of the inputs, without those of tensors that the model holds.
    pub fn input_names(&self) -> impl Iterator<Item = &'a str> {
        let held: Set<&str> = self.graph.initializers.iter().map(|tensor| tensor.name).collect();
        self.graph.inputs.iter().map(|input| input.name).filter(move |name| !held.contains(name))
    }

    pub fn output_names(&self) -> impl Iterator<Item = &'a str> {
        self.graph.outputs.iter().map(|output| output.name)
    }

    /// The files of the model's folder in which tensors are, in rising order.
    pub fn external_files(&self) -> Vec<&'a str> {
        let mut found = Vec::new();
        self.graph.external_files(&mut found);
        for node in self.functions.iter().flat_map(|function| &function.nodes) {
            node.external_files(&mut found);
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl<'a> Graph<'a> {
    fn external_files(&self, found: &mut Vec<&'a str>) {
        self.initializers.iter().for_each(|tensor| tensor.external_file(found));
        self.nodes.iter().for_each(|node| node.external_files(found));
    }
}

impl<'a> Node<'a> {
    fn external_files(&self, found: &mut Vec<&'a str>) {
        for attribute in &self.attributes {
            match &attribute.value {
                AttributeValue::Tensor(tensor) => tensor.external_file(found),
                AttributeValue::Graph(graph) => with_stack(|| graph.external_files(found)),
                _ => {}
            }
        }
    }
}

impl<'a> TensorProto<'a> {
    fn external_file(&self, found: &mut Vec<&'a str>) {
        let locations = self.external.iter().filter(|(key, _)| self.is_external && *key == "location");
        found.extend(locations.map(|(_, location)| location));
    }
}

fn opset<'a>(message: Message<'a>) -> Read<(&'a str, i64)> {
    read(message, |opset: &mut (&'a str, i64), field| {
        match field.number {
            1 => opset.0 = field.text()?,
            2 => opset.1 = field.int()?,
            _ => {}
        }
        Ok(())
    })
}

fn entry<'a>(message: Message<'a>) -> Read<(&'a str, &'a str)> {
    read(message, |entry: &mut (&'a str, &'a str), field| {
        match field.number {
            1 => entry.0 = field.text()?,
            2 => entry.1 = field.text()?,
            _ => {}
        }
        Ok(())
    })
}

impl<'a> Graph<'a> {
    fn read(message: Message<'a>) -> Read<Self> {
        read(message, |graph: &mut Self, field| {
            match field.number {
                1 => graph.nodes.push(Node::read(field.message()?)?),
                2 => graph.name = field.text()?,
                5 => graph.initializers.push(TensorProto::read(field.message()?)?),
                11 => graph.inputs.push(ValueInfo::read(field.message()?)?),
                12 => graph.outputs.push(ValueInfo::read(field.message()?)?),
                15 => graph.sparse_initializers += 1,
                _ => {}
            }
            Ok(())
        })
    }
}

impl<'a> Node<'a> {
    fn read(message: Message<'a>) -> Read<Self> {
        let node = read(message, |node: &mut Self, field| {
            match field.number {
                1 => node.inputs.push(field.text()?),
                2 => node.outputs.push(field.text()?),
                3 => node.name = field.text()?,
                4 => node.op_type = field.text()?,
                5 => node.attributes.push(Attribute::read(field.message()?)?),
                7 => node.domain = field.text()?,
                8 => node.overload = field.text()?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(Self { raw: message.bytes(), ..node })
    }
}

/// The fields of an attribute, of which its type says which one is meant.
#[derive(Default)]
struct Parts<'a> {
    name: &'a str,
    kind: i64,
    reference: &'a str,
    float: f32,
    int: i64,
    text: &'a [u8],
    tensor: Option<TensorProto<'a>>,
    graph: Option<Graph<'a>>,
    floats: Vec<u8>,
    ints: Vec<i64>,
    texts: Vec<&'a [u8]>,
    info: Option<TypeProto<'a>>,
    /// The type that belongs to the field that is there, for files of the first version, which have none.
    seen: i64,
}

impl<'a> Attribute<'a> {
    fn read(message: Message<'a>) -> Read<Self> {
        let parts = read(message, |parts: &mut Parts<'a>, field| {
            match field.number {
                1 => parts.name = field.text()?,
                2 => parts.float = field.float()?,
                3 => parts.int = field.int()?,
                4 => parts.text = field.bytes()?,
                5 => parts.tensor = Some(TensorProto::read(field.message()?)?),
                6 => parts.graph = Some(Graph::read(field.message()?)?),
                7 => field.fixed::<4>(&mut parts.floats)?,
                8 => field.ints(&mut parts.ints)?,
                9 => parts.texts.push(field.bytes()?),
                14 => parts.info = Some(TypeProto::read(field.message()?)?),
                20 => parts.kind = field.int()?,
                21 => parts.reference = field.text()?,
                _ => {}
            }
            if let 2..=9 = field.number {
                parts.seen = field.number as i64 - 1;
            }
            Ok(())
        })?;
        let missing = |what: &str| message.error(format!("the attribute `{}` has no {what}", parts.name));
        let floats =
            || parts.floats.chunks_exact(4).map(|part| f32::from_le_bytes([part[0], part[1], part[2], part[3]]));
        let value = match if parts.kind == 0 { parts.seen } else { parts.kind } {
            _ if !parts.reference.is_empty() => AttributeValue::Reference(parts.reference),
            1 => AttributeValue::Float(shortest(parts.float)),
            2 => AttributeValue::Int(parts.int),
            3 => AttributeValue::Str(parts.text),
            4 => AttributeValue::Tensor(parts.tensor.ok_or_else(|| missing("tensor"))?),
            5 => AttributeValue::Graph(Box::new(parts.graph.ok_or_else(|| missing("graph"))?)),
            6 => AttributeValue::Floats(floats().map(shortest).collect()),
            7 => AttributeValue::Ints(parts.ints),
            8 => AttributeValue::Strs(parts.texts),
            9 => AttributeValue::Other("a list of tensors"),
            10 => AttributeValue::Other("a list of graphs"),
            11 | 12 => AttributeValue::Other("a sparse tensor"),
            13 => AttributeValue::Type(parts.info.ok_or_else(|| missing("type"))?),
            14 => AttributeValue::Other("a list of types"),
            _ => return Err(missing("value")),
        };
        Ok(Self { name: parts.name, value })
    }
}

/// The float64 of fewest digits that is this float32: writers store 0.1 rounded to float32, and mean 0.1.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

impl<'a> TensorProto<'a> {
    fn read(message: Message<'a>) -> Read<Self> {
        read(message, |tensor: &mut Self, field| {
            match field.number {
                1 => field.ints(&mut tensor.dims)?,
                2 => tensor.data_type = field.int()?,
                4 => field.fixed::<4>(&mut tensor.floats)?,
                5 | 7 | 11 => field.ints(&mut tensor.ints)?,
                6 => tensor.strings.push(field.bytes()?),
                8 => tensor.name = field.text()?,
                9 => tensor.raw = Some(field.bytes()?),
                10 => field.fixed::<8>(&mut tensor.floats)?,
                13 => tensor.external.push(entry(field.message()?)?),
                14 => tensor.is_external = field.int()? == 1,
                _ => {}
            }
            Ok(())
        })
    }
}

impl<'a> ValueInfo<'a> {
    fn read(message: Message<'a>) -> Read<Self> {
        read(message, |value: &mut Self, field| {
            match field.number {
                1 => value.name = field.text()?,
                2 => value.info = TypeProto::read(field.message()?)?,
                _ => {}
            }
            Ok(())
        })
    }
}

impl<'a> TypeProto<'a> {
    fn read(message: Message<'a>) -> Read<Self> {
        let inner = |message: Message<'a>| -> Read<Self> {
            read(message, |info: &mut Self, field| {
                if field.number == 1 {
                    *info = Self::read(field.message()?)?;
                }
                Ok(())
            })
        };
        read(message, |info: &mut Self, field| {
            match field.number {
                1 => *info = tensor_type(field.message()?)?,
                4 => *info = Self::Sequence(Box::new(inner(field.message()?)?)),
                5 => *info = Self::Other("a map"),
                8 => *info = Self::Other("a sparse tensor"),
                9 => *info = Self::Optional(Box::new(inner(field.message()?)?)),
                _ => {}
            }
            Ok(())
        })
    }
}

fn tensor_type<'a>(message: Message<'a>) -> Read<TypeProto<'a>> {
    let (element, dims) = read(message, |parts: &mut (i64, Option<Vec<Dim<'a>>>), field| {
        match field.number {
            1 => parts.0 = field.int()?,
            2 => {
                let dims: Vec<Dim<'a>> = read(field.message()?, |dims: &mut Vec<_>, field| {
                    if field.number == 1 {
                        dims.push(dim(field.message()?)?);
                    }
                    Ok(())
                })?;
                parts.1 = Some(dims);
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(TypeProto::Tensor { element, dims })
}

fn dim<'a>(message: Message<'a>) -> Read<Dim<'a>> {
    read(message, |dim: &mut Dim<'a>, field| {
        match field.number {
            1 => *dim = Dim::Size(field.int()?),
            // A name without letters, such as `?`, is none.
            2 if !field.text()?.contains(char::is_alphanumeric) => *dim = Dim::Unknown,
            2 => *dim = Dim::Symbol(field.text()?),
            _ => {}
        }
        Ok(())
    })
}

impl<'a> Function<'a> {
    fn read(message: Message<'a>) -> Read<Self> {
        read(message, |function: &mut Self, field| {
            match field.number {
                1 => function.name = field.text()?,
                4 => function.inputs.push(field.text()?),
                5 => function.outputs.push(field.text()?),
                7 => function.nodes.push(Node::read(field.message()?)?),
                9 => function.opsets.push(opset(field.message()?)?),
                10 => function.domain = field.text()?,
                11 => function.defaults.push(Attribute::read(field.message()?)?),
                13 => function.overload = field.text()?,
                _ => {}
            }
            Ok(())
        })
    }
}
