//! An opcode and its modifiers: `ld.global.v2.f32`.

use crate::types::Type;

#[derive(Clone, Debug)]
pub(crate) struct Opcode<'a> {
    /// The whole text.
    pub(crate) text: &'a str,
    /// The word before the first dot.
    pub(crate) name: &'a str,
    /// The other words.
    pub(crate) modifiers: Vec<&'a str>,
    /// The modifiers that are types, in order.
    pub(crate) types: Vec<Type>,
}

impl<'a> Opcode<'a> {
    pub(crate) fn new(text: &'a str) -> Opcode<'a> {
        let mut words = text.split('.');
        let name = words.next().unwrap_or(text);
        let modifiers: Vec<&str> = words.collect();
        let types = modifiers.iter().filter_map(|word| Type::parse(word)).collect();
        Opcode { text, name, modifiers, types }
    }

    pub(crate) fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// The last type, that of the operation.
    pub(crate) fn ty(&self) -> Option<Type> {
        self.types.last().copied()
    }

    /// The modifiers that are none of `known` and no types: forms that the simulator has no meaning for.
    pub(crate) fn unknown(&self, known: &[&str]) -> Option<&'a str> {
        self.modifiers.iter().copied().find(|word| !known.contains(word) && Type::parse(word).is_none())
    }
}
