//! Options of passes: each is declared next to the pass that reads it.

use tilewright_support::nearest;

use crate::op::AttrKind;
use crate::{Attr, Attrs};

/// An option that a pass reads from [`PassCx::config`](super::PassCx::config).
#[derive(Clone, Copy, Debug)]
pub struct OptionDef {
    /// The name that users write, such as `ir.verify`.
    pub name: &'static str,
    pub kind: AttrKind,
    pub doc: &'static str,
}

/// The options that the context reads itself.
pub const CONTEXT_OPTIONS: &[OptionDef] = &[OptionDef {
    name: "ir.verify",
    kind: AttrKind::Bool,
    doc: "Whether the form of the module is checked before and after each pass; by default it is.",
}];

/// Checks options against their declarations: an unknown name is an error that suggests a similar one, and so is a
/// value of another kind.
pub fn check_config<'o>(declared: impl IntoIterator<Item = &'o OptionDef>, config: &Attrs) -> Result<(), String> {
    let declared: Vec<&OptionDef> = declared.into_iter().collect();
    for (name, value) in config {
        let Some(option) = declared.iter().find(|option| option.name == &**name) else {
            let near = nearest(name, declared.iter().map(|option| option.name));
            let near = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
            return Err(format!("no pass has the option `{name}`{near}"));
        };
        if !fits(option.kind, value) {
            let (expected, found) = (option.kind.in_words(), value.in_words());
            return Err(format!("option `{name}` must be {expected}, found {found}"));
        }
    }
    Ok(())
}

fn fits(kind: AttrKind, value: &Attr) -> bool {
    match kind {
        AttrKind::Bool => matches!(value, Attr::Bool(_)),
        AttrKind::Int => matches!(value, Attr::Int(_)),
        AttrKind::OptionalInt => matches!(value, Attr::None | Attr::Int(_)),
        AttrKind::Float => matches!(value, Attr::Float(_) | Attr::Int(_)),
        AttrKind::OptionalFloat => matches!(value, Attr::None | Attr::Float(_) | Attr::Int(_)),
        AttrKind::Str => matches!(value, Attr::Str(_)),
        AttrKind::OptionalStr => matches!(value, Attr::None | Attr::Str(_)),
        AttrKind::DType => matches!(value, Attr::DType(_) | Attr::Str(_)),
        AttrKind::Ints | AttrKind::Each(_) | AttrKind::Sides(_) => value.as_ints().is_some(),
        AttrKind::Floats => matches!(value, Attr::Array(_)),
        AttrKind::IntOrInts => matches!(value, Attr::Int(_)) || value.as_ints().is_some(),
        AttrKind::VDevice | AttrKind::IndexMap => false,
        AttrKind::OptionalInts | AttrKind::OptionalEach(_) => matches!(value, Attr::None) || value.as_ints().is_some(),
    }
}
