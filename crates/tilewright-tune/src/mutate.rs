//! Neighbours of traces: another decision, another field of a kernel's plan, another size of a split.

use tilewright_ir::Attr;
use tilewright_schedule::primitive::Primitive;
use tilewright_schedule::trace::Instruction;
use tilewright_schedule::{Arg, Trace};

use crate::random::Random;

/// The trace with all of its decisions left open.
pub(crate) fn undecided(trace: &Trace) -> Trace {
    let mut trace = trace.clone();
    trace.instructions.iter_mut().for_each(reopen);
    trace
}

/// Whether a trace draws anything.
pub(crate) fn draws(trace: &Trace) -> bool {
    trace.instructions.iter().any(|instruction| instruction.primitive.draws())
}

fn reopen(instruction: &mut Instruction) {
    if instruction.primitive.draws()
        && let Some(last) = instruction.args.last_mut()
    {
        *last = Arg::Attr(Attr::None);
    }
}

/// The trace with one of its decisions left open; `None` where it draws nothing.
pub(crate) fn with_open_decision(random: &mut Random, trace: &Trace) -> Option<Trace> {
    let drawn = trace.instructions.iter().enumerate().filter(|(_, instruction)| instruction.primitive.draws());
    let drawn: Vec<usize> = drawn.map(|(at, _)| at).collect();
    let at = *random.pick(&drawn)?;
    let mut trace = trace.clone();
    reopen(&mut trace.instructions[at]);
    Some(trace)
}

/// The trace with one size or choice changed: of a kernel's plan, or of a split. `None` where it has none. Whether the
/// primitive takes the new value shows when the trace is replayed.
pub(crate) fn with_changed_size(random: &mut Random, trace: &Trace) -> Option<Trace> {
    let mut sites: Vec<(usize, usize)> = Vec::new();
    for (at, instruction) in trace.instructions.iter().enumerate() {
        let is_plan = instruction.primitive.plan.is_some();
        let is_split = instruction.primitive.name == "Split";
        for (arg, value) in instruction.args.iter().enumerate() {
            let of_plan = is_plan && arg > 0 && matches!(value, Arg::Attr(_));
            let of_split = is_split && matches!(value, Arg::List(items) if items.iter().any(|i| size_of(i).is_some()));
            if of_plan || of_split {
                sites.push((at, arg));
            }
        }
    }
    let &(at, arg) = random.pick(&sites)?;
    let mut trace = trace.clone();
    let instruction = &mut trace.instructions[at];
    let changed = match &instruction.args[arg] {
        Arg::List(items) => changed_item(random, items)?,
        Arg::Attr(attr) => Arg::Attr(changed_field(random, instruction.primitive, arg, attr)?),
        Arg::Rv(_) | Arg::Expr(_) | Arg::Buffer(_) | Arg::Slot { .. } => return None,
    };
    instruction.args[arg] = changed;
    Some(trace)
}

fn size_of(arg: &Arg) -> Option<i64> {
    match arg {
        Arg::Attr(Attr::Int(size)) => Some(*size),
        Arg::Expr(expr) => expr.as_int(),
        Arg::Attr(_) | Arg::Rv(_) | Arg::List(_) | Arg::Buffer(_) | Arg::Slot { .. } => None,
    }
}

fn changed_item(random: &mut Random, items: &[Arg]) -> Option<Arg> {
    let sized: Vec<usize> = (0..items.len()).filter(|&at| size_of(&items[at]).is_some()).collect();
    let at = *random.pick(&sized)?;
    let mut items = items.to_vec();
    items[at] = Arg::Attr(Attr::Int(changed_size(random, size_of(&items[at])?)?));
    Some(Arg::List(items))
}

fn changed_field(random: &mut Random, primitive: &Primitive, arg: usize, attr: &Attr) -> Option<Attr> {
    match attr {
        Attr::Bool(value) => Some(Attr::Bool(!value)),
        Attr::Int(size) => changed_size(random, *size).map(Attr::Int),
        Attr::Str(now) => {
            let (field, _) = primitive.params.get(arg)?;
            let (_, all) = primitive.plan?.choices.iter().find(|(name, _)| name == field)?;
            let others: Vec<&str> = all.iter().copied().filter(|choice| **choice != **now).collect();
            random.pick(&others).map(|choice| Attr::str(*choice))
        }
        _ => None,
    }
}

/// Half, double, or the size with one of its parts more or less, so that multiples of vectors stay such.
fn changed_size(random: &mut Random, size: i64) -> Option<i64> {
    let unit = if size > 0 { (1i64 << size.trailing_zeros()).min(size) } else { 1 };
    let steps = [unit, -unit, 1, -1].map(|step| size.checked_add(step));
    let wishes = [Some(size / 2), size.checked_mul(2)].into_iter().chain(steps).flatten();
    let changed: Vec<i64> = wishes.filter(|&wish| wish > 0 && wish != size).collect();
    random.pick(&changed).copied()
}
