//! Graphs in attributes: `If`, `Loop` and `Scan`, where they resolve while the model is imported.
//!
//! A condition that is known chooses its branch. One that is not computes both, which have no side effects, and chooses
//! elements; where their sizes differ along a dimension, the result is a part of both. Loops whose number of rounds is
//! known are unrolled.

use tilewright_expr as scalar;
use tilewright_ir::builder::BlockBuilder;
use tilewright_ir::relax::Expr;
use tilewright_ops::indexed::dynamic_strided_slice;
use tilewright_ops::manipulate::{concat, expand_dims};
use tilewright_support::Map;

use super::fold::is_true;
use super::graph::Walk;
use super::model::{Attribute, AttributeValue, Graph, Node};
use super::tensors::tensor_of;
use super::values::{Known, Val};
use crate::common::{Cx, Refused, Res, ToAttr, new_size};

/// Nodes that loops unroll to at most.
const MAX_UNROLLED: usize = 100_000;

type Outputs = Res<Option<Vec<Val>>>;

impl<'m> Walk<'m> {
    /// The outputs of a node with graphs.
    pub(super) fn control(
        &mut self,
        bb: &mut BlockBuilder,
        node: &'m Node<'m>,
        inputs: Vec<Val>,
        attributes: &[Attribute<'m>],
    ) -> Outputs {
        match node.op_type {
            "If" => self.branch(bb, node, inputs.first().unwrap_or(&Val::Absent)),
            "Loop" => self.rounds(bb, node, &inputs),
            "Scan" if self.default_opset() < 9 => self.scan_of_batch(bb, node, &inputs, attributes),
            "Scan" => self.scan(bb, node, inputs, attributes),
            "SequenceMap" => self.mapped(bb, node, &inputs),
            other => Err(Refused(format!("`{other}` has no rule"))),
        }
    }

    /// The outputs of a graph that is given these inputs.
    fn body(&mut self, bb: &mut BlockBuilder, graph: &'m Graph<'m>, inputs: Vec<Val>) -> Outputs {
        self.unrolled += graph.nodes.len();
        if self.unrolled > MAX_UNROLLED {
            return Err(Refused(format!("its rounds are more than {MAX_UNROLLED} nodes")));
        }
        let mut names: Map<&str, Option<Val>> = Map::default();
        for proto in &graph.initializers {
            let tensor = tensor_of(proto, self.external())?.sealed()?;
            names.insert(proto.name, Some(Val::Tensor(Expr::constant(tensor))));
        }
        let mut given = inputs.into_iter();
        for input in &graph.inputs {
            names.insert(input.name, Some(given.next().unwrap_or(Val::Absent)));
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.scopes.push(names);
        }
        self.nodes(bb, &graph.nodes);
        let outputs = graph.outputs.iter().map(|output| self.output(output.name, "the graph of a node"));
        let outputs: Vec<Option<Val>> = outputs.collect();
        if let Some(frame) = self.frames.last_mut() {
            frame.scopes.pop();
        }
        Ok(outputs.into_iter().collect())
    }

    fn branch(&mut self, bb: &mut BlockBuilder, node: &'m Node<'m>, condition: &Val) -> Outputs {
        let (then, otherwise) = (graph_of(node, "then_branch")?, graph_of(node, "else_branch")?);
        match is_true(condition) {
            Some(true) => self.body(bb, then, Vec::new()),
            Some(false) => self.body(bb, otherwise, Vec::new()),
            None => {
                let condition = condition.to_expr(&Cx { bb: &mut *bb })?;
                let (Some(then), Some(otherwise)) =
                    (self.body(bb, then, Vec::new())?, self.body(bb, otherwise, Vec::new())?)
                else {
                    return Ok(None);
                };
                let cx = &mut Cx { bb };
                let condition = if cx.rank(&condition)? == 0 { condition } else { cx.reshape(&condition, Vec::new())? };
                let condition = cx.emit(condition)?;
                let both = then.iter().zip(&otherwise);
                both.map(|(x, y)| either(cx, &condition, x, y)).collect::<Res<Vec<_>>>().map(Some)
            }
        }
    }

    fn rounds(&mut self, bb: &mut BlockBuilder, node: &'m Node<'m>, inputs: &[Val]) -> Outputs {
        let body = graph_of(node, "body")?;
        let at = |at: usize| inputs.get(at).unwrap_or(&Val::Absent);
        let count = match at(0) {
            Val::Absent => None,
            count => Some(single(count).ok_or_else(|| Refused::new("its number of rounds is known in the run alone"))?),
        };
        let mut condition = at(1).clone();
        let mut carried: Vec<Val> = inputs.iter().skip(2).cloned().collect();
        let states = carried.len();
        let mut scanned: Vec<Vec<Val>> = vec![Vec::new(); body.outputs.len().saturating_sub(states + 1)];
        let mut round = 0;
        loop {
            let goes_on = match &condition {
                Val::Absent => true,
                condition => {
                    is_true(condition).ok_or_else(|| Refused::new("whether it goes on is known in the run alone"))?
                }
            };
            if !goes_on || count.is_some_and(|count| round >= count) {
                break;
            }
            let number = Known::scalar(scalar::Expr::i64(round)).into();
            let mut given = vec![number, if matches!(condition, Val::Absent) { truth() } else { condition }];
            given.append(&mut carried);
            let Some(outputs) = self.body(bb, body, given)? else { return Ok(None) };
            let mut outputs = outputs.into_iter();
            condition = outputs.next().ok_or_else(|| Refused::new("its body gives no condition"))?;
            carried = outputs.by_ref().take(states).collect();
            scanned.iter_mut().zip(outputs).for_each(|(all, one)| all.push(one));
            round += 1;
        }
        let cx = &mut Cx { bb };
        for items in scanned {
            carried.push(stacked(cx, items, 0, false)?);
        }
        Ok(Some(carried))
    }

    /// The graph of each item of a sequence; the other inputs are sequences of as many items, or tensors for all.
    fn mapped(&mut self, bb: &mut BlockBuilder, node: &'m Node<'m>, inputs: &[Val]) -> Outputs {
        let body = graph_of(node, "body")?;
        let Some(Val::Sequence(first)) = inputs.first() else { return Err(Refused::new("expected a sequence")) };
        let mut results: Vec<Vec<Val>> = vec![Vec::new(); body.outputs.len()];
        for at in 0..first.len() {
            let item = |input: &Val| match input {
                Val::Sequence(items) => {
                    items.get(at).cloned().ok_or_else(|| Refused::new("sequences of other lengths"))
                }
                one => Ok(one.clone()),
            };
            let given = inputs.iter().map(item).collect::<Res<_>>()?;
            let Some(outputs) = self.body(bb, body, given)? else { return Ok(None) };
            results.iter_mut().zip(outputs).for_each(|(all, one)| all.push(one));
        }
        Ok(Some(results.into_iter().map(Val::Sequence).collect()))
    }

    /// `Scan` of version 8: after the lengths of the sequences, all inputs and outputs have a dimension of a batch.
    fn scan_of_batch(
        &mut self,
        bb: &mut BlockBuilder,
        node: &'m Node<'m>,
        inputs: &[Val],
        attributes: &[Attribute<'m>],
    ) -> Outputs {
        if !matches!(inputs.first(), Some(Val::Absent)) {
            return Err(Refused::new("sequences of different lengths have no rule"));
        }
        let all = inputs[1..].iter().map(|input| input.to_expr(&Cx { bb: &mut *bb })).collect::<Res<Vec<_>>>()?;
        let first = all.first().ok_or_else(|| Refused::new("it needs an input"))?;
        let batch = Cx { bb: &mut *bb }.extent(first, 0)?.as_int();
        let batch = batch.ok_or_else(|| Refused::new("a batch of symbolic size has no rule"))?;
        let mut results: Vec<Vec<Val>> = Vec::new();
        for at in 0..batch {
            let one = |x: &Expr| Cx { bb: &mut *bb }.select(x, 0, &scalar::Expr::i64(at)).map(Val::from);
            let given = all.iter().map(one).collect::<Res<Vec<_>>>()?;
            let Some(outputs) = self.scan(bb, node, given, attributes)? else { return Ok(None) };
            results.resize(outputs.len(), Vec::new());
            results.iter_mut().zip(outputs).for_each(|(all, one)| all.push(one));
        }
        let cx = &mut Cx { bb };
        results.into_iter().map(|items| stacked(cx, items, 0, false)).collect::<Res<Vec<_>>>().map(Some)
    }

    fn scan(
        &mut self,
        bb: &mut BlockBuilder,
        node: &'m Node<'m>,
        mut inputs: Vec<Val>,
        attributes: &[Attribute<'m>],
    ) -> Outputs {
        let body = graph_of(node, "body")?;
        let ints = |name: &str| {
            attributes.iter().find(|attribute| attribute.name == name).map(|attribute| match &attribute.value {
                AttributeValue::Ints(ints) => ints.clone(),
                AttributeValue::Int(one) => vec![*one],
                _ => Vec::new(),
            })
        };
        let count = ints("num_scan_inputs").and_then(|ints| ints.first().copied()).unwrap_or(0);
        let count = usize::try_from(count).ok().filter(|count| (1..=inputs.len()).contains(count));
        let count = count.ok_or_else(|| Refused::new("`num_scan_inputs` does not fit its inputs"))?;
        let scanned: Vec<Expr> = {
            let cx = &mut Cx { bb: &mut *bb };
            let all = inputs.split_off(inputs.len() - count);
            all.iter().map(|input| cx.emit(input.to_expr(cx)?)).collect::<Res<_>>()?
        };
        // Version 8 has no axes, and one list of directions.
        let (axes, directions) =
            (ints("scan_input_axes"), ints("scan_input_directions").or_else(|| ints("directions")));
        let (output_axes, output_directions) = (ints("scan_output_axes"), ints("scan_output_directions"));
        let nth =
            |list: &Option<Vec<i64>>, at: usize| list.as_ref().and_then(|list| list.get(at)).copied().unwrap_or(0);
        let rounds = {
            let cx = Cx { bb: &mut *bb };
            let axis = cx.axis(nth(&axes, 0), cx.rank(&scanned[0])?)?;
            cx.extent(&scanned[0], axis)?.as_int()
        };
        let rounds = rounds.ok_or_else(|| Refused::new("a scan over a symbolic length has no rule"))?;
        let mut carried = inputs;
        let states = carried.len();
        let mut results: Vec<Vec<Val>> = vec![Vec::new(); body.outputs.len().saturating_sub(states)];
        for round in 0..rounds {
            let mut given = std::mem::take(&mut carried);
            for (at, x) in scanned.iter().enumerate() {
                let cx = Cx { bb: &mut *bb };
                let axis = cx.axis(nth(&axes, at), cx.rank(x)?)?;
                let index = if nth(&directions, at) == 1 { rounds - 1 - round } else { round };
                given.push(cx.select(x, axis, &scalar::Expr::i64(index))?.into());
            }
            let Some(outputs) = self.body(bb, body, given)? else { return Ok(None) };
            let mut outputs = outputs.into_iter();
            carried = outputs.by_ref().take(states).collect();
            results.iter_mut().zip(outputs).for_each(|(all, one)| all.push(one));
        }
        let cx = &mut Cx { bb };
        for (at, items) in results.into_iter().enumerate() {
            carried.push(stacked(cx, items, nth(&output_axes, at), nth(&output_directions, at) == 1)?);
        }
        Ok(Some(carried))
    }
}

fn graph_of<'m>(node: &'m Node<'m>, name: &str) -> Res<&'m Graph<'m>> {
    let found = node.attributes.iter().find_map(|attribute| match &attribute.value {
        AttributeValue::Graph(graph) if attribute.name == name => Some(&**graph),
        _ => None,
    });
    found.ok_or_else(|| Refused(format!("it has no graph `{name}`")))
}

fn truth() -> Val {
    Known::scalar(scalar::Expr::bool(true)).into()
}

/// The one integer of a known value.
fn single(value: &Val) -> Option<i64> {
    let known = value.known()?;
    if let [one] = known.items.as_slice() { one.as_int() } else { None }
}

/// One of two values by a condition.
fn either(cx: &mut Cx<'_>, condition: &Expr, x: &Val, y: &Val) -> Res<Val> {
    if let (Val::Sequence(a), Val::Sequence(b)) = (x, y) {
        if a.len() != b.len() {
            return Err(Refused::new("its branches give sequences of different lengths"));
        }
        let items = a.iter().zip(b).map(|(x, y)| either(cx, condition, x, y)).collect::<Res<_>>()?;
        return Ok(Val::Sequence(items));
    }
    let (x, y) = (x.to_expr(cx)?, y.to_expr(cx)?);
    let (a, b) = (cx.shape(&x)?, cx.shape(&y)?);
    let analyzer = &cx.bb.infer_cx().analyzer;
    let other: Vec<usize> =
        a.iter().zip(&b).enumerate().filter(|(_, (a, b))| !analyzer.prove_equal(a, b)).map(|(at, _)| at).collect();
    match other[..] {
        _ if a.len() != b.len() => {}
        [] => return Ok(cx.choose(condition, &x, &y)?.into()),
        [axis] => return one_part(cx, condition, [x, y], axis),
        _ => {}
    }
    let reason = "its condition is known in the run alone, and its branches give shapes that differ in more than one \
                  dimension: where it depends on the size of an input, or on its value, give these when the model is \
                  imported";
    Err(Refused::new(reason))
}

/// One of two tensors, whose sizes differ along a dimension: a part of both, one after the other. Its size is that of a
/// run.
fn one_part(cx: &mut Cx<'_>, condition: &Expr, both: [Expr; 2], axis: usize) -> Res<Val> {
    let dims = cx.shape(&both[0])?;
    let (first, second) = (dims[axis].clone(), cx.extent(&both[1], axis)?);
    let all = cx.simplified(&(&first + &second));
    let whole = cx.call(&concat::OP, &[&Expr::tuple(both.to_vec())], [("axis", (axis as i64).to_attr())])?;
    let whole = cx.emit(whole)?;
    let zeros = vec![scalar::Expr::i64(0); dims.len()];
    let with = |dims: &[scalar::Expr], size: scalar::Expr| {
        let dims = dims.iter().enumerate().map(|(at, dim)| if at == axis { size.clone() } else { dim.clone() });
        Val::from(Known::ints(dims.collect()))
    };
    let bound = |cx: &mut Cx<'_>, [of_first, of_second]: [Val; 2]| -> Res<Expr> {
        let chosen = cx.choose(condition, &of_first.to_expr(cx)?, &of_second.to_expr(cx)?)?;
        cx.emit(chosen)
    };
    let begin = bound(cx, [with(&zeros, scalar::Expr::i64(0)), with(&zeros, first.clone())])?;
    let end = bound(cx, [with(&dims, first), with(&dims, all)])?;
    let step = Val::from(Known::ints(vec![scalar::Expr::i64(1); dims.len()])).to_expr(cx)?;
    let found = cx.call(&dynamic_strided_slice::OP, &[&whole, &begin, &end, &step], [])?;
    let dims = dims.into_iter().enumerate().map(|(at, dim)| if at == axis { new_size() } else { dim }).collect();
    Ok(cx.match_cast(&found, dims)?.into())
}

/// Values along a new dimension.
fn stacked(cx: &mut Cx<'_>, items: Vec<Val>, axis: i64, backwards: bool) -> Res<Val> {
    let mut items = items.iter().map(|item| item.to_expr(cx)).collect::<Res<Vec<_>>>()?;
    if backwards {
        items.reverse();
    }
    let wide = |item: &Expr| cx.call(&expand_dims::OP, &[item], [("axis", vec![axis].to_attr())]);
    let items = items.iter().map(wide).collect::<Res<Vec<_>>>()?;
    match items.as_slice() {
        [] => Err(Refused::new("it has no rounds, so that the shape of a result is not known")),
        [one] => Ok(one.clone().into()),
        _ => {
            let rank = cx.rank(&items[0])? as i64;
            let axis = if axis < 0 { axis + rank } else { axis };
            Ok(cx.call(&concat::OP, &[&Expr::tuple(items)], [("axis", axis.to_attr())])?.into())
        }
    }
}
