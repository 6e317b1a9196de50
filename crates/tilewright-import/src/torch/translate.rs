//! From a recorded graph to a function of a module.
//!
//! A node's result lies in a *slot*. A change in place gives its slot a new value, so that every name of the tensor
//! sees it; other tensors over the same memory would have to see it too, and where one of them is used later, the
//! change is refused. Nodes that fail leave their slot empty, and what needs them is passed over, so that all faults
//! are reported at once.

use tilewright_ir::IRModule;
use tilewright_ir::builder::BlockBuilder;
use tilewright_ir::relax::{Expr, ExprKind};
use tilewright_support::{Diagnostic, Diagnostics, Map, Origins};

use super::graph::{Argument, Graph, Node, Target};
use super::numbers::real_of_number;
use super::operands::binary;
use super::precision::{narrowed, widened};
use super::promotion::as_float;
use super::rule::{Apply, Memory, Rule};
use super::rules;
use crate::common::{Args, Begun, Cx, Faults, Number, Options, Refused, Res, Site, Value, begin, finish};

/// Translates the nodes of the user's own functions: gets the node's number and the values of the nodes that it needs.
pub type Custom<'a> = dyn FnMut(&mut BlockBuilder, usize, &[(String, Value)]) -> Res + 'a;

/// The module with the graph as its function `main`. Nodes of the user's own functions have no rule here.
pub fn from_graph(graph: &Graph, options: &Options) -> Result<IRModule, Diagnostics> {
    let mut bb = BlockBuilder::new();
    translate(&mut bb, graph, options, &mut |_, _, _| Err(Refused::new("nothing translates it")))
        .map_err(|faults| faults.diagnostics)?;
    bb.finalize().map_err(|error| Diagnostic::error("", error.to_string()).into())
}

/// Adds the graph as the function `main` to the builder's module.
pub fn translate(
    bb: &mut BlockBuilder,
    graph: &Graph,
    options: &Options,
    custom: &mut Custom<'_>,
) -> Result<(), Faults> {
    missing_rules(graph)?;
    let of_graph = |error: Refused| Faults::of_graph(&error);
    let begun = begin(bb, &graph.inputs, &graph.parameters, options).map_err(of_graph)?;
    let mut translation = Translation::new(graph, begun);
    for (at, node) in graph.nodes.iter().enumerate() {
        bb.set_origins(node.place.clone().map(Origins::at).unwrap_or_default());
        translation.node(bb, at, node, custom);
    }
    bb.set_origins(Origins::default());
    std::mem::take(&mut translation.faults).check()?;
    let value = translation.value(&graph.output);
    let value = value.ok_or_else(|| of_graph(Refused::new("the graph gives what no node of it is")))?;
    finish(bb, &value, options).map_err(of_graph)
}

/// An error that names every node for which there is no rule.
fn missing_rules(graph: &Graph) -> Result<(), Faults> {
    let mut faults = Faults::default();
    for node in &graph.nodes {
        if let Target::Rule(name) = &node.target
            && rules::find(name).is_none()
        {
            let help =
                format!("`custom_convert_map={{\"{name}\": f}}` supplies one: `f(node, importer)` gives the value");
            faults.no_rule(site(node), help, tilewright_support::nearest(name, rules::names()));
        }
    }
    faults.check()
}

fn site(node: &Node) -> Site<'_> {
    Site { node: &node.name, said: &node.said, place: node.place.as_ref() }
}

/// What is known of a graph on the way.
struct Translation<'a> {
    /// The slot of each node.
    slots: Map<&'a str, usize>,
    /// The value in each slot; nothing where it could not be worked out.
    values: Vec<Option<Value>>,
    /// Of each slot one number for all that lie in the same memory.
    memory: Vec<usize>,
    /// The number of the last node that uses each node.
    last_use: Map<String, usize>,
    parameters: Map<&'a str, Expr>,
    faults: Faults,
}

impl<'a> Translation<'a> {
    fn new(graph: &'a Graph, begun: Begun<'a>) -> Self {
        let mut last_use: Map<String, usize> = Map::default();
        for (at, node) in graph.nodes.iter().enumerate() {
            node.needs(&mut |name| {
                last_use.insert(name.to_owned(), at);
            });
        }
        graph.output.nodes(&mut |name| {
            last_use.insert(name.to_owned(), usize::MAX);
        });
        let mut translation = Self {
            slots: Map::default(),
            values: Vec::new(),
            memory: Vec::new(),
            last_use,
            parameters: begun.parameters,
            faults: Faults::default(),
        };
        for (input, value) in graph.inputs.iter().zip(begun.inputs) {
            translation.new_slot(&input.name, Some(value));
        }
        translation
    }

    /// A new slot for the node.
    fn new_slot(&mut self, name: &'a str, value: Option<Value>) -> usize {
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
            Argument::Parameter(name) => Value::Tensor(self.parameters.get(&**name)?.clone()),
            Argument::Size(size) => Value::int(size.clone()),
            Argument::Opaque(text) => Value::Opaque(text.clone()),
        })
    }

    fn node(&mut self, bb: &mut BlockBuilder, at: usize, node: &'a Node, custom: &mut Custom<'_>) {
        match self.worked_out(bb, at, node, custom) {
            Some(Ok(())) => {}
            Some(Err(reason)) => {
                self.faults.refused(site(node), &reason);
                self.new_slot(&node.name, None);
            }
            None => {
                self.new_slot(&node.name, None);
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
                    self.new_slot(&node.name, Some(value));
                }));
            }
        };
        let (rule, named_in_place) = rules::find(name)?;
        let wants = |(key, value): &(String, Value)| key == "inplace" && matches!(value, Value::Bool(true));
        let in_place = named_in_place || by_name.iter().any(wants);
        Some(Args::bind(rule.signature(), args, by_name).and_then(|args| {
            let in_place = in_place || args.flag("inplace")?;
            let value = apply(&mut Cx { bb }, rule, &args)?;
            let value = if in_place { of_same_type(&Cx { bb }, &args, value)? } else { value };
            let value = bound(bb, value)?;
            let value = Cx { bb }.with_recorded_sizes(value, &node.sizes)?;
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
                let slot = self.new_slot(&node.name, Some(value));
                self.memory[slot] = memory;
            }
            _ => {
                self.new_slot(&node.name, Some(value));
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
    match widened(cx, rule, args)? {
        Some((args, dtype)) => {
            let value = computed(cx, rule, &args)?;
            narrowed(cx, &value, dtype)
        }
        None => computed(cx, rule, args),
    }
}

fn computed(cx: &mut Cx<'_>, rule: &Rule, args: &Args) -> Res {
    match rule.apply {
        Apply::Function(function) => function(cx, args),
        Apply::Unary(op) => cx.op(op, &[&args.tensor("input")?]),
        Apply::Real(op) if let Some(x) = Number::of(args.get("input")) => real_of_number(op, x.as_f64()),
        Apply::Real(op) => cx.op(op, &[&as_float(cx, &args.tensor("input")?)?]),
        Apply::Binary(op) => binary(cx, op, args.get("input"), args.get("other")),
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
