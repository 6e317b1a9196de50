//! The walk over the nodes of a model: names, operator sets, functions, and the module that comes of it.
//!
//! A name means a value in the innermost graph that gives it; graphs in attributes see the names around them, functions
//! of the model see their inputs alone. Nodes that fail leave their outputs without a value, and what needs them is
//! passed over, so that all faults are reported at once.

use std::borrow::Cow;

use tilewright_expr as scalar;
use tilewright_ir::IRModule;
use tilewright_ir::builder::BlockBuilder;
use tilewright_ir::relax::{Expr, ExprKind, StructInfo, TensorShape};
use tilewright_support::{Map, OrderedMap, Origins, with_stack};
use tilewright_tensor::{DataType, Tensor};

use super::custom::{Custom, Foreign, Resources, apart, shown, single, taken_over};
use super::fold;
use super::listing::Listing;
use super::model::{Attribute, AttributeValue, Dim, Graph, Model, Node, TypeProto, ValueInfo};
use super::rule::{Apply, Args, Rule};
use super::rules;
use super::tensors::{External, dtype_of, tensor_of};
use super::values::Val;
use crate::common::{self, Cx, Faults, Input, Refused, Res, Site, Value};

/// A size of an input.
#[derive(Clone, Debug)]
pub enum Size {
    Expr(scalar::Expr),
    /// A symbolic dimension; the same name is the same dimension in all inputs.
    Symbol(String),
}

/// How a model is imported.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Shapes of inputs instead of those that the model says.
    pub shapes: Vec<(String, Vec<Size>)>,
    /// Shapes of the tensors of inputs that are sequences, which says how long these are.
    pub sequences: Vec<(String, Vec<Vec<Size>>)>,
    /// Values of inputs that are the same in all runs; they are constants of the function.
    pub values: Vec<(String, Tensor)>,
    /// Inputs of optional type that have no value; they are no inputs of the function.
    pub absent: Vec<String>,
    /// Data types of inputs instead of those that the model says.
    pub dtypes: Vec<(String, DataType)>,
    /// The version of the default operator set instead of the one that the model says.
    pub opset: Option<i64>,
    /// The tensors of floats of the model become parameters of the function.
    pub params_as_input: bool,
    /// Names of inputs become identifiers.
    pub sanitize_input_names: bool,
    /// The name of the model's file. With it, what is made of a node says so: `FILE:NUMBER OPERATOR NAME`.
    pub file: Option<String>,
}

/// The domains of the standard operators.
const STANDARD: [&str; 2] = ["", "ai.onnx"];
/// Elements of a dimension of an input at most.
const MAX_SIZE: i64 = 1 << 40;
/// Calls in calls of functions at most.
const MAX_CALLS: usize = 64;

/// The module with the model as its function `main`.
pub fn import<'m>(
    model: &'m Model<'m>,
    options: &'m Options,
    resources: &'m Resources<'m>,
) -> Result<IRModule, Faults> {
    let of_graph = |reason: Refused| Faults::of_graph(&reason);
    let mut bb = BlockBuilder::new();
    let mut faults = Faults::default();
    let mut parameters = initializers(&model.graph, resources.external, &mut faults);
    parameters.extend(options.values.iter().map(|(name, value)| (name.clone(), value.clone())));
    let mut symbols = Map::default();
    let inputs = inputs_of(&model.graph, &parameters, options, &mut symbols).map_err(of_graph)?;
    missing_rules(model, resources.custom, &mut faults);
    faults.check()?;
    let own = common::Options { params_as_input: params_as_input(&parameters, options), ..common::Options::default() };
    let begun = common::begin(&mut bb, &inputs, &parameters, &own).map_err(of_graph)?;
    let mut walk = Walk {
        model,
        resources,
        options,
        faults: Faults::default(),
        frames: Vec::new(),
        unrolled: 0,
        left_out: Map::default(),
        listing: Listing::default(),
    };
    let mut names: Map<&str, Option<Val>> = Map::default();
    names.extend(begun.parameters.into_iter().map(|(name, value)| (name, Some(Val::Tensor(value)))));
    let is_given = |input: &&ValueInfo<'_>| !options.absent.iter().any(|name| name == input.name);
    let given = model.graph.inputs.iter().filter(|input| !parameters.contains_key(input.name)).filter(is_given);
    names.extend(
        model.graph.inputs.iter().filter(|input| !is_given(input)).map(|input| (input.name, Some(Val::Absent))),
    );
    for (input, value) in given.zip(begun.inputs) {
        let Value::Tensor(value) = value else { continue };
        let value = match &value.struct_info {
            StructInfo::Tuple(fields) => items_of(&value, fields.len()).map_err(of_graph)?,
            _ => Val::Tensor(value),
        };
        names.insert(input.name, Some(value));
    }
    walk.frames.push(Frame { scopes: vec![names], attributes: Map::default(), opsets: &model.opsets });
    if let Some(file) = &options.file {
        walk.listing = Listing::of(file, &model.graph.nodes);
    }
    walk.nodes(&mut bb, &model.graph.nodes);
    bb.set_origins(Origins::default());
    let outputs: Vec<Option<Val>> =
        model.graph.outputs.iter().map(|output| walk.output(output.name, "the graph")).collect();
    std::mem::take(&mut walk.faults).check()?;
    let outputs = outputs.into_iter().collect::<Option<Vec<_>>>();
    let outputs = outputs.ok_or_else(|| of_graph(Refused::new("an output of the graph has no value")))?;
    let result = result_of(&Cx { bb: &mut bb }, outputs).map_err(of_graph)?;
    common::finish(&mut bb, &result, &own).map_err(of_graph)?;
    bb.finalize().map_err(|error| of_graph(Refused::new(error.to_string())))
}

/// The fields of a tuple as a sequence.
fn items_of(tuple: &Expr, count: usize) -> Res<Val> {
    let items = (0..count).map(|at| Ok(Val::Tensor(Expr::tuple_get(tuple.clone(), at)?)));
    items.collect::<Res<_>>().map(Val::Sequence)
}

/// What the function gives: one output as it is, several as a tuple.
fn result_of(cx: &Cx<'_>, outputs: Vec<Val>) -> Res<Value> {
    let mut values = outputs.into_iter().map(|output| value_of(cx, output)).collect::<Res<Vec<_>>>()?;
    match values.len() {
        0 => Err(Refused::new("the graph has no outputs")),
        1 => Ok(values.remove(0)),
        _ => Ok(Value::List(values)),
    }
}

fn value_of(cx: &Cx<'_>, output: Val) -> Res<Value> {
    Ok(match output {
        Val::Sequence(items) | Val::Outputs(items) => {
            Value::List(items.into_iter().map(|item| value_of(cx, item)).collect::<Res<_>>()?)
        }
        Val::Absent => Value::None,
        one => Value::Tensor(one.to_expr(cx)?),
    })
}

/// The tensors that the graph holds, by name.
fn initializers(graph: &Graph<'_>, external: Option<&External<'_>>, faults: &mut Faults) -> OrderedMap<String, Tensor> {
    let mut tensors = OrderedMap::default();
    for proto in &graph.initializers {
        match tensor_of(proto, external).and_then(|tensor| Ok(tensor.sealed()?)) {
            Ok(tensor) => drop(tensors.insert(proto.name.to_owned(), tensor)),
            Err(reason) => faults.refused(Site { node: proto.name, said: "initializer", place: None }, &reason),
        }
    }
    if graph.sparse_initializers > 0 {
        let reason = Refused::new("sparse tensors have no rule");
        faults.refused(Site { node: graph.name, said: "sparse_initializer", place: None }, &reason);
    }
    tensors
}

fn params_as_input(parameters: &OrderedMap<String, Tensor>, options: &Options) -> Vec<String> {
    let floats = parameters.iter().filter(|(_, tensor)| options.params_as_input && tensor.dtype().is_float());
    floats.map(|(name, _)| name.clone()).collect()
}

/// The inputs that the model does not hold itself.
fn inputs_of(
    graph: &Graph<'_>,
    held: &OrderedMap<String, Tensor>,
    options: &Options,
    symbols: &mut Map<String, scalar::Expr>,
) -> Res<Vec<Input>> {
    let mut inputs = Vec::new();
    let known = |name: &str| graph.inputs.iter().any(|input| input.name == name);
    let strange = options.shapes.iter().map(|(name, _)| name).chain(options.dtypes.iter().map(|(name, _)| name));
    let strange = strange.chain(options.values.iter().map(|(name, _)| name));
    if let Some(name) = strange.into_iter().find(|name| !known(name)) {
        let names: Vec<&str> = graph.inputs.iter().map(|input| input.name).collect();
        return Err(Refused(format!("the model has no input `{name}`, only {}", names.join(", "))));
    }
    for input in graph.inputs.iter().filter(|input| !held.contains_key(input.name)) {
        if options.absent.iter().any(|name| name == input.name) {
            if !matches!(input.info, TypeProto::Optional(_)) {
                return Err(Refused(format!("the input `{}` is not optional", input.name)));
            }
            continue;
        }
        let info = info_of(input.name, &input.info, options, symbols)
            .map_err(|reason| Refused(format!("the input `{}`: {reason}", input.name)))?;
        let name = if options.sanitize_input_names { identifier(input.name) } else { input.name.to_owned() };
        inputs.push(Input { name, info });
    }
    Ok(inputs)
}

/// A name in which only letters, digits and `_` stand.
pub fn identifier(name: &str) -> String {
    let plain: String = name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    if plain.starts_with(|first: char| first.is_ascii_digit()) || plain.is_empty() {
        format!("input_{plain}")
    } else {
        plain
    }
}

fn info_of(
    name: &str,
    info: &TypeProto<'_>,
    options: &Options,
    symbols: &mut Map<String, scalar::Expr>,
) -> Res<StructInfo> {
    let (element, dims) = match info {
        TypeProto::Tensor { element, dims } => (*element, dims),
        TypeProto::Optional(inner) => return info_of(name, inner, options, symbols),
        TypeProto::Sequence(inner) => return sequence_of(name, inner, options, symbols),
        TypeProto::Other(what) => return Err(Refused(format!("{what} has no rule"))),
        TypeProto::Unknown => return Err(Refused::new("it has no type")),
    };
    let mut dtype = dtype_of(element)?;
    dtype = options.dtypes.iter().find(|(own, _)| own == name).map_or(dtype, |(_, given)| *given);
    if let Some((_, sizes)) = options.shapes.iter().find(|(own, _)| own == name) {
        let sizes = sizes.iter().map(|size| size_of(size, symbols)).collect();
        return Ok(StructInfo::tensor_with(TensorShape::Known(sizes), Some(dtype)));
    }
    let mut symbol = |name: String| size_of(&Size::Symbol(name), symbols);
    let Some(dims) = dims else { return Ok(StructInfo::tensor_with(TensorShape::Unknown, Some(dtype))) };
    let mut sizes = Vec::new();
    for (at, dim) in dims.iter().enumerate() {
        sizes.push(match dim {
            Dim::Size(size) if *size < 0 => symbol(format!("{name}_{at}")),
            Dim::Size(size) if *size > MAX_SIZE => return Err(Refused(format!("a dimension of {size}"))),
            Dim::Size(size) => scalar::Expr::i64(*size),
            Dim::Symbol(name) => symbol((*name).to_owned()),
            Dim::Unknown => symbol(format!("{name}_{at}")),
        });
    }
    Ok(StructInfo::tensor_with(TensorShape::Known(sizes), Some(dtype)))
}

fn size_of(size: &Size, symbols: &mut Map<String, scalar::Expr>) -> scalar::Expr {
    match size {
        Size::Expr(size) => size.clone(),
        Size::Symbol(name) => {
            let made = || scalar::Expr::var(&scalar::Var::size(identifier_of_size(name), DataType::I64));
            symbols.entry(name.clone()).or_insert_with(made).clone()
        }
    }
}

/// A sequence is a tuple of as many tensors as shapes are given.
fn sequence_of(
    name: &str,
    inner: &TypeProto<'_>,
    options: &Options,
    symbols: &mut Map<String, scalar::Expr>,
) -> Res<StructInfo> {
    let TypeProto::Tensor { element, .. } = inner else { return Err(Refused::new("a sequence of other than tensors")) };
    let dtype = dtype_of(*element)?;
    let given = options.sequences.iter().find(|(own, _)| own == name).map(|(_, shapes)| shapes.as_slice());
    let empty = options.shapes.iter().any(|(own, sizes)| own == name && sizes.is_empty());
    let shapes = given.or(empty.then_some(&[])).ok_or_else(|| {
        Refused::new("a sequence, whose length is not known: give the shapes of its tensors as the shape of the input")
    })?;
    let tensor = |sizes: &Vec<Size>| {
        let sizes = sizes.iter().map(|size| size_of(size, symbols)).collect();
        StructInfo::tensor_with(TensorShape::Known(sizes), Some(dtype))
    };
    Ok(StructInfo::Tuple(shapes.iter().map(tensor).collect()))
}

fn identifier_of_size(name: &str) -> String {
    let plain = identifier(name);
    plain
        .strip_prefix("input_")
        .filter(|_| name.starts_with(|first: char| first.is_ascii_digit()))
        .map_or_else(|| plain.clone(), |rest| format!("n{rest}"))
}

/// The site of a node for messages: its name, or that of its first output.
fn site<'a>(node: &Node<'a>) -> Site<'a> {
    let output = node.outputs.iter().find(|output| !output.is_empty()).copied().unwrap_or("");
    Site { node: if node.name.is_empty() { output } else { node.name }, said: node.op_type, place: None }
}

/// Reports every node for which there is no rule, those of graphs in attributes and of functions included.
fn missing_rules(model: &Model<'_>, custom: Option<&Custom<'_>>, faults: &mut Faults) {
    let functions = model.functions.iter().flat_map(|function| &function.nodes);
    let mut nodes: Vec<&Node<'_>> = model.graph.nodes.iter().chain(functions).collect();
    let mut at = 0;
    while let Some(node) = nodes.get(at).copied() {
        at += 1;
        for attribute in &node.attributes {
            if let AttributeValue::Graph(graph) = &attribute.value {
                nodes.extend(&graph.nodes);
            }
        }
        let of_model = model.functions.iter().any(|function| is_call(node, function.name, function.domain));
        let of_user = custom.is_some_and(|custom| custom.takes_unsupported || custom.takes(node.domain, node.op_type));
        if !of_model && !of_user && !is_control(node) && rules::find(node.domain, node.op_type).is_none() {
            let domain = if STANDARD.contains(&node.domain) { String::new() } else { format!("{}.", node.domain) };
            let help = format!(
                "`from_onnx(…, custom_convert_map={{\"{domain}{}\": f}})` supplies one: `f(node, importer)` gives the \
                 value; `fallback=\"onnxruntime\"` runs such nodes there",
                node.op_type
            );
            let nearest = tilewright_support::nearest(node.op_type, rules::names());
            faults.no_rule(site(node), help, nearest.filter(|nearest| *nearest != node.op_type));
        }
    }
}

fn is_call(node: &Node<'_>, name: &str, domain: &str) -> bool {
    node.op_type == name && node.domain == domain
}

fn is_control(node: &Node<'_>) -> bool {
    STANDARD.contains(&node.domain) && matches!(node.op_type, "If" | "Loop" | "Scan" | "SequenceMap")
}

/// The names and attributes that are seen in the body of a function, or in the graph of the model.
pub(super) struct Frame<'m> {
    pub(super) scopes: Vec<Map<&'m str, Option<Val>>>,
    /// The attributes that a function is called with.
    attributes: Map<&'m str, AttributeValue<'m>>,
    opsets: &'m [(&'m str, i64)],
}

pub(super) struct Walk<'m> {
    model: &'m Model<'m>,
    resources: &'m Resources<'m>,
    options: &'m Options,
    pub(super) faults: Faults,
    pub(super) frames: Vec<Frame<'m>>,
    /// The nodes of unrolled loops so far.
    pub(super) unrolled: usize,
    /// Outputs that the rule of their operator does not compute, with the operator.
    left_out: Map<&'m str, &'m str>,
    /// Where what is made of the graph's nodes is from.
    listing: Listing,
}

impl<'m> Walk<'m> {
    /// The value of a name: nothing where it has none, `None` inside where its node has failed.
    fn lookup(&self, name: &str) -> Option<Option<Val>> {
        self.frames.last()?.scopes.iter().rev().find_map(|scope| scope.get(name)).cloned()
    }

    /// The value of an output of a graph; a name without any is a fault.
    pub(super) fn output(&mut self, name: &str, of: &'static str) -> Option<Val> {
        let found = self.lookup(name);
        if found.is_none() {
            let reason = match self.left_out.get(name) {
                Some(op) => Refused(format!("{of} gives `{name}`, an output of `{op}` that has no rule")),
                None => Refused(format!("{of} gives `{name}`, which no node of it computes")),
            };
            self.faults.refused(Site { node: name, said: "output", place: None }, &reason);
        }
        found.flatten()
    }

    pub(super) fn define(&mut self, name: &'m str, value: Option<Val>) {
        if let Some(scope) = self.frames.last_mut().and_then(|frame| frame.scopes.last_mut()) {
            scope.insert(name, value);
        }
    }

    pub(super) fn nodes(&mut self, bb: &mut BlockBuilder, nodes: &'m [Node<'m>]) {
        let is_graph = std::ptr::eq(nodes, self.model.graph.nodes.as_slice());
        for (number, node) in nodes.iter().enumerate() {
            if is_graph {
                bb.set_origins(self.listing.line(number));
            }
            let found = match self.inputs(node) {
                Ok(Some(inputs)) => with_stack(|| self.node(bb, node, inputs)),
                Ok(None) => Ok(None),
                Err(reason) => Err(reason),
            };
            let outputs = found.unwrap_or_else(|reason| {
                self.faults.refused(site(node), &reason);
                None
            });
            self.keep(bb, node, outputs);
        }
    }

    /// The values of the inputs; nothing where a node that they need has failed.
    fn inputs(&self, node: &Node<'m>) -> Res<Option<Vec<Val>>> {
        let mut inputs = Vec::new();
        for name in &node.inputs {
            match self.lookup(name) {
                _ if name.is_empty() => inputs.push(Val::Absent),
                Some(Some(value)) => inputs.push(value),
                Some(None) => return Ok(None),
                None => {
                    return Err(Refused(match self.left_out.get(*name) {
                        Some(op) => format!("its input `{name}` is an output of `{op}` that has no rule"),
                        None => format!("its input `{name}` is given by no node before it"),
                    }));
                }
            }
        }
        Ok(Some(inputs))
    }

    /// Binds the outputs to their names.
    fn keep(&mut self, bb: &mut BlockBuilder, node: &Node<'m>, outputs: Option<Vec<Val>>) {
        let has_failed = outputs.is_none();
        let mut outputs = outputs.map(Vec::into_iter);
        for name in &node.outputs {
            let value = outputs.as_mut().and_then(Iterator::next);
            if name.is_empty() {
                continue;
            }
            if value.is_none() && !has_failed {
                self.left_out.insert(name, node.op_type);
                continue;
            }
            let value = value.and_then(|value| match named(bb, value, name) {
                Ok(value) => Some(value),
                Err(reason) => {
                    self.faults.refused(site(node), &reason);
                    None
                }
            });
            self.define(name, value);
        }
    }

    /// The outputs of a node; nothing where something in it has failed and is reported.
    fn node(&mut self, bb: &mut BlockBuilder, node: &'m Node<'m>, inputs: Vec<Val>) -> Res<Option<Vec<Val>>> {
        let functions = &self.model.functions;
        let called = functions.iter().find(|function| {
            is_call(node, function.name, function.domain)
                && (function.overload == node.overload || node.overload.is_empty())
        });
        let attributes = self.attributes(node);
        if let Some(function) = called {
            if self.frames.len() > MAX_CALLS {
                return Err(Refused(format!("more than {MAX_CALLS} functions that call each other")));
            }
            let mut names: Map<&str, Option<Val>> = Map::default();
            for (at, name) in function.inputs.iter().enumerate() {
                names.insert(name, Some(inputs.get(at).cloned().unwrap_or(Val::Absent)));
            }
            let given = function.defaults.iter().chain(attributes.iter());
            let attributes = given.map(|attribute| (attribute.name, attribute.value.clone())).collect();
            self.frames.push(Frame { scopes: vec![names], attributes, opsets: &function.opsets });
            self.nodes(bb, &function.nodes);
            let outputs = function.outputs.iter().map(|name| self.output(name, "the function"));
            let outputs = outputs.collect::<Option<Vec<_>>>();
            self.frames.pop();
            return Ok(outputs);
        }
        if let Some(custom) = self.resources.custom
            && custom.takes(node.domain, node.op_type)
        {
            return self.foreign(bb, node, &inputs, (custom, None)).map(Some);
        }
        if is_control(node) {
            return self.control(bb, node, inputs, &attributes);
        }
        let rest = self.resources.custom.filter(|custom| custom.takes_unsupported);
        let Some(rule) = rules::find(node.domain, node.op_type) else {
            let reason = || Refused(format!("`{}` has no rule", node.op_type));
            let custom = rest.ok_or_else(reason)?;
            return self.foreign(bb, node, &inputs, (custom, Some(reason()))).map(Some);
        };
        let kept = if rest.is_some() { inputs.clone() } else { Vec::new() };
        let wanted = node.outputs.iter().map(|name| !name.is_empty()).collect();
        let opset = self.opset(node.domain);
        let mut inputs = inputs;
        while matches!(inputs.last(), Some(Val::Absent)) {
            inputs.pop();
        }
        let args = Args { op: node.op_type, opset, inputs, attributes, wanted, names: rule.inputs };
        let found = self.apply(&mut Cx { bb: &mut *bb }, rule, &args);
        match (found, rest) {
            (Ok(Val::Outputs(values)), _) => Ok(Some(values)),
            (Ok(one), _) => Ok(Some(vec![one])),
            (Err(reason), Some(custom)) => self.foreign(bb, node, &kept, (custom, Some(reason))).map(Some),
            (Err(reason), None) => Err(reason),
        }
    }

    /// The outputs of a node that something else translates; with the reason why its rule does not.
    fn foreign(
        &mut self,
        bb: &mut BlockBuilder,
        node: &'m Node<'m>,
        inputs: &[Val],
        (custom, reason): (&Custom<'m>, Option<Refused>),
    ) -> Res<Vec<Val>> {
        let attributes = self.attributes(node);
        let opsets = self.frames.last().map_or(&[][..], |frame| frame.opsets);
        let cx = &mut Cx { bb };
        let model = single(cx, node, inputs, opsets, self.model.ir_version);
        let foreign = Foreign {
            op_type: node.op_type,
            domain: node.domain,
            name: site(node).node,
            opset: self.opset(node.domain),
            inputs: inputs.iter().map(|value| shown(cx, value)).collect::<Res<_>>()?,
            attributes: &attributes,
            outputs: &node.outputs,
            reason: reason.map(|reason| reason.0),
            model: model.unwrap_or(None),
        };
        let values = (custom.translate)(cx.bb, &foreign)?;
        apart(cx, values)?.into_iter().map(taken_over).collect()
    }

    fn apply(&self, cx: &mut Cx<'_>, rule: &Rule, args: &Args<'_>) -> Res<Val> {
        rule.check(args)?;
        if let Some(known) = fold::folded(cx, args) {
            return Ok(known);
        }
        if let Some(tensor) = args.attributes.iter().find_map(|attribute| match &attribute.value {
            AttributeValue::Tensor(tensor) if args.op == "Constant" => Some(tensor),
            _ => None,
        }) {
            return Ok(Val::Tensor(Expr::constant(tensor_of(tensor, self.resources.external)?)));
        }
        match rule.apply {
            Apply::Function(function) => function(cx, args),
            Apply::Unary(op) => Ok(cx.call(op, &[&args.tensor(cx, 0)?], [])?.into()),
            Apply::Binary(op) => rules::elementwise::of_two(cx, args, op),
        }
    }

    pub(super) fn external(&self) -> Option<&'m External<'m>> {
        self.resources.external
    }

    pub(super) fn default_opset(&self) -> i64 {
        self.opset("")
    }

    /// The version of the operator set of a domain that is in use here.
    fn opset(&self, domain: &str) -> i64 {
        let standard = STANDARD.contains(&domain);
        let same = |own: &str| own == domain || (standard && STANDARD.contains(&own));
        let stated = self.frames.last().and_then(|frame| frame.opsets.iter().find(|(own, _)| same(own)));
        let of_model = || self.model.opsets.iter().find(|(own, _)| same(own));
        match self.options.opset.filter(|_| standard) {
            Some(opset) => opset,
            None => stated.or_else(of_model).map_or(1, |(_, version)| *version),
        }
    }

    /// The attributes of a node, with those of the function's call in place of references.
    fn attributes(&self, node: &'m Node<'m>) -> Cow<'m, [Attribute<'m>]> {
        let is_reference = |attribute: &Attribute<'_>| matches!(attribute.value, AttributeValue::Reference(_));
        if !node.attributes.iter().any(is_reference) {
            return Cow::Borrowed(&node.attributes);
        }
        let resolved = node.attributes.iter().filter_map(|attribute| match &attribute.value {
            AttributeValue::Reference(name) => {
                let value = self.frames.last()?.attributes.get(name)?.clone();
                Some(Attribute { name: attribute.name, value })
            }
            _ => Some(attribute.clone()),
        });
        Cow::Owned(resolved.collect())
    }
}

/// A tensor of the module under a name like that of the model.
fn named(bb: &mut BlockBuilder, value: Val, name: &str) -> Res<Val> {
    Ok(match value {
        Val::Tensor(expr) if expr.as_var().is_none() && !matches!(expr.kind, ExprKind::Constant(_)) => {
            let var = bb.emit_named(&expr, Some(&identifier(name)))?;
            Val::Tensor(Expr::var(&var))
        }
        Val::Outputs(items) => Val::Outputs(items.into_iter().map(|item| named(bb, item, name)).collect::<Res<_>>()?),
        other => other,
    })
}
