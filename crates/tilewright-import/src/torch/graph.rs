//! A traced PyTorch graph as the front end records it: plain data, of which nothing is interpreted yet.

use tilewright_expr as scalar;
use tilewright_support::{OrderedMap, Span};
use tilewright_tensor::{DataType, Tensor};

use crate::common::Input;

/// A graph: what it takes, what it holds, what it does, and what it gives.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub inputs: Vec<Input>,
    /// The tensors that the model holds, by their qualified names, such as `layer1.0.conv1.weight`.
    pub parameters: OrderedMap<String, Tensor>,
    /// In topological order: each after those that it needs.
    pub nodes: Vec<Node>,
    pub output: Argument,
}

/// One operation.
#[derive(Clone, Debug)]
pub struct Node {
    /// The name by which later nodes refer to its result.
    pub name: String,
    pub target: Target,
    pub args: Vec<Argument>,
    pub kwargs: Vec<(String, Argument)>,
    /// What the user called, in the user's words: `torch.nn.Conv2d`, `torch.relu`, `Tensor.view`.
    pub said: String,
    /// The line of the user's source that called it.
    pub place: Option<Span>,
    /// The sizes of the tensor that it gives, those that whoever recorded it knows; empty where it gives no tensor.
    pub sizes: Vec<Option<scalar::Expr>>,
}

/// What turns a node into IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The rule of this name: that of an ATen operator, such as `conv2d`, or of a Python operator, such as `getitem`.
    Rule(String),
    /// A function of the user's.
    Custom,
}

/// An argument of a node.
#[derive(Clone, Debug, Default)]
pub enum Argument {
    #[default]
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    DType(DataType),
    List(Vec<Argument>),
    /// `start:stop:step`.
    Slice(Box<[Argument; 3]>),
    Ellipsis,
    /// The result of the node, or the input, of this name.
    Node(String),
    /// The tensor of the model of this name.
    Parameter(String),
    /// A size: a symbolic dimension of an input, or what is worked out from several.
    Size(scalar::Expr),
    /// Something that has no meaning in a module, such as a device; by its text.
    Opaque(String),
}

impl Argument {
    /// Calls `found` with the names of the nodes in it.
    pub fn nodes(&self, found: &mut impl FnMut(&str)) {
        match self {
            Self::Node(name) => found(name),
            Self::List(items) => items.iter().for_each(|item| item.nodes(found)),
            Self::Slice(parts) => parts.iter().for_each(|part| part.nodes(found)),
            Self::None
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Float(_)
            | Self::Str(_)
            | Self::DType(_)
            | Self::Ellipsis
            | Self::Parameter(_)
            | Self::Size(_)
            | Self::Opaque(_) => {}
        }
    }
}

impl Node {
    /// Calls `found` with the names of the nodes among its arguments.
    pub fn needs(&self, found: &mut impl FnMut(&str)) {
        self.args.iter().chain(self.kwargs.iter().map(|(_, value)| value)).for_each(|argument| argument.nodes(found));
    }
}
