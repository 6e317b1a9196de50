//! Recurrent layers, `RNN`, `GRU` and `LSTM`, unrolled over the steps of a known length.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, less, multiply, subtract};
use tilewright_ops::create::full;
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::{flip, stack};
use tilewright_tensor::DataType;

use super::super::rule::{Args, Rule, bound, rule};
use super::super::values::Val;
use super::activation::{by_name, takes_parameters};
use super::gather::reversed;
use crate::common::{Cx, Refused, Res, ToAttr};

pub const ATTRIBUTES: &str =
    "activation_alpha activation_beta activations clip direction hidden_size layout input_forget linear_before_reset";

pub const RULES: &[Rule] = &[
    rule("RNN", "X W R B? sequence_lens? initial_h?", ATTRIBUTES, |cx, args| layer(cx, args, Kind::Plain)),
    rule("GRU", "X W R B? sequence_lens? initial_h?", ATTRIBUTES, |cx, args| layer(cx, args, Kind::Gru)),
    rule("LSTM", "X W R B? sequence_lens? initial_h? initial_c? P?", ATTRIBUTES, lstm),
];

pub fn lstm(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    layer(cx, args, Kind::Lstm)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Gru,
    Lstm,
}

impl Kind {
    fn activations(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &["Tanh"],
            Self::Gru => &["Sigmoid", "Tanh"],
            Self::Lstm => &["Sigmoid", "Tanh", "Tanh"],
        }
    }

    fn gates(self) -> i64 {
        match self {
            Self::Plain => 1,
            Self::Gru => 3,
            Self::Lstm => 4,
        }
    }
}

/// Steps that a layer is unrolled to at most.
const MAX_STEPS: i64 = 4096;

/// The name of an activation with its parameters.
type Activation = (String, [Option<f64>; 2]);

/// A layer in one direction.
struct Cell {
    kind: Kind,
    /// The weights of the input, transposed, and those of the state.
    input: Expr,
    state: Expr,
    /// The biases of the input and of the state.
    biases: Option<[Expr; 2]>,
    peephole: Option<[Expr; 3]>,
    activations: Vec<Activation>,
    clip: Option<f64>,
    hidden: i64,
    input_forget: bool,
    linear_before_reset: bool,
}

fn at(cx: &Cx<'_>, x: &Expr, index: i64) -> Res<Expr> {
    cx.select(x, 0, &scalar::Expr::i64(index))
}

fn part(cx: &Cx<'_>, x: &Expr, axis: usize, index: i64, size: i64) -> Res<Expr> {
    cx.slice(x, axis, &scalar::Expr::i64(index * size), &scalar::Expr::i64((index + 1) * size), 1)
}

fn layer(cx: &mut Cx<'_>, args: &Args<'_>, kind: Kind) -> Res<Val> {
    let batch_first = args.int("layout", 0)? == 1;
    let x = args.tensor(cx, 0)?;
    let x = if batch_first { cx.permute(&x, vec![1, 0, 2])? } else { x };
    let x = bound(cx, x)?;
    let [steps, batch, _] = &cx.shape(&x)?[..] else { return Err(Refused::new("data is of steps, batch and width")) };
    let steps = steps.as_int().filter(|steps| (1..=MAX_STEPS).contains(steps));
    let steps = steps.ok_or_else(|| {
        Refused(format!("only 1 to {MAX_STEPS} steps, known when the model is imported, have a rule"))
    })?;
    let batch = batch.clone();
    let direction = args.text("direction", "forward")?;
    let directions: &[bool] = match direction.as_str() {
        "forward" => &[false],
        "reverse" => &[true],
        "bidirectional" => &[false, true],
        other => return Err(Refused(format!("the direction \"{other}\" has no rule"))),
    };
    let dtype = cx.dtype(&x)?;
    let lengths = args.optional(cx, 4)?;
    let (mut outputs, mut last_states, mut last_cells) = (Vec::new(), Vec::new(), Vec::new());
    for (index, backwards) in directions.iter().enumerate() {
        let cell = Cell::of(cx, args, kind, index)?;
        let initial = |cx: &mut Cx<'_>, input: usize| -> Res<Expr> {
            match args.optional(cx, input)? {
                Some(all) => at(cx, &if batch_first { cx.permute(&all, vec![1, 0, 2])? } else { all }, index as i64),
                None => {
                    let shape = Expr::shape(vec![batch.clone(), scalar::Expr::i64(cell.hidden)]);
                    cx.call(&full::OP, &[&shape, &cx.number(0.0, dtype)?], [])
                }
            }
        };
        let state = initial(cx, 5)?;
        let memory = if kind == Kind::Lstm { Some(initial(cx, 6)?) } else { None };
        let mut data = x.clone();
        if *backwards {
            data = reversed_steps(cx, &x, lengths.as_ref())?;
        }
        let (all, state, memory) = unrolled(cx, &cell, &data, (state, memory), lengths.as_ref(), steps)?;
        let all = if *backwards { reversed_steps(cx, &all, lengths.as_ref())? } else { all };
        outputs.push(all);
        last_states.push(state);
        last_cells.extend(memory);
    }
    let stacked = |cx: &Cx<'_>, items: Vec<Expr>, axis: i64| {
        cx.call(&stack::OP, &[&Expr::tuple(items)], [("axis", axis.to_attr())])
    };
    // Steps, directions, batch, width; or batch, steps, directions, width.
    let mut all = stacked(cx, outputs, 1)?;
    let mut last = stacked(cx, last_states, 0)?;
    if batch_first {
        (all, last) = (cx.permute(&all, vec![2, 0, 1, 3])?, cx.permute(&last, vec![1, 0, 2])?);
    }
    let mut found = vec![Val::from(all), last.into()];
    if kind == Kind::Lstm {
        let memory = stacked(cx, last_cells, 0)?;
        found.push(if batch_first { cx.permute(&memory, vec![1, 0, 2])? } else { memory }.into());
    }
    Ok(Val::Outputs(found))
}

/// The steps in the opposite order, of each sequence those that it has.
fn reversed_steps(cx: &mut Cx<'_>, x: &Expr, lengths: Option<&Expr>) -> Res<Expr> {
    let Some(lengths) = lengths else { return cx.call(&flip::OP, &[x], [("axis", 0i64.to_attr())]) };
    let x = bound(cx, x.clone())?;
    reversed(cx, &x, lengths, 0)
}

type States = (Expr, Option<Expr>);

/// The states of all steps, and the last ones.
fn unrolled(
    cx: &mut Cx<'_>,
    cell: &Cell,
    x: &Expr,
    (mut state, mut memory): States,
    lengths: Option<&Expr>,
    steps: i64,
) -> Res<(Expr, Expr, Option<Expr>)> {
    // The products with the input of all steps are one.
    let mut gates = cx.call(&matmul::OP, &[x, &cell.input], [])?;
    if let Some([bias, _]) = &cell.biases {
        gates = cx.call(&add::OP, &[&gates, bias], [])?;
    }
    let gates = bound(cx, gates)?;
    let mut all = Vec::new();
    for step in 0..steps {
        let own = at(cx, &gates, step)?;
        let own = cx.emit(own)?;
        let old = bound(cx, state)?;
        let (mut new, mut new_memory) = cell.step(cx, &own, &old, memory.as_ref())?;
        let mut shown = new.clone();
        if let Some(lengths) = lengths {
            // After its end, a sequence keeps its state, and its output is 0.
            let number = cx.number(step, DataType::I64)?;
            let going = cx.call(&less::OP, &[&number, &cx.astype(lengths, DataType::I64)?], [])?;
            let going = cx.emit(cx.along_axis(&going, 0, 2)?)?;
            new = bound(cx, new)?;
            shown = cx.choose(&going, &new, &cx.number(0.0, cx.dtype(&new)?)?)?;
            new = cx.choose(&going, &new, &old)?;
            if let (Some(now), Some(before)) = (new_memory.as_ref(), memory.as_ref()) {
                new_memory = Some(cx.choose(&going, now, before)?);
            }
        }
        new = bound(cx, new)?;
        all.push(if lengths.is_some() { shown } else { new.clone() });
        state = new;
        memory = match new_memory {
            Some(memory) => Some(bound(cx, memory)?),
            None => None,
        };
    }
    let all = cx.call(&stack::OP, &[&Expr::tuple(all)], [("axis", 0i64.to_attr())])?;
    Ok((all, state, memory))
}

/// The activations of a direction. The lists of parameters have values for those that take one, in order.
fn activations(args: &Args<'_>, kind: Kind, index: usize) -> Res<Vec<Activation>> {
    let usual = kind.activations();
    let names = match args.texts("activations")? {
        Some(names) => names,
        None => usual.iter().cycle().take(2 * usual.len()).map(|name| (*name).to_owned()).collect(),
    };
    let (alphas, betas) = (args.floats("activation_alpha")?, args.floats("activation_beta")?);
    let mut lists = [alphas, betas].map(|list| list.unwrap_or_default().into_iter());
    let with_parameters = names.into_iter().map(|name| {
        let mut takes = takes_parameters(&name).into_iter();
        let parameters = lists.each_mut().map(|list| if takes.next() == Some(true) { list.next() } else { None });
        (name, parameters)
    });
    let own: Vec<Activation> = with_parameters.skip(index * usual.len()).take(usual.len()).collect();
    if own.len() == usual.len() { Ok(own) } else { Err(Refused::new("`activations` are too few")) }
}

impl Cell {
    fn of(cx: &mut Cx<'_>, args: &Args<'_>, kind: Kind, index: usize) -> Res<Self> {
        let number = index as i64;
        let (weights, recurrent) = (at(cx, &args.tensor(cx, 1)?, number)?, at(cx, &args.tensor(cx, 2)?, number)?);
        let hidden = cx.extent(&recurrent, 1)?.as_int();
        let hidden = hidden.ok_or_else(|| Refused::new("the number of hidden elements must be known"))?;
        let transposed = |cx: &mut Cx<'_>, one: &Expr| -> Res<Expr> { cx.emit(cx.permute(one, vec![1, 0])?) };
        let (input, state) = (transposed(cx, &weights)?, transposed(cx, &recurrent)?);
        let gates = kind.gates() * hidden;
        let linear_before_reset = args.flag("linear_before_reset", false)?;
        let biases = match args.optional(cx, 3)? {
            Some(all) => {
                let all = at(cx, &all, number)?;
                Some([part(cx, &all, 0, 0, gates)?, part(cx, &all, 0, 1, gates)?])
            }
            None => None,
        };
        let peephole = match args.optional(cx, 7)? {
            Some(all) => {
                let all = at(cx, &all, number)?;
                Some([part(cx, &all, 0, 0, hidden)?, part(cx, &all, 0, 1, hidden)?, part(cx, &all, 0, 2, hidden)?])
            }
            None => None,
        };
        Ok(Self {
            kind,
            input,
            state,
            biases,
            peephole,
            activations: activations(args, kind, index)?,
            clip: args.maybe_float("clip")?,
            hidden,
            input_forget: args.flag("input_forget", false)?,
            linear_before_reset,
        })
    }

    /// An activation, of its argument held in the range of `clip`.
    fn activated(&self, cx: &mut Cx<'_>, which: usize, x: &Expr) -> Res<Expr> {
        let (name, parameters) = &self.activations[which];
        let x = match self.clip {
            Some(limit) => cx.clip(x, -limit, limit)?,
            None => x.clone(),
        };
        by_name(cx, x, name, *parameters)
    }

    /// The next state. `own` is what the input gives to the gates.
    fn step(&self, cx: &mut Cx<'_>, own: &Expr, state: &Expr, memory: Option<&Expr>) -> Res<(Expr, Option<Expr>)> {
        match (self.kind, memory) {
            (Kind::Plain, _) => {
                let from_state = self.of_state(cx, state)?;
                let sum = cx.call(&add::OP, &[own, &from_state], [])?;
                Ok((self.activated(cx, 0, &sum)?, None))
            }
            (Kind::Gru, _) => Ok((self.gru(cx, own, state)?, None)),
            (Kind::Lstm, Some(memory)) => self.lstm(cx, own, state, memory),
            (Kind::Lstm, None) => Err(Refused::new("an LSTM has a cell")),
        }
    }

    /// What the state gives to the gates.
    fn of_state(&self, cx: &Cx<'_>, state: &Expr) -> Res<Expr> {
        let product = cx.call(&matmul::OP, &[state, &self.state], [])?;
        match &self.biases {
            Some([_, bias]) => cx.call(&add::OP, &[&product, bias], []),
            None => Ok(product),
        }
    }

    /// Gates: update, reset, hidden.
    fn gru(&self, cx: &mut Cx<'_>, own: &Expr, state: &Expr) -> Res<Expr> {
        let n = self.hidden;
        let from_state = self.of_state(cx, state)?;
        let from_state = cx.emit(from_state)?;
        let both = |cx: &Cx<'_>, gate: i64| {
            cx.call(&add::OP, &[&part(cx, own, 1, gate, n)?, &part(cx, &from_state, 1, gate, n)?], [])
        };
        let update = both(cx, 0)?;
        let update = self.activated(cx, 0, &update)?;
        let update = cx.emit(update)?;
        let reset = both(cx, 1)?;
        let reset = self.activated(cx, 0, &reset)?;
        let inner = match self.linear_before_reset {
            true => cx.call(&multiply::OP, &[&reset, &part(cx, &from_state, 1, 2, n)?], [])?,
            false => {
                let kept = cx.call(&multiply::OP, &[&reset, state], [])?;
                let product = cx.call(&matmul::OP, &[&kept, &part(cx, &self.state, 1, 2, n)?], [])?;
                match &self.biases {
                    Some([_, bias]) => cx.call(&add::OP, &[&product, &part(cx, bias, 0, 2, n)?], [])?,
                    None => product,
                }
            }
        };
        let hidden = cx.call(&add::OP, &[&part(cx, own, 1, 2, n)?, &inner], [])?;
        let hidden = self.activated(cx, 1, &hidden)?;
        let rest = cx.call(&subtract::OP, &[&cx.number(1.0, cx.dtype(own)?)?, &update], [])?;
        let new = cx.call(&multiply::OP, &[&rest, &hidden], [])?;
        cx.call(&add::OP, &[&new, &cx.call(&multiply::OP, &[&update, state], [])?], [])
    }

    /// Gates: input, output, forget, cell.
    fn lstm(&self, cx: &mut Cx<'_>, own: &Expr, state: &Expr, memory: &Expr) -> Res<(Expr, Option<Expr>)> {
        let n = self.hidden;
        let memory = bound(cx, memory.clone())?;
        let from_state = self.of_state(cx, state)?;
        let sum = cx.call(&add::OP, &[own, &from_state], [])?;
        let sum = cx.emit(sum)?;
        let with = |cx: &Cx<'_>, gate: i64, hole: usize, memory: &Expr| -> Res<Expr> {
            let gate = part(cx, &sum, 1, gate, n)?;
            match &self.peephole {
                Some(holes) => cx.call(&add::OP, &[&gate, &cx.call(&multiply::OP, &[&holes[hole], memory], [])?], []),
                None => Ok(gate),
            }
        };
        let input = with(cx, 0, 0, &memory)?;
        let input = self.activated(cx, 0, &input)?;
        let input = cx.emit(input)?;
        let forget = match self.input_forget {
            true => cx.call(&subtract::OP, &[&cx.number(1.0, cx.dtype(own)?)?, &input], [])?,
            false => {
                let forget = with(cx, 2, 2, &memory)?;
                self.activated(cx, 0, &forget)?
            }
        };
        let cell = part(cx, &sum, 1, 3, n)?;
        let cell = self.activated(cx, 1, &cell)?;
        let kept = cx.call(&multiply::OP, &[&forget, &memory], [])?;
        let new = cx.call(&add::OP, &[&kept, &cx.call(&multiply::OP, &[&input, &cell], [])?], [])?;
        let new = cx.emit(new)?;
        let output = with(cx, 1, 1, &new)?;
        let output = self.activated(cx, 0, &output)?;
        let shown = self.activated(cx, 2, &new)?;
        Ok((cx.call(&multiply::OP, &[&output, &shown], [])?, Some(new)))
    }
}
