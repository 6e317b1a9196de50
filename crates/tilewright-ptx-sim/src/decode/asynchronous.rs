//! To come.

use super::Decoded;
use super::builder::Builder;
use super::op::Op;
use super::opcode::Opcode;
use crate::parse::Statement;

pub(super) fn decode<'a>(
    _cx: &mut Builder<'a, '_>,
    _opcode: &Opcode<'a>,
    _statement: &Statement<'a>,
) -> Decoded<Option<Op>> {
    Ok(None)
}
