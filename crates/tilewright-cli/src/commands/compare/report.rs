//! What `tilewright compare` found, as text and as JSON.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value as Json, json};
use tilewright::compare::{Deviation, Observed, Range, Tolerance};
use tilewright::import::onnx::{Model, tensors::tensor_of};
use tilewright::{Tensor, Value};

use super::{Tensors, deviation};
use crate::failure::{Failure, Outcome};
use tilewright::session::ExternalFiles;

/// The two sides of a comparison.
pub(super) struct Sides<'a> {
    pub(super) model: &'a Model<'a>,
    pub(super) path: &'a Path,
    pub(super) inputs: &'a [Value],
    /// The reference, if it is a model that is compiled here too.
    pub(super) other: Option<Model<'a>>,
    pub(super) against: String,
}

/// A tensor with how far it is from the reference; none where a side does not have it.
struct Compared {
    name: String,
    deviation: Option<Deviation>,
}

/// An input of the node that makes the first tensor that differs.
struct Operand {
    name: String,
    from: &'static str,
    kind: String,
    range: Option<Range>,
    deviation: Option<Deviation>,
}

/// The first tensor that differs.
struct First {
    tensor: Compared,
    node: usize,
    operands: Vec<Operand>,
}

/// The values of all nodes.
struct Nodes {
    compared: usize,
    differing: usize,
    first: Option<First>,
}

pub(super) struct Report {
    tolerance: Tolerance,
    outputs: Vec<Compared>,
    nodes: Option<Nodes>,
    /// Why the values of nodes could not be compared.
    pub(super) unobserved: Option<String>,
}

fn differs(compared: &Compared) -> bool {
    compared.deviation.as_ref().is_some_and(|deviation| !deviation.is_within_tolerance())
}

impl Report {
    pub(super) fn new(
        sides: &Sides<'_>,
        tolerance: Tolerance,
        names: &[&str],
        here: &Tensors,
        there: &Tensors,
    ) -> Outcome<Self> {
        let compared = |name: &&str| {
            Ok(Compared { name: (*name).to_owned(), deviation: deviation(name, here, there, tolerance)? })
        };
        let outputs = names.iter().map(compared).collect::<Outcome<Vec<_>>>()?;
        if outputs.iter().all(|output| output.deviation.is_none()) {
            let message =
                format!("no output is a tensor both here and in {}: there is nothing to compare", sides.against);
            return Err(Failure::of_file(sides.path, message));
        }
        Ok(Self { tolerance, outputs, nodes: None, unobserved: None })
    }

    pub(super) fn is_equal(&self) -> bool {
        let of_nodes = self.nodes.as_ref().is_some_and(|nodes| nodes.first.is_some());
        !of_nodes && !self.outputs.iter().any(differs)
    }

    /// Compares the values of nodes, in their order.
    pub(super) fn observe(
        &mut self,
        sides: &Sides<'_>,
        observed: &[Observed<'_>],
        here: &Tensors,
        there: &Tensors,
    ) -> Outcome {
        let mut nodes = Nodes { compared: 0, differing: 0, first: None };
        for one in observed {
            let deviation = deviation(one.name, here, there, self.tolerance)?;
            nodes.compared += usize::from(deviation.is_some());
            let tensor = Compared { name: one.name.to_owned(), deviation };
            if differs(&tensor) {
                nodes.differing += 1;
                if nodes.first.is_none() {
                    let operands = self.operands(sides, one.node, here, there)?;
                    nodes.first = Some(First { tensor, node: one.node, operands });
                }
            }
        }
        self.nodes = Some(nodes);
        Ok(())
    }

    fn operands(&self, sides: &Sides<'_>, node: usize, here: &Tensors, there: &Tensors) -> Outcome<Vec<Operand>> {
        let Some(node) = sides.model.graph.nodes.get(node) else { return Ok(Vec::new()) };
        let files = ExternalFiles::of(sides.path);
        let external = |location: &str, offset: u64, length: Option<u64>| files.part(location, offset, length);
        let weight = |model: &Model<'_>, name: &str| {
            let proto = model.graph.initializers.iter().find(|tensor| tensor.name == name)?;
            tensor_of(proto, Some(&external)).ok()
        };
        let mut operands = Vec::new();
        for name in node.inputs.iter().copied().filter(|name| !name.is_empty()) {
            let (from, tensor, reference) = if let Some(tensor) = weight(sides.model, name) {
                let reference = sides.other.as_ref().and_then(|other| weight(other, name));
                ("weight", Some(tensor), reference)
            } else if let Some(tensor) = input(sides, name) {
                ("input", Some(tensor), None)
            } else {
                ("value", here.get(name).cloned(), there.get(name).cloned())
            };
            let deviation = tensor.as_ref().zip(reference.as_ref());
            let deviation = deviation.map(|(own, other)| Deviation::of(own, other, self.tolerance)).transpose();
            operands.push(Operand {
                name: name.to_owned(),
                from,
                kind: tensor.as_ref().map_or_else(|| "?".to_owned(), kind_of),
                range: tensor.as_ref().and_then(Range::of),
                deviation: deviation.map_err(Failure::Message)?,
            });
        }
        Ok(operands)
    }

    pub(super) fn text(&self, sides: &Sides<'_>) -> String {
        let verdict = if self.is_equal() { "agrees with" } else { "differs from" };
        let mut text = format!("{} {verdict} {}\n", sides.path.display(), plain(&sides.against));
        // Writing to a string does not fail.
        let _ = self.write(&mut text, sides);
        text
    }

    fn write(&self, text: &mut String, sides: &Sides<'_>) -> std::fmt::Result {
        writeln!(
            text,
            "tolerance: {:e} of a tensor's largest magnitude, or {:e}",
            self.tolerance.relative, self.tolerance.absolute
        )?;
        if let Some(nodes) = &self.nodes {
            if let Some(first) = &nodes.first {
                write_first(text, sides, first)?;
            }
            writeln!(text, "\n{} of {} values of nodes differ", nodes.differing, nodes.compared)?;
            if nodes.first.is_none() && !self.is_equal() {
                let why = "the nodes agree one by one: the difference comes from kernels that compute several of them";
                writeln!(text, "{why}")?;
            }
        }
        if let Some(why) = &self.unobserved {
            writeln!(text, "\nthe values of nodes could not be compared: {}", plain(why))?;
        }
        writeln!(text, "\noutputs")?;
        for output in &self.outputs {
            writeln!(text, "  {}: {}", plain(&output.name), deviation_text(output.deviation.as_ref()))?;
        }
        Ok(())
    }

    pub(super) fn json(&self, sides: &Sides<'_>) -> String {
        let compared = |one: &Compared| {
            let mut all = json!({"name": one.name, "differs": differs(one)});
            all["deviation"] = deviation_json(one.deviation.as_ref());
            all
        };
        let first = self.nodes.as_ref().and_then(|nodes| nodes.first.as_ref()).map(|first| {
            let node = &sides.model.graph.nodes[first.node];
            let mut all = compared(&first.tensor);
            all["node"] =
                json!({"number": first.node, "name": node.name, "operator": node.op_type, "domain": node.domain});
            all["inputs"] = first.operands.iter().map(operand_json).collect();
            all
        });
        let all = json!({
            "model": sides.path.display().to_string(),
            "against": sides.against,
            "equal": self.is_equal(),
            "tolerance": {"relative": self.tolerance.relative, "absolute": self.tolerance.absolute},
            "first": first,
            "compared_values": self.nodes.as_ref().map(|nodes| nodes.compared),
            "differing_values": self.nodes.as_ref().map(|nodes| nodes.differing),
            "outputs": self.outputs.iter().map(compared).collect::<Vec<_>>(),
        });
        format!("{all:#}\n")
    }
}

/// The tensor that the model is called with for an input of this name.
fn input(sides: &Sides<'_>, name: &str) -> Option<Tensor> {
    let held = |name: &str| sides.model.graph.initializers.iter().any(|tensor| tensor.name == name);
    let mut inputs = sides.model.graph.inputs.iter().filter(|input| !held(input.name)).zip(sides.inputs);
    match inputs.find(|(input, _)| input.name == name)?.1 {
        Value::Tensor(tensor) => Some(tensor.clone()),
        _ => None,
    }
}

fn kind_of(tensor: &Tensor) -> String {
    format!("{}{:?}", tensor.dtype(), tensor.shape())
}

fn write_first(text: &mut String, sides: &Sides<'_>, first: &First) -> std::fmt::Result {
    let node = &sides.model.graph.nodes[first.node];
    let domain = if node.domain.is_empty() { String::new() } else { format!("{}.", plain(node.domain)) };
    writeln!(text, "\nfirst difference: `{}`", plain(&first.tensor.name))?;
    let name = if node.name.is_empty() { String::new() } else { format!(" `{}`", plain(node.name)) };
    let (position, of) = (first.node + 1, sides.model.graph.nodes.len());
    writeln!(text, "  node      {domain}{}{name}, number {position} of {of}", plain(node.op_type))?;
    match &first.tensor.deviation {
        Some(Deviation::Values(distance)) => {
            let position = distance.position.as_deref().unwrap_or_default();
            writeln!(text, "  position  {position:?}, where the difference is largest")?;
            writeln!(text, "  here      {}", number(distance.found))?;
            writeln!(text, "  there     {}", number(distance.reference))?;
            let (relative, scale) = (distance.relative(), number(distance.scale));
            writeln!(text, "  apart     {:.3e}, {relative:.2e} of the largest magnitude {scale}", distance.largest)?;
            writeln!(text, "  elements  {} of {} differ", distance.beyond, distance.elements)?;
        }
        Some(Deviation::Kind { found, reference }) => {
            writeln!(text, "  here      {found}")?;
            writeln!(text, "  there     {reference}")?;
        }
        None => {}
    }
    writeln!(text, "  inputs of the node")?;
    for operand in &first.operands {
        let range = operand.range.map_or_else(String::new, range_text);
        let deviation = match &operand.deviation {
            Some(deviation) => format!("; {}", deviation_text(Some(deviation))),
            None => String::new(),
        };
        writeln!(text, "    {} ({}): {}{range}{deviation}", plain(&operand.name), operand.from, operand.kind)?;
    }
    Ok(())
}

fn range_text(range: Range) -> String {
    let numbers = if range.least > range.most {
        String::new()
    } else {
        format!(", {} to {}", number(range.least), number(range.most))
    };
    match range.not_numbers {
        0 => numbers,
        count => format!("{numbers}, {count} NaN"),
    }
}

fn deviation_text(deviation: Option<&Deviation>) -> String {
    match deviation {
        None => "not compared: one side has no tensor of that name".to_owned(),
        Some(Deviation::Kind { found, reference }) => format!("{found} here, {reference} there"),
        Some(Deviation::Values(distance)) if distance.largest == 0.0 => "equal".to_owned(),
        Some(Deviation::Values(distance)) => {
            let beyond = match distance.beyond {
                0 => "within the tolerance".to_owned(),
                beyond => format!("{beyond} of {} elements differ", distance.elements),
            };
            let position = distance.position.as_deref().unwrap_or_default();
            let (found, reference) = (number(distance.found), number(distance.reference));
            format!("{beyond}; most at {position:?}: {found} here, {reference} there ({:.2e})", distance.relative())
        }
    }
}

fn operand_json(operand: &Operand) -> Json {
    let range = operand.range.map(|range| json!({"min": range.least, "max": range.most, "nan": range.not_numbers}));
    let mut all = json!({"name": operand.name, "from": operand.from, "type": operand.kind, "range": range});
    all["deviation"] = deviation_json(operand.deviation.as_ref());
    all
}

fn deviation_json(deviation: Option<&Deviation>) -> Json {
    match deviation {
        None => Json::Null,
        Some(Deviation::Kind { found, reference }) => json!({"here": found, "there": reference}),
        Some(Deviation::Values(distance)) => json!({
            "largest": distance.largest, "scale": distance.scale, "relative": distance.relative(),
            "position": distance.position, "here": distance.found, "there": distance.reference,
            "differing": distance.beyond, "elements": distance.elements,
        }),
    }
}

/// The shortest text of a number that is one of float32, as most are, else of float64.
fn number(value: f64) -> String {
    let single = value as f32;
    if f64::from(single) == value { single.to_string() } else { value.to_string() }
}

/// A text of a model for a terminal: control characters are written out.
pub(super) fn plain(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}
