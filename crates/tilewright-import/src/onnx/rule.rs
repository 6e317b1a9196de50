//! The entries of the tables of rules, and the arguments that a rule gets.

use std::borrow::Cow;
use std::rc::Rc;

use tilewright_expr as scalar;
use tilewright_ir::relax::{Expr, ExprKind, StructInfo, TensorShape};
use tilewright_ops::system::tensor_to_shape;
use tilewright_tensor::DataType;

use super::model::{Attribute, AttributeValue, TensorProto};
use super::values::{Known, Val, float_of};
use crate::common::{Cx, Op, Refused, Res};

/// How one operator becomes IR. Differences between versions of an operator are inside of its function.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its names, with blanks between them.
    pub names: &'static str,
    /// Its inputs in order, with blanks between them: those with `?` may be left out, one with `*` is any number of
    /// them.
    pub inputs: &'static str,
    /// The attributes that it reads, of all versions.
    pub attributes: &'static str,
    pub apply: Apply,
}

/// The computation of the result.
#[derive(Clone, Copy, Debug)]
pub enum Apply {
    Function(fn(&mut Cx<'_>, &Args<'_>) -> Res<Val>),
    /// A graph operator of one tensor.
    Unary(Op),
    /// A graph operator of two tensors that broadcast.
    Binary(Op),
}

/// A rule that is a function.
pub const fn rule(
    names: &'static str,
    inputs: &'static str,
    attributes: &'static str,
    function: fn(&mut Cx<'_>, &Args<'_>) -> Res<Val>,
) -> Rule {
    Rule { names, inputs, attributes, apply: Apply::Function(function) }
}

pub const fn unary(names: &'static str, op: Op) -> Rule {
    Rule { names, inputs: "X", attributes: "", apply: Apply::Unary(op) }
}

pub const fn binary(names: &'static str, op: Op) -> Rule {
    Rule { names, inputs: "A B", attributes: "axis broadcast", apply: Apply::Binary(op) }
}

impl Rule {
    /// Refuses inputs and attributes that the operator does not have.
    pub fn check(&self, args: &Args<'_>) -> Res<()> {
        let names: Vec<&str> = self.inputs.split_whitespace().collect();
        let many = names.last().is_some_and(|last| last.starts_with('*'));
        if !many && args.inputs.len() > names.len() {
            return Err(Refused(format!("{} inputs are more than `{}`", args.inputs.len(), self.inputs)));
        }
        for (at, name) in names.iter().enumerate() {
            if !name.starts_with('*') && !name.ends_with('?') && !args.has(at) {
                return Err(Refused(format!("the input `{name}` is missing")));
            }
        }
        for attribute in args.attributes.iter() {
            if !self.attributes.split_whitespace().any(|known| known == attribute.name) {
                let value = attribute.value.in_words();
                return Err(Refused(format!("the attribute `{}` ({value}) has no rule", attribute.name)));
            }
        }
        Ok(())
    }
}

/// The inputs and attributes of a node.
#[derive(Debug)]
pub struct Args<'a> {
    pub op: &'a str,
    /// The version of the operator set in use.
    pub opset: i64,
    pub inputs: Vec<Val>,
    pub attributes: Cow<'a, [Attribute<'a>]>,
    /// Of each output, whether it has a name.
    pub wanted: Vec<bool>,
    /// The names of the inputs, for messages.
    pub names: &'static str,
}

impl<'a> Args<'a> {
    /// The arguments with other inputs, for a rule that another one ends in.
    pub fn with_inputs(&self, inputs: Vec<Val>) -> Self {
        let (attributes, wanted) = (self.attributes.clone(), self.wanted.clone());
        Self { op: self.op, opset: self.opset, inputs, attributes, wanted, names: self.names }
    }

    fn name(&self, at: usize) -> &str {
        let name = self.names.split_whitespace().nth(at).unwrap_or("");
        name.trim_end_matches('?')
    }

    fn wrong<T>(&self, at: usize, expected: &str) -> Res<T> {
        Err(Refused(format!("the input `{}` must be {expected}, found {}", self.name(at), self.input(at).in_words())))
    }

    pub fn input(&self, at: usize) -> &Val {
        self.inputs.get(at).unwrap_or(&Val::Absent)
    }

    /// Whether the input is given.
    pub fn has(&self, at: usize) -> bool {
        !matches!(self.input(at), Val::Absent)
    }

    /// Whether the output has a name.
    pub fn wants(&self, output: usize) -> bool {
        self.wanted.get(output).copied().unwrap_or(false)
    }

    /// An input as a tensor of the module.
    pub fn tensor(&self, cx: &Cx<'_>, at: usize) -> Res<Expr> {
        match self.input(at) {
            Val::Tensor(_) | Val::Known(_) => self.input(at).to_expr(cx),
            _ => self.wrong(at, "a tensor"),
        }
    }

    pub fn optional(&self, cx: &Cx<'_>, at: usize) -> Res<Option<Expr>> {
        if self.has(at) { self.tensor(cx, at).map(Some) } else { Ok(None) }
    }

    /// A tensor that is used more than once, bound to a variable.
    pub fn bound(&self, cx: &mut Cx<'_>, at: usize) -> Res<Expr> {
        let x = self.tensor(cx, at)?;
        bound(cx, x)
    }

    /// All inputs from this one on.
    pub fn tensors(&self, cx: &Cx<'_>, from: usize) -> Res<Vec<Expr>> {
        (from..self.inputs.len()).map(|at| self.tensor(cx, at)).collect()
    }

    /// The elements of an input that must be known when the module is made.
    pub fn known(&self, at: usize) -> Res<Rc<Known>> {
        match self.input(at).known() {
            Some(known) => Ok(known),
            None if self.has(at) => self.wrong(at, "known when the model is imported"),
            None => self.wrong(at, "given"),
        }
    }

    /// Sizes that an input gives: symbolic ones, and those that are known in the run alone, which get names there.
    pub fn dims_at(&self, cx: &mut Cx<'_>, at: usize) -> Res<Vec<scalar::Expr>> {
        match self.input(at).known() {
            Some(known) => Ok(known.items.iter().map(|item| item.cast(DataType::I64)).collect::<Result<_, _>>()?),
            None => self.sizes_of_run(cx, at),
        }
    }

    /// Names for the elements of an input, which are no negative numbers: the run checks that.
    pub fn sizes_of_run(&self, cx: &mut Cx<'_>, at: usize) -> Res<Vec<scalar::Expr>> {
        let x = self.tensor(cx, at)?;
        let count = match (cx.dtype(&x)?.is_int(), cx.shape(&x)?.as_slice()) {
            (true, []) => Some(1),
            (true, [count]) => count.as_int().filter(|count| (0..=64).contains(count)),
            _ => None,
        };
        let Some(count) = count else { return self.wrong(at, "known when the model is imported") };
        let x = cx.reshape(&cx.astype(&x, DataType::I64)?, vec![scalar::Expr::i64(count)])?;
        let x = bound(cx, x)?;
        sizes_of(cx, &x, count as usize)
    }

    /// The integers of an input.
    pub fn ints_at(&self, at: usize) -> Res<Vec<i64>> {
        let known = self.known(at)?;
        let ints = known.items.iter().map(scalar::Expr::as_int).collect::<Option<_>>();
        ints.map_or_else(|| self.wrong(at, "of constant integers"), Ok)
    }

    pub fn int_at(&self, at: usize) -> Res<i64> {
        match self.ints_at(at)?.as_slice() {
            [one] => Ok(*one),
            _ => self.wrong(at, "one integer"),
        }
    }

    pub fn floats_at(&self, at: usize) -> Res<Vec<f64>> {
        let known = self.known(at)?;
        let floats = known.items.iter().map(float_of).collect::<Option<_>>();
        floats.map_or_else(|| self.wrong(at, "of constant numbers"), Ok)
    }

    pub fn float_at(&self, at: usize) -> Res<f64> {
        match self.floats_at(at)?.as_slice() {
            [one] => Ok(*one),
            _ => self.wrong(at, "one number"),
        }
    }

    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&AttributeValue<'a>> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| &attribute.value)
    }

    pub fn has_attribute(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    fn of_kind<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&AttributeValue<'a>) -> Option<T>,
    ) -> Res<Option<T>> {
        let Some(value) = self.attribute(name) else { return Ok(None) };
        let wrong = || Refused(format!("the attribute `{name}` must be {expected}, found {}", value.in_words()));
        read(value).map(Some).ok_or_else(wrong)
    }

    pub fn maybe_int(&self, name: &str) -> Res<Option<i64>> {
        self.of_kind(
            name,
            "an integer",
            |value| if let AttributeValue::Int(value) = value { Some(*value) } else { None },
        )
    }

    pub fn int(&self, name: &str, default: i64) -> Res<i64> {
        Ok(self.maybe_int(name)?.unwrap_or(default))
    }

    pub fn flag(&self, name: &str, default: bool) -> Res<bool> {
        Ok(self.int(name, i64::from(default))? != 0)
    }

    pub fn maybe_float(&self, name: &str) -> Res<Option<f64>> {
        self.of_kind(name, "a number", |value| match value {
            AttributeValue::Float(value) => Some(*value),
            AttributeValue::Int(value) => Some(*value as f64),
            _ => None,
        })
    }

    pub fn float(&self, name: &str, default: f64) -> Res<f64> {
        Ok(self.maybe_float(name)?.unwrap_or(default))
    }

    pub fn text(&self, name: &str, default: &'static str) -> Res<String> {
        let text = self.of_kind(name, "a text", |value| match value {
            AttributeValue::Str(text) => std::str::from_utf8(text).ok().map(str::to_owned),
            _ => None,
        })?;
        Ok(text.unwrap_or_else(|| default.to_owned()))
    }

    pub fn texts(&self, name: &str) -> Res<Option<Vec<String>>> {
        self.of_kind(name, "a list of texts", |value| match value {
            AttributeValue::Strs(texts) => {
                texts.iter().map(|text| std::str::from_utf8(text).ok().map(str::to_owned)).collect()
            }
            _ => None,
        })
    }

    pub fn ints(&self, name: &str) -> Res<Option<Vec<i64>>> {
        self.of_kind(name, "a list of integers", |value| match value {
            AttributeValue::Ints(values) => Some(values.clone()),
            AttributeValue::Int(value) => Some(vec![*value]),
            _ => None,
        })
    }

    /// As [`Args::ints`], `count` of them, each within 32 bits.
    pub fn ints_of(&self, name: &str, count: usize, default: i64) -> Res<Vec<i64>> {
        match self.ints(name)? {
            None => Ok(vec![default; count]),
            Some(ints) if ints.iter().any(|value| i32::try_from(*value).is_err()) => {
                Err(Refused(format!("`{name}` is {ints:?}")))
            }
            Some(ints) if ints.len() == count => Ok(ints),
            Some(ints) => Err(Refused(format!("`{name}` has {} integers, expected {count}", ints.len()))),
        }
    }

    pub fn floats(&self, name: &str) -> Res<Option<Vec<f64>>> {
        self.of_kind(name, "a list of numbers", |value| match value {
            AttributeValue::Floats(values) => Some(values.clone()),
            _ => None,
        })
    }

    pub fn tensor_attribute(&self, name: &str) -> Res<Option<TensorProto<'a>>> {
        self.of_kind(name, "a tensor", |value| match value {
            AttributeValue::Tensor(tensor) => Some(tensor.clone()),
            _ => None,
        })
    }

    /// Integers that newer versions have as the input `at` and older ones as an attribute.
    pub fn ints_either(&self, at: usize, name: &str) -> Res<Option<Vec<i64>>> {
        if self.has(at) { self.ints_at(at).map(Some) } else { self.ints(name) }
    }
}

/// Dimensions of a tensor whose sizes only a run knows at most: a file claims them without holding them.
const MAX_RANK: usize = 64;

/// Names for the elements of a list of sizes.
pub fn sizes_of(cx: &mut Cx<'_>, x: &Expr, count: usize) -> Res<Vec<scalar::Expr>> {
    if count > MAX_RANK {
        return Err(Refused(format!("{count} dimensions are more than {MAX_RANK}")));
    }
    let shape = cx.call(&tensor_to_shape::OP, &[x], [])?;
    let named = |_| scalar::Expr::var(&scalar::Var::size("size", DataType::I64));
    let sizes: Vec<scalar::Expr> = (0..count).map(named).collect();
    cx.bb.emit_match_cast(&shape, StructInfo::Shape(TensorShape::Known(sizes.clone())))?;
    Ok(sizes)
}

/// A value bound to a variable, except for constants.
pub fn bound(cx: &mut Cx<'_>, x: Expr) -> Res<Expr> {
    match x.kind {
        ExprKind::Constant(_) => Ok(x),
        _ => cx.emit(x),
    }
}
