//! Places in IR: the names on the way from a root to a part of it.
//!
//! A path is written as the field writes it: `<root>.functions[main].body.blocks[0].bindings[2].value.args[1]`. What is
//! only a wrapper in this IR (the kind of an expression, an optional field, a boxed one) has no step of its own.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::IrNode;

/// One step from a node to a part of it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Step {
    Field(Cow<'static, str>),
    Item(usize),
    Key(Arc<str>),
    /// A field that the other side of a comparison has, and this one has not.
    MissingField(Cow<'static, str>),
    MissingItem(usize),
    MissingKey(Arc<str>),
}

impl Step {
    pub const fn field(name: &'static str) -> Self {
        Self::Field(Cow::Borrowed(name))
    }

    /// The same step where the part is missing.
    pub fn missing(self) -> Self {
        match self {
            Self::Field(name) => Self::MissingField(name),
            Self::Item(index) => Self::MissingItem(index),
            Self::Key(key) => Self::MissingKey(key),
            missing => missing,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Item(index) => write!(f, "[{index}]"),
            Self::Key(key) => write!(f, "[{key}]"),
            Self::MissingField(name) => write!(f, ".{name}<missing>"),
            Self::MissingItem(index) => write!(f, "[{index}]<missing>"),
            Self::MissingKey(key) => write!(f, "[{key}]<missing>"),
        }
    }
}

/// The steps from a root to a part.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Path(pub Vec<Step>);

impl Path {
    /// This path and one step more.
    pub fn then(&self, step: Step) -> Self {
        Self(self.0.iter().cloned().chain([step]).collect())
    }

    /// The path without its last step; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        let (_, before) = self.0.split_last()?;
        Some(Self(before.to_vec()))
    }

    pub fn is_prefix_of(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0)
    }

    /// The nodes on the way, the root first, as far as the path leads; whether it leads all the way.
    pub fn follow<'n>(&self, root: &'n dyn IrNode) -> (Vec<&'n dyn IrNode>, bool) {
        let mut nodes = vec![root];
        for step in &self.0 {
            let (mut found, mut here) = (None, root);
            if let Some(last) = nodes.last() {
                here = *last;
            }
            here.parts(&mut |name, part| {
                if name == *step && found.is_none() {
                    found = Some(part);
                }
            });
            match found {
                Some(part) => nodes.push(part),
                None => return (nodes, false),
            }
        }
        (nodes, true)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<root>")?;
        self.0.iter().try_for_each(|step| step.fmt(f))
    }
}
