//! Passes as users make them: by name, with arguments that are data or functions of the user's.
//!
//! A [`PassDef`] is a pass's row of the table of its crate. Everything that makes passes by name reads it: Python's
//! functions, the command line and the textual tests.

use std::fmt;
use std::sync::Arc;

use tilewright_support::{OrderedMap, nearest};
use tilewright_tensor::DataType;

use super::Pass;
use crate::op::AttrDefault;
use crate::relax::{Expr, StructInfo};
use crate::{Attr, Attrs};

/// The declaration of a pass.
#[derive(Clone, Copy, Debug)]
pub struct PassDef {
    pub name: &'static str,
    /// Its description, in a sentence; empty if its module's documentation suffices.
    pub doc: &'static str,
    pub params: &'static [ParamDef],
    /// Makes it of arguments that are checked and complete.
    pub make: fn(&PassArgs) -> Result<Arc<dyn Pass>, String>,
}

/// A parameter of a pass.
#[derive(Clone, Copy, Debug)]
pub struct ParamDef {
    pub name: &'static str,
    pub kind: ParamKind,
    pub default: AttrDefault,
    pub doc: &'static str,
}

/// The kinds of arguments of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamKind {
    Bool,
    Int,
    Str,
    OptionalStr,
    DType,
    OptionalStrs,
    /// Lists of texts by name.
    TextLists,
    /// Data by name.
    OptionalDict,
    /// Yes or no for all functions, or the names of those for which it is yes.
    BoolOrStrs,
    Callback,
    OptionalCallback,
}

impl ParamKind {
    /// The description in messages.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Bool => "True or False",
            Self::Int => "an integer",
            Self::Str => "a text",
            Self::OptionalStr => "a text or None",
            Self::DType => "a data type",
            Self::OptionalStrs => "texts or None",
            Self::TextLists => "a dict of lists of texts",
            Self::OptionalDict => "a dict or None",
            Self::BoolOrStrs => "True, False or texts",
            Self::Callback => "a function",
            Self::OptionalCallback => "a function or None",
        }
    }

    /// The argument in the parameter's own kind.
    fn fit(self, arg: &PassArg) -> Option<PassArg> {
        let data = match (self, arg) {
            (Self::Callback | Self::OptionalCallback, PassArg::Callback(_))
            | (Self::OptionalCallback, PassArg::Data(Attr::None)) => return Some(arg.clone()),
            (_, PassArg::Callback(_)) => return None,
            (_, PassArg::Data(data)) => data,
        };
        let are_texts =
            |data: &Attr| matches!(data, Attr::Array(items) if items.iter().all(|item| item.as_str().is_some()));
        let texts = || are_texts(data);
        let fits = match (self, data) {
            (Self::DType, Attr::Str(text)) => return text.parse().ok().map(|dtype| PassArg::Data(Attr::DType(dtype))),
            (Self::Bool | Self::BoolOrStrs, Attr::Bool(_))
            | (Self::Int, Attr::Int(_))
            | (Self::Str | Self::OptionalStr, Attr::Str(_))
            | (Self::DType, Attr::DType(_))
            | (Self::OptionalDict, Attr::Map(_))
            | (Self::OptionalStr | Self::OptionalStrs | Self::OptionalDict, Attr::None) => true,
            (Self::BoolOrStrs | Self::OptionalStrs, _) => texts(),
            (Self::TextLists, Attr::Map(lists)) => lists.values().all(are_texts),
            _ => false,
        };
        fits.then(|| arg.clone())
    }

    /// Parses the argument from a text.
    fn read(self, text: &str) -> Option<Attr> {
        match (self, text) {
            (Self::OptionalStr | Self::OptionalStrs | Self::OptionalDict | Self::OptionalCallback, "None") => {
                Some(Attr::None)
            }
            (Self::Bool | Self::BoolOrStrs, "True") => Some(Attr::Bool(true)),
            (Self::Bool | Self::BoolOrStrs, "False") => Some(Attr::Bool(false)),
            (Self::Int, _) => text.parse().ok().map(Attr::Int),
            (Self::Str | Self::OptionalStr | Self::DType, _) => Some(Attr::str(text)),
            (Self::OptionalStrs | Self::BoolOrStrs, _) => Some(Attr::Array(text.split('+').map(Attr::str).collect())),
            (Self::TextLists, _) => {
                let list = |part: &str| {
                    let mut texts = part.split(':');
                    Some((texts.next()?.into(), Attr::Array(texts.map(Attr::str).collect())))
                };
                text.split('+').map(list).collect::<Option<_>>().map(Attr::Map)
            }
            (Self::Bool | Self::OptionalDict | Self::Callback | Self::OptionalCallback, _) => None,
        }
    }
}

/// An argument of a pass.
#[derive(Clone)]
pub enum PassArg {
    Data(Attr),
    Callback(Callback),
}

impl fmt::Debug for PassArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(data) => data.fmt(f),
            Self::Callback(_) => f.write_str("a function"),
        }
    }
}

impl PassArg {
    fn in_words(&self) -> String {
        match self {
            Self::Data(data) => data.in_words(),
            Self::Callback(_) => "a function".to_owned(),
        }
    }
}

/// A function of the user's that a pass asks.
pub type Callback = Arc<dyn Fn(&[CallbackValue]) -> Result<CallbackValue, String> + Send + Sync>;

/// The arguments and the result of a user's function that a pass calls.
#[derive(Clone, Debug)]
pub enum CallbackValue {
    Data(Attr),
    Expr(Expr),
    Exprs(Vec<Expr>),
    StructInfo(StructInfo),
}

/// The arguments of a pass by the names of its parameters: each is there, in its parameter's kind.
#[derive(Clone, Debug, Default)]
pub struct PassArgs(OrderedMap<&'static str, PassArg>);

impl PassArgs {
    fn data(&self, name: &str) -> Option<&Attr> {
        match self.0.get(name) {
            Some(PassArg::Data(data)) => Some(data),
            _ => None,
        }
    }

    /// Whether a [`ParamKind::Bool`] is true.
    pub fn flag(&self, name: &str) -> bool {
        self.data(name).is_some_and(Attr::is_true)
    }

    /// The value of a [`ParamKind::Int`].
    pub fn int(&self, name: &str) -> i64 {
        self.data(name).and_then(Attr::as_int).unwrap_or_default()
    }

    /// The value of a [`ParamKind::Str`]; `None` of an optional one that is not given.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.data(name).and_then(Attr::as_str)
    }

    /// The value of a [`ParamKind::DType`].
    pub fn dtype(&self, name: &str) -> Option<DataType> {
        match self.data(name) {
            Some(Attr::DType(dtype)) => Some(*dtype),
            _ => None,
        }
    }

    /// The texts of a list, where one is given.
    pub fn texts(&self, name: &str) -> Option<Vec<String>> {
        match self.data(name) {
            Some(Attr::Array(items)) => Some(items.iter().filter_map(Attr::as_str).map(str::to_owned).collect()),
            _ => None,
        }
    }

    /// The lists of a [`ParamKind::TextLists`] by name.
    pub fn text_lists(&self, name: &str) -> Vec<(String, Vec<String>)> {
        let texts = |list: &Attr| match list {
            Attr::Array(items) => items.iter().filter_map(Attr::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        match self.data(name) {
            Some(Attr::Map(lists)) => lists.iter().map(|(name, list)| (name.to_string(), texts(list))).collect(),
            _ => Vec::new(),
        }
    }

    /// The data of a [`ParamKind::OptionalDict`] by name; none where it is not given.
    pub fn dict(&self, name: &str) -> Attrs {
        match self.data(name) {
            Some(Attr::Map(fields)) => fields.clone(),
            _ => Attrs::new(),
        }
    }

    /// The user's function, where one is given.
    pub fn callback(&self, name: &str) -> Option<Callback> {
        match self.0.get(name) {
            Some(PassArg::Callback(callback)) => Some(callback.clone()),
            _ => None,
        }
    }
}

impl PassDef {
    /// The pass of these arguments; those that are left out have their defaults. An unknown name, a wrong kind and a
    /// value out of range are errors that name the parameter.
    pub fn with(&self, given: impl IntoIterator<Item = (String, PassArg)>) -> Result<Arc<dyn Pass>, String> {
        let mut given: OrderedMap<String, PassArg> = given.into_iter().collect();
        let mut args = PassArgs::default();
        for param in self.params {
            let arg = match (given.shift_remove(param.name), param.default) {
                (Some(arg), _) => arg,
                (None, AttrDefault::Required) => {
                    return Err(format!("`{}` needs the argument `{}`", self.name, param.name));
                }
                (None, default) => PassArg::Data(default.value().unwrap_or(Attr::None)),
            };
            let fitted = param.kind.fit(&arg).ok_or_else(|| {
                let (expected, found) = (param.kind.in_words(), arg.in_words());
                format!("argument `{}` of `{}` must be {expected}, found {found}", param.name, self.name)
            })?;
            args.0.insert(param.name, fitted);
        }
        if let Some(unknown) = given.keys().next() {
            let near = nearest(unknown, self.params.iter().map(|param| param.name));
            let near = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
            return Err(format!("`{}` has no argument `{unknown}`{near}", self.name));
        }
        (self.make)(&args)
    }

    /// The pass of arguments as a line of text has them: `name=value,name=value`, the items of a list joined by `+`;
    /// a list by name is `NAME:item:item`.
    pub fn of_text(&self, text: &str) -> Result<Arc<dyn Pass>, String> {
        let arg = |part: &str| {
            let (name, value) =
                part.split_once('=').ok_or_else(|| format!("expected `{}:NAME=VALUE,…`, found `{part}`", self.name))?;
            let data = match self.params.iter().find(|param| param.name == name) {
                Some(param) => param.kind.read(value).ok_or_else(|| {
                    format!("argument `{name}` of `{}` must be {}, found `{value}`", self.name, param.kind.in_words())
                })?,
                None => Attr::str(value),
            };
            Ok((name.to_owned(), PassArg::Data(data)))
        };
        let args = text.split(',').filter(|part| !part.is_empty()).map(arg).collect::<Result<Vec<_>, String>>()?;
        self.with(args)
    }

    /// Whether it can be made without arguments.
    pub fn needs_nothing(&self) -> bool {
        self.params.iter().all(|param| param.default != AttrDefault::Required)
    }
}
