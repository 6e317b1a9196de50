//! Traces: the calls of primitives that made a schedule, in order.
//!
//! A trace is written as the Python that makes it again, one call a line:
//!
//! ```text
//! b0 = sch.get_block(name="matmul", func_name="main")
//! l1, l2 = sch.get_loops(block=b0)
//! l3, l4 = sch.split(loop=l1, factors=[None, 16], preserve_unit_iters=True, disable_predication=False)
//! ```

pub(crate) mod index_map;

use std::fmt;

use tilewright_ir::Attr;
use tilewright_ir::tir::{Buffer, Expr};

use crate::primitive::{Default, Primitive};
use crate::site::Key;

/// What a handle stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    Block,
    Loop,
    Expr,
}

/// A handle that a schedule gave out: a number that none of its others has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rv {
    pub sort: Sort,
    pub number: usize,
}

impl Rv {
    pub(crate) fn of(key: &Key, number: usize) -> Self {
        let sort = match key {
            Key::Loop(_) => Sort::Loop,
            Key::Block(_) | Key::Bare(..) => Sort::Block,
        };
        Self { sort, number }
    }
}

impl fmt::Display for Rv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.sort {
            Sort::Block => 'b',
            Sort::Loop => 'l',
            Sort::Expr => 'v',
        };
        write!(f, "{letter}{}", self.number)
    }
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Arg {
    Rv(Rv),
    Expr(Expr),
    Attr(Attr),
    List(Vec<Arg>),
    /// A buffer of a block. A call makes it the [`Arg::Slot`] that the buffer has there.
    Buffer(Buffer),
    /// The buffer of this number among those that a block reads, or writes.
    Slot {
        write: bool,
        index: i64,
    },
}

/// The handles that a call gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    Nothing,
    One(Rv),
    List(Vec<Rv>),
}

impl Output {
    pub fn rvs(&self) -> &[Rv] {
        match self {
            Self::Nothing => &[],
            Self::One(rv) => std::slice::from_ref(rv),
            Self::List(rvs) => rvs,
        }
    }
}

/// A call of a primitive.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub primitive: &'static Primitive,
    /// One for each parameter.
    pub args: Vec<Arg>,
    pub output: Output,
}

/// Calls in order.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub instructions: Vec<Instruction>,
}

fn write_list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            f.write_str(", ")?;
        }
        item.fmt(f)?;
    }
    Ok(())
}

impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rv(rv) => rv.fmt(f),
            Self::Expr(expr) => match (expr.as_int(), expr.as_var()) {
                (Some(value), _) => value.fmt(f),
                (None, Some(var)) => f.write_str(&var.name),
                (None, None) => f.write_str("..."),
            },
            Self::Attr(attr) => write_attr(f, attr),
            Self::List(items) => {
                f.write_str("[")?;
                write_list(f, items)?;
                f.write_str("]")
            }
            Self::Buffer(buffer) => write!(f, "{:?}", buffer.name),
            Self::Slot { write, index } => write!(f, "(\"{}\", {index})", if *write { "write" } else { "read" }),
        }
    }
}

fn write_attr(f: &mut fmt::Formatter<'_>, attr: &Attr) -> fmt::Result {
    match attr {
        Attr::None => f.write_str("None"),
        Attr::Bool(value) => f.write_str(if *value { "True" } else { "False" }),
        Attr::Int(value) => write!(f, "{value}"),
        Attr::Float(value) if value.0.is_finite() => write!(f, "{:?}", value.0),
        Attr::Float(value) => write!(f, "float(\"{}\")", value.0),
        Attr::Str(text) => write!(f, "{text:?}"),
        Attr::DType(dtype) => write!(f, "\"{dtype}\""),
        Attr::Expr(expr) => write!(f, "{}", Arg::Expr(expr.clone())),
        Attr::Array(items) => {
            let items: Vec<Arg> = items.iter().cloned().map(Arg::Attr).collect();
            write!(f, "{}", Arg::List(items))
        }
        Attr::Map(items) => {
            f.write_str("{")?;
            for (at, (name, value)) in items.iter().enumerate() {
                write!(f, "{}{name:?}: ", if at > 0 { ", " } else { "" })?;
                write_attr(f, value)?;
            }
            f.write_str("}")
        }
        Attr::IndexMap(map) => index_map::write(f, map),
        Attr::Tensor(_) => f.write_str("..."),
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let args: Vec<String> = self.args.iter().map(ToString::to_string).collect();
        let outputs: Vec<String> = self.output.rvs().iter().map(ToString::to_string).collect();
        f.write_str(&line(self.primitive, &args, &outputs))
    }
}

/// The map of indices of a text such as `lambda i, j: (j, i,)`.
///
/// # Errors
///
/// The text is no such map.
pub fn index_map_of(text: &str) -> Result<tilewright_ir::IndexMap, String> {
    let map = text.trim().strip_prefix("lambda").ok_or_else(|| format!("expected `lambda`, found `{text}`"))?;
    index_map::read(map).map(|(map, _)| map)
}

/// A call as a line of Python, from the texts of its arguments and the names of its handles.
pub fn line(primitive: &Primitive, args: &[String], outputs: &[String]) -> String {
    let arg = |((name, _), value): (&(&str, Default), &String)| match name.strip_prefix('*') {
        Some(_) => value.trim_start_matches('[').trim_end_matches(']').to_owned(),
        None if primitive.name == "GetChildBlocks" => value.clone(),
        None => format!("{name}={value}"),
    };
    // Without consumers, all blocks after a copy read it: that is what a call without them says.
    let is_said = |((name, _), value): &(&(&str, Default), &String)| {
        *name != "consumer_blocks" || !matches!(&***value, "None" | "[]")
    };
    let args: Vec<String> = primitive.params.iter().zip(args).filter(is_said).map(arg).collect();
    let call = format!("sch.{}({})", primitive.method, args.join(", "));
    match outputs {
        [] => call,
        [only] if primitive.gives_list => format!("{only}, = {call}"),
        several => format!("{} = {call}", several.join(", ")),
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.instructions.iter().try_for_each(|instruction| writeln!(f, "{instruction}"))
    }
}
