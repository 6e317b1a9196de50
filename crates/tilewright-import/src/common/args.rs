//! The arguments of an operation under the names of its rule's parameters.
//!
//! A signature is written as in Python: `"input, weight, bias=None, stride=1, *size"`. A parameter that callers know
//! under several names has them with bars between them, `dim|axis`; rules ask for the first. A parameter
//! after a star takes all remaining arguments, or one list of them.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_tensor::DataType;

use super::value::{Refused, Res, Value};

/// The parameters of an operator.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// Written as in Python, see the head of this file.
    pub parameters: &'static str,
    /// The names of arguments that the format's operators may be given as well, and that do not change a result.
    pub ignored: &'static [&'static str],
}

/// The arguments of one operation.
#[derive(Debug)]
pub struct Args {
    values: Vec<(&'static str, Value)>,
}

/// A parameter of a signature.
struct Parameter {
    /// Its names, the first of which is the one that rules use.
    names: Vec<&'static str>,
    default: Option<Value>,
    /// Whether it takes all remaining arguments.
    rest: bool,
}

fn parameters(signature: &'static str) -> impl Iterator<Item = Parameter> {
    signature.split(',').map(str::trim).filter(|text| !text.is_empty()).map(|text| {
        let (names, default) = match text.split_once('=') {
            Some((names, default)) => (names, Some(literal(default))),
            None => (text, None),
        };
        let rest = names.starts_with('*');
        Parameter { names: names.trim_start_matches('*').split('|').collect(), default, rest }
    })
}

/// The value of a default.
fn literal(text: &str) -> Value {
    match text {
        "None" => Value::None,
        "True" => Value::Bool(true),
        "False" => Value::Bool(false),
        "[]" => Value::List(Vec::new()),
        _ => text
            .parse()
            .map(Value::Int)
            .or_else(|_| text.parse().map(Value::Float))
            .unwrap_or_else(|_| Value::Str(text.trim_matches('\'').to_owned())),
    }
}

impl Args {
    /// Binds what was given to the parameters of the signature.
    pub fn bind(signature: Signature, given: Vec<Value>, by_name: Vec<(String, Value)>) -> Res<Self> {
        let mut given = given.into_iter();
        let mut by_name = by_name;
        let mut values = Vec::new();
        let parameters: Vec<Parameter> = parameters(signature.parameters).collect();
        for (at, parameter) in parameters.iter().enumerate() {
            let name = parameter.names[0];
            let positional = match parameter.rest {
                true => rest_of(&mut given),
                false => given.next(),
            };
            // If this parameter is given by position, a name that a later one shares belongs to the later one.
            let later = |key: &str| parameters[at + 1..].iter().any(|other| other.names.contains(&key));
            let named = |key: &str| parameter.names.contains(&key) && !(positional.is_some() && later(key));
            let keyword = by_name.iter().position(|(key, _)| named(key));
            let keyword = keyword.map(|at| by_name.swap_remove(at).1);
            let value = match (positional, keyword) {
                (Some(_), Some(_)) => return Err(Refused(format!("the argument `{name}` is given twice"))),
                (Some(value), None) | (None, Some(value)) => value,
                (None, None) => match parameter.default.clone() {
                    Some(default) => default,
                    None => return Err(Refused(format!("the argument `{name}` is missing"))),
                },
            };
            values.push((name, value));
        }
        if given.next().is_some() {
            let names: Vec<_> = values.iter().map(|(name, _)| *name).collect();
            return Err(Refused(format!("there are more arguments than `{}`", names.join(", "))));
        }
        let idle = |value: &Value| matches!(value, Value::None | Value::Bool(false));
        match by_name.iter().find(|(key, value)| !signature.ignored.contains(&key.as_str()) && !idle(value)) {
            Some((key, value)) => Err(Refused(format!("the argument `{key}` ({}) has no rule", value.in_words()))),
            None => Ok(Self { values }),
        }
    }

    /// The same arguments with other values.
    pub fn map(&self, mut f: impl FnMut(&'static str, &Value) -> Res<Value>) -> Res<Self> {
        let values = self.values.iter().map(|(name, value)| Ok((*name, f(name, value)?)));
        Ok(Self { values: values.collect::<Res<_>>()? })
    }

    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.values.iter().map(|(_, value)| value)
    }

    /// The value of a parameter; `None` where the signature has no such parameter.
    pub fn get(&self, name: &str) -> &Value {
        self.values.iter().find(|(known, _)| *known == name).map_or(&Value::None, |(_, value)| value)
    }

    /// Whether the argument is given and not `None`.
    pub fn has(&self, name: &str) -> bool {
        !matches!(self.get(name), Value::None)
    }

    fn wrong<T>(&self, name: &str, expected: &str) -> Res<T> {
        Err(Refused(format!("`{name}` must be {expected}, found {}", self.get(name).in_words())))
    }

    pub fn tensor(&self, name: &str) -> Res<Expr> {
        match self.get(name) {
            Value::Tensor(expr) => Ok(expr.clone()),
            _ => self.wrong(name, "a tensor"),
        }
    }

    pub fn optional_tensor(&self, name: &str) -> Res<Option<Expr>> {
        if self.has(name) { self.tensor(name).map(Some) } else { Ok(None) }
    }

    pub fn tensors(&self, name: &str) -> Res<Vec<Expr>> {
        let Value::List(items) = self.get(name) else { return self.wrong(name, "a list of tensors") };
        let tensors = items.iter().map(|item| match item {
            Value::Tensor(expr) => Some(expr.clone()),
            _ => None,
        });
        tensors.collect::<Option<_>>().map_or_else(|| self.wrong(name, "a list of tensors"), Ok)
    }

    pub fn int(&self, name: &str) -> Res<i64> {
        match self.get(name) {
            Value::Int(value) => Ok(*value),
            Value::Bool(value) => Ok(i64::from(*value)),
            _ => self.wrong(name, "a constant integer"),
        }
    }

    /// An integer, symbolic ones included.
    pub fn dim(&self, name: &str) -> Res<scalar::Expr> {
        self.get(name).as_scalar().map_or_else(|| self.wrong(name, "an integer"), Ok)
    }

    pub fn flag(&self, name: &str) -> Res<bool> {
        match self.get(name) {
            Value::Bool(value) => Ok(*value),
            Value::Int(value) => Ok(*value != 0),
            Value::None => Ok(false),
            _ => self.wrong(name, "True or False"),
        }
    }

    pub fn float(&self, name: &str) -> Res<f64> {
        match self.get(name) {
            Value::Float(value) => Ok(*value),
            Value::Int(value) => Ok(*value as f64),
            Value::Bool(value) => Ok(f64::from(u8::from(*value))),
            _ => self.wrong(name, "a number"),
        }
    }

    pub fn text(&self, name: &str) -> Res<&str> {
        match self.get(name) {
            Value::Str(text) => Ok(text),
            _ => self.wrong(name, "a text"),
        }
    }

    pub fn dtype(&self, name: &str) -> Res<Option<DataType>> {
        match self.get(name) {
            Value::DType(dtype) => Ok(Some(*dtype)),
            Value::None => Ok(None),
            _ => self.wrong(name, "a data type"),
        }
    }

    /// Constant integers; one may stand by itself.
    pub fn ints(&self, name: &str) -> Res<Vec<i64>> {
        let items = match self.get(name) {
            Value::List(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        let ints = items.iter().map(|item| match item {
            Value::Int(value) => Some(*value),
            _ => None,
        });
        ints.collect::<Option<_>>().map_or_else(|| self.wrong(name, "constant integers"), Ok)
    }

    /// As [`Args::ints`], one for each of `count` dimensions: a single one is that of all.
    pub fn ints_of(&self, name: &str, count: usize) -> Res<Vec<i64>> {
        let ints = self.ints(name)?;
        match ints.as_slice() {
            [one] => Ok(vec![*one; count]),
            ints if ints.len() == count => Ok(ints.to_vec()),
            _ => self.wrong(name, &format!("an integer or {count} of them")),
        }
    }

    /// Dimensions, or nothing: all of them.
    pub fn axes(&self, name: &str) -> Res<Option<Vec<i64>>> {
        match self.get(name) {
            Value::None => Ok(None),
            Value::List(items) if items.is_empty() => Ok(None),
            _ => self.ints(name).map(Some),
        }
    }

    /// Integers, symbolic ones included; one may stand by itself.
    pub fn dims(&self, name: &str) -> Res<Vec<scalar::Expr>> {
        let items = match self.get(name) {
            Value::List(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        items.iter().map(Value::as_scalar).collect::<Option<_>>().map_or_else(|| self.wrong(name, "integers"), Ok)
    }
}

/// The remaining arguments: one list stands for its items.
fn rest_of(given: &mut dyn Iterator<Item = Value>) -> Option<Value> {
    let mut items: Vec<Value> = given.collect();
    match items.as_slice() {
        [] => None,
        [Value::List(_)] => items.pop(),
        _ => Some(Value::List(items)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(parameters: &'static str, given: Vec<Value>, by_name: &[(&str, Value)]) -> Res<Args> {
        Args::bind(
            Signature { parameters, ignored: &["device"] },
            given,
            by_name.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
        )
    }

    #[test]
    fn arguments_are_bound_by_position_by_name_and_by_default() {
        let args = bound("input, dim|axis=-1, keepdim=False", vec![Value::Int(7)], &[("axis", Value::Int(2))]).unwrap();
        assert_eq!((args.int("input"), args.int("dim"), args.flag("keepdim")), (Ok(7), Ok(2), Ok(false)));
    }

    #[test]
    fn a_star_takes_the_remaining_arguments_or_one_list() {
        let two = vec![Value::Int(1), Value::Int(2), Value::Int(3)];
        assert_eq!(bound("input, *size", two, &[]).unwrap().ints("size"), Ok(vec![2, 3]));
        let list = vec![Value::Int(1), Value::List(vec![Value::Int(5)])];
        assert_eq!(bound("input, *size", list, &[]).unwrap().ints("size"), Ok(vec![5]));
    }

    #[test]
    fn missing_extra_and_unknown_arguments_are_refused() {
        let refused = |args: Res<Args>, reason: &str| assert_eq!(args.unwrap_err().0, reason);
        refused(bound("input, other", vec![Value::Int(1)], &[]), "the argument `other` is missing");
        refused(bound("input", vec![Value::Int(1), Value::Int(2)], &[]), "there are more arguments than `input`");
        let twice = bound("input", vec![Value::Int(1)], &[("input", Value::Int(2))]);
        refused(twice, "the argument `input` is given twice");
        let unknown = bound("input", vec![Value::Int(1)], &[("mode", Value::Str("x".into()))]);
        refused(unknown, "the argument `mode` (the text \"x\") has no rule");
        assert!(bound("input", vec![Value::Int(1)], &[("device", Value::Str("cpu".into()))]).is_ok());
    }

    #[test]
    fn one_integer_stands_for_all_dimensions() {
        let args = bound("stride, padding", vec![Value::Int(2), Value::List(vec![Value::Int(1), Value::Int(3)])], &[]);
        let args = args.unwrap();
        assert_eq!((args.ints_of("stride", 2), args.ints_of("padding", 2)), (Ok(vec![2, 2]), Ok(vec![1, 3])));
        assert!(args.ints_of("padding", 3).is_err());
    }
}
