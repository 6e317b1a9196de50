//! PTX text → [`Module`](crate::Module). Names are resolved and instructions decoded as they are read.

mod body;
mod cursor;
mod declaration;
pub(crate) mod lexer;
mod module;

pub(crate) use module::parse;

use lexer::Literal;

/// An operand as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand<'a> {
    Word(&'a str),
    /// `!%p1`.
    Not(&'a str),
    Number(Literal),
    /// `name+8`.
    Sum(&'a str, i64),
    /// `[address]`, or `[tensor map, {coordinates}]`.
    Bracket(Vec<Operand<'a>>),
    /// `{%r1, %r2}`.
    Vector(Vec<Operand<'a>>),
    /// `(param0, param1)` of a call.
    List(Vec<Operand<'a>>),
    /// `%p1|%p2`.
    Pair(Box<(Operand<'a>, Operand<'a>)>),
}

/// An instruction as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Statement<'a> {
    pub(crate) line: u32,
    /// The predicate, and whether it is negated.
    pub(crate) guard: Option<(&'a str, bool)>,
    pub(crate) opcode: &'a str,
    pub(crate) operands: Vec<Operand<'a>>,
}
