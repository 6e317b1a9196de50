//! From a recorded graph to a function of a module.
//!
//! A node's result lies in a *slot*. A change in place gives its slot a new value, so that every name of the tensor sees it;
//! other tensors over the same memory would have to see it too, and where one of them is used later, the change is refused.
//! Nodes that fail leave their slot empty, and what needs them is passed over, so that all faults are told at once.

use tilewright_expr as scalar;
use tilewright_ir::builder::BlockBuilder;
use tilewright_ir::relax::{Constant, Expr, ExprKind, StructInfo, Var};
use tilewright_ir::tir::attr_names::GLOBAL_SYMBOL;
use tilewright_ir::{Attr, Attrs, IRModule};
use tilewright_ops::system::null_value;
use tilewright_support::{Diagnostic, Diagnostics, Map, Origins};
use tilewright_tensor::{DataType, Tensor};

use super::args::Args;
use super::cx::{Cx, Number};
use super::graph::{Argument, Graph, Node, Target};
use super::rules::{self, Apply, Memory, Rule};
use super::value::{Refused, Res, Value};

/// A node for whose operator there is no rule.
pub const NO_RULE: &str = "TW0801";
/// A node whose arguments its rule does not take.
pub const REFUSED: &str = "TW0802";

/// How the function is made.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The parameters of these names become parameters of the function, behind its inputs, and their values the attribute
    /// `params`; all others become constants.
    pub params_as_input: Vec<String>,
    /// A result that is a tuple of one is that one.
    pub unwrap_unit_return_tuple: bool,
    /// The fields of a result that is a tuple are outputs each, and no variable holds the tuple.
    pub no_bind_return_tuple: bool,
}

/// Why a graph did not become a function.
#[derive(Debug)]
pub struct Failed {
    pub diagnostics: Diagnostics,
    /// The names of the nodes that have no rule or that their rules do not take.
    pub nodes: Vec<String>,
}

impl From<Diagnostics> for Failed {
    fn from(diagnostics: Diagnostics) -> Self {
        Self { diagnostics, nodes: Vec::new() }
    }
}

/// Translates the nodes of the user's own functions: gets the node's number and the values of the nodes that it needs.
pub type Custom<'a> = dyn FnMut(&mut BlockBuilder, usize, &[(String, Value)]) -> Res + 'a;

/// The module with the graph as its function `main`. Nodes of the user's own functions have no rule here.
pub fn from_graph(graph: &Graph, options: &Options) -> Result<IRModule, Diagnostics> {
    let mut bb = BlockBuilder::new();
    translate(&mut bb, graph, options, &mut |_, _, _| Err(Refused::new("nothing translates it")))
        .map_err(|failed| failed.diagnostics)?;
    bb.finalize().map_err(|error| Diagnostic::error("", error.to_string()).into())
}

/// Adds the graph as the function `main` to the builder's module.
pub fn translate(
    bb: &mut BlockBuilder,
    graph: &Graph,
    options: &Options,
    custom: &mut Custom<'_>,
) -> Result<(), Failed> {
    missing_rules(graph)?;
    let failed = |error: Refused| Failed::from(Diagnostics::from(Diagnostic::error(REFUSED, error.0)));
    let mut inputs: Vec<Var> = graph.inputs.iter().map(|input| Var::new(&*input.name, input.info.clone())).collect();
    let mut translation = Translation::new(graph, options, &inputs);
    let params = options.params_as_input.iter().filter_map(|name| translation.params.get(&**name));
    inputs.extend(params.filter_map(|value| value.as_var().cloned()));
    bb.begin_function_with("main", inputs, attributes(graph, options), true);
    bb.begin_dataflow().map_err(|error| failed(error.into()))?;
    for (at, node) in graph.nodes.iter().enumerate() {
        bb.set_origins(node.place.clone().map(Origins::at).unwrap_or_default());
        translation.node(bb, at, node, custom);
    }
    bb.set_origins(Origins::default());
    if !translation.found.0.is_empty() {
        return Err(Failed { diagnostics: translation.found, nodes: translation.refused });
    }
    translation.output(bb, &graph.output).map_err(failed)
}

fn attributes(graph: &Graph, options: &Options) -> Attrs {
    let mut attrs = Attrs::from([(GLOBAL_SYMBOL.into(), Attr::str("main"))]);
    if !options.params_as_input.is_empty() {
        let tensors = options.params_as_input.iter().filter_map(|name| graph.parameters.get(name));
        let constants = tensors.map(|tensor| Attr::Tensor(Constant(tensor.clone())));
        attrs.insert("params".into(), Attr::Array(constants.collect()));
        attrs.insert("num_input".into(), Attr::Int(graph.inputs.len() as i64));
    }
    attrs
}

/// An error that names every node for which there is no rule.
fn missing_rules(graph: &Graph) -> Result<(), Failed> {
    let mut found = Diagnostics::default();
    let mut nodes = Vec::new();
    for node in &graph.nodes {
        let Target::Rule(name) = &node.target else { continue };
        if rules::find(name).is_none() {
            let mut diagnostic = Diagnostic::error(NO_RULE, format!("`{}` has no rule", node.said)).help(format!(
                "`custom_convert_map={{\"{name}\": f}}` supplies one: `f(node, importer)` gives the value"
            ));
            if let Some(near) = tilewright_support::nearest(name, rules::names()) {
                diagnostic = diagnostic.note(format!("there is one for `{near}`"));
            }
            found.push(placed(diagnostic, node));
            nodes.push(node.name.clone());
        }
    }
    if found.0.is_empty() { Ok(()) } else { Err(Failed { diagnostics: found, nodes }) }
}

fn placed(diagnostic: Diagnostic, node: &Node) -> Diagnostic {
    match &node.place {
        Some(place) => diagnostic.at(place.clone()).label(format!("the node `{}`", node.name)),
        None => diagnostic.note(format!("the node `{}`", node.name)),
    }
}

/// What is known of a graph on the way.
struct Translation<'a> {
    options: &'a Options,
    /// The slot of each node.
    slots: Map<&'a str, usize>,
    /// The value in each slot; nothing where it could not be worked out.
    values: Vec<Option<Value>>,
    /// Of each slot one number for all that lie in the same memory.
    memory: Vec<usize>,
    /// The number of the last node that uses each node.
    last_use: Map<String, usize>,
    params: Map<&'a str, Expr>,
    found: Diagnostics,
    /// The names of the nodes that their rules do not take.
    refused: Vec<String>,
}

impl<'a> Translation<'a> {
    fn new(graph: &'a Graph, options: &'a Options, inputs: &[Var]) -> Self {
        let mut last_use: Map<String, usize> = Map::default();
        for (at, node) in graph.nodes.iter().enumerate() {
            node.needs(&mut |name| {
                last_use.insert(name.to_owned(), at);
            });
        }
        graph.output.nodes(&mut |name| {
            last_use.insert(name.to_owned(), usize::MAX);
        });
        let value = |(name, tensor): (&'a String, &Tensor)| {
            let value = match options.params_as_input.contains(name) {
                true => Expr::var(&Var::new(name.replace('.', "_"), StructInfo::of_tensor(tensor))),
                false => Expr::constant(tensor.clone()),
            };
            (&**name, value)
        };
        let mut translation = Self {
            options,
            slots: Map::default(),
            values: Vec::new(),
            memory: Vec::new(),
            last_use,
            params: graph.parameters.iter().map(value).collect(),
            found: Diagnostics::default(),
            refused: Vec::new(),
        };
        for (input, var) in graph.inputs.iter().zip(inputs) {
            translation.place(&input.name, Some(Value::Tensor(Expr::var(var))));
        }
        translation
    }

    /// A slot of its own for the node.
    fn place(&mut self, name: &'a str, value: Option<Value>) -> usize {
        let slot = self.values.len();
        self.values.push(value);
        self.memory.push(slot);
        self.slots.insert(name, slot);
        slot
    }

    /// The value of an argument; `None` where a node that it needs has none.
    fn value(&self, argument: &Argument) -> Option<Value> {
        Some(match argument {
            Argument::None => Value::None,
            Argument::Bool(value) => Value::Bool(*value),
            Argument::Int(value) => Value::Int(*value),
            Argument::Float(value) => Value::Float(*value),
            Argument::Str(text) => Value::Str(text.clone()),
            Argument::DType(dtype) => Value::DType(*dtype),
            Argument::List(items) => Value::List(items.iter().map(|item| self.value(item)).collect::<Option<_>>()?),
            Argument::Slice(parts) => {
                let [start, stop, step] = &**parts;
                Value::Slice(Box::new([self.value(start)?, self.value(stop)?, self.value(step)?]))
            }
            Argument::Ellipsis => Value::Ellipsis,
            Argument::Node(name) => self.values.get(*self.slots.get(&**name)?)?.clone()?,
            Argument::Parameter(name) => Value::Tensor(self.params.get(&**name)?.clone()),
            Argument::Opaque(text) => Value::Opaque(text.clone()),
        })
    }

    fn node(&mut self, bb: &mut BlockBuilder, at: usize, node: &'a Node, custom: &mut Custom<'_>) {
        match self.worked_out(bb, at, node, custom) {
            Some(Ok(())) => {}
            Some(Err(reason)) => {
                let message = format!("`{}`: {reason}", node.said);
                self.found.push(placed(Diagnostic::error(REFUSED, message), node));
                self.refused.push(node.name.clone());
                self.place(&node.name, None);
            }
            None => {
                self.place(&node.name, None);
            }
        }
    }

    /// Works the node out; `None` if something that it needs has failed.
    fn worked_out(
        &mut self,
        bb: &mut BlockBuilder,
        at: usize,
        node: &'a Node,
        custom: &mut Custom<'_>,
    ) -> Option<Res<()>> {
        let args = node.args.iter().map(|argument| self.value(argument)).collect::<Option<Vec<_>>>()?;
        let by_name = node.kwargs.iter().map(|(key, value)| Some((key.clone(), self.value(value)?)));
        let by_name = by_name.collect::<Option<Vec<_>>>()?;
        let name = match &node.target {
            Target::Rule(name) => name,
            Target::Custom => {
                let value = custom(bb, at, &self.needed_by(node)).and_then(|value| bound(bb, value));
                return Some(value.map(|value| {
                    self.place(&node.name, Some(value));
                }));
            }
        };
        let (rule, named_in_place) = rules::find(name)?;
        let wants = |(key, value): &(String, Value)| key == "inplace" && matches!(value, Value::Bool(true));
        let in_place = named_in_place || by_name.iter().any(wants);
        Some(Args::bind(rule.signature, args, by_name).and_then(|args| {
            let in_place = in_place || args.flag("inplace")?;
            let value = apply(&mut Cx { bb }, rule, &args)?;
            let value = if in_place { of_same_type(&Cx { bb }, &args, value)? } else { value };
            let value = bound(bb, value)?;
            let value = Cx { bb }.told(value, &node.sizes)?;
            self.store(at, node, rule, value, in_place)
        }))
    }

    /// Keeps the value of a node: in the slot of what it changes, or in one of its own.
    fn store(&mut self, at: usize, node: &'a Node, rule: &Rule, value: Value, in_place: bool) -> Res<()> {
        let first = node.args.first().or_else(|| node.kwargs.first().map(|(_, value)| value));
        let of_first = match first {
            Some(Argument::Node(name)) => self.slots.get(&**name).copied(),
            Some(Argument::Parameter(name)) if in_place => {
                return Err(Refused(format!("it changes the tensor `{name}` of the model, which is a constant here")));
            }
            _ => None,
        };
        match of_first {
            Some(slot) if in_place => {
                self.check_views(at, slot)?;
                self.values[slot] = Some(value);
                self.slots.insert(&node.name, slot);
            }
            // The very same tensor: a change of one is a change of the other.
            Some(slot) if rule.memory == Memory::Shared && same(self.values[slot].as_ref(), &value) => {
                self.slots.insert(&node.name, slot);
            }
            Some(slot) if rule.memory != Memory::Own && has_tensors(&value) => {
                let memory = self.memory[slot];
                let slot = self.place(&node.name, Some(value));
                self.memory[slot] = memory;
            }
            _ => {
                self.place(&node.name, Some(value));
            }
        }
        Ok(())
    }

    /// Refuses a change of a tensor over whose memory another one lies that is used later.
    fn check_views(&self, at: usize, slot: usize) -> Res<()> {
        let shares = |(_, other): &(&&str, &usize)| **other != slot && self.memory[**other] == self.memory[slot];
        let used_later = |(name, _): &(&&str, &usize)| self.last_use.get(**name).is_some_and(|last| *last > at);
        match self.slots.iter().filter(shares).find(used_later) {
            Some((name, _)) => Err(Refused(format!(
                "it changes a tensor in place, and `{name}`, which shares its memory, is used later: write it without the \
                 change in place"
            ))),
            None => Ok(()),
        }
    }

    /// The values of the nodes that a node needs.
    fn needed_by(&self, node: &Node) -> Vec<(String, Value)> {
        let mut needed = Vec::new();
        node.needs(&mut |name| {
            let value = self.slots.get(name).and_then(|slot| self.values[*slot].clone());
            needed.extend(value.map(|value| (name.to_owned(), value)));
        });
        needed
    }

    /// Ends the function.
    fn output(&self, bb: &mut BlockBuilder, output: &Argument) -> Res<()> {
        let value = self.value(output).ok_or_else(|| Refused::new("the graph gives what no node of it is"))?;
        let visible = |bb: &mut BlockBuilder, value: &Value| -> Res<Expr> {
            let value = expression(&Cx { bb: &mut *bb }, value)?;
            Ok(Expr::var(&bb.emit_output(&value)?))
        };
        let result = match &value {
            Value::List(items) if self.options.unwrap_unit_return_tuple && items.len() == 1 => visible(bb, &items[0])?,
            Value::List(items) if self.options.no_bind_return_tuple => {
                Expr::tuple(items.iter().map(|item| visible(bb, item)).collect::<Res<_>>()?)
            }
            other => visible(bb, other)?,
        };
        bb.end_dataflow()?;
        bb.emit_func_output(&result)?;
        Ok(())
    }
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

/// Whether there is memory of the value: sizes and data types have none.
fn has_tensors(value: &Value) -> bool {
    match value {
        Value::Tensor(_) => true,
        Value::List(items) => items.iter().any(has_tensors),
        _ => false,
    }
}

fn same(old: Option<&Value>, new: &Value) -> bool {
    match (old, new) {
        (Some(Value::Tensor(old)), Value::Tensor(new)) => match (old.as_var(), new.as_var()) {
            (Some(old), Some(new)) => old == new,
            _ => old.same(new),
        },
        _ => false,
    }
}

/// What the rule makes of the arguments.
fn apply(cx: &mut Cx<'_>, rule: &Rule, args: &Args) -> Res {
    match rule.apply {
        Apply::Function(function) => function(cx, args),
        Apply::Unary(op) => cx.op(op, &[&args.tensor("input")?]),
        Apply::Real(op) if let Some(x) = Number::of(args.get("input")) => {
            super::rules::arithmetic::real_of_number(op, x.as_f64())
        }
        Apply::Real(op) => cx.op(op, &[&cx.real(&args.tensor("input")?)?]),
        Apply::Binary(op) => super::rules::arithmetic::binary(cx, op, args.get("input"), args.get("other")),
        Apply::Same => Ok(args.get("input").clone()),
    }
}

/// The new value of a tensor that is changed in place: its data type stays.
fn of_same_type(cx: &Cx<'_>, args: &Args, value: Value) -> Res {
    match (args.get("input"), value) {
        (Value::Tensor(old), Value::Tensor(new)) => cx.astype(&new, cx.dtype(old)?).map(Value::Tensor),
        (_, value) => Ok(value),
    }
}

/// The value with its tensor bound to a variable.
fn bound(bb: &mut BlockBuilder, value: Value) -> Res {
    Ok(match value {
        Value::Tensor(expr) if !matches!(expr.kind, ExprKind::Constant(_)) => Value::Tensor(Cx { bb }.emit(expr)?),
        other => other,
    })
}
