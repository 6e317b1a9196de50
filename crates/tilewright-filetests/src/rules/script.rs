//! A program in the making, as text, with the shapes of its values and what is known of its roundings.

use std::fmt;

use super::dice::Dice;
use super::values::{Numbers, Range, unit};

/// A dimension as the text writes it, and how large it is when the program runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Dim {
    pub(super) text: String,
    pub(super) size: i64,
}

impl Dim {
    pub(super) fn known(size: i64) -> Self {
        Self { text: size.to_string(), size }
    }

    pub(super) fn is_known(&self) -> bool {
        self.text == self.size.to_string()
    }
}

/// A tensor of the program.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) name: String,
    pub(super) shape: Vec<Dim>,
    pub(super) dtype: &'static str,
}

impl Value {
    pub(super) fn is_float(&self) -> bool {
        is_float(self.dtype)
    }

    pub(super) fn elements(&self) -> i64 {
        self.shape.iter().map(|dim| dim.size).product()
    }
}

pub(super) fn is_float(dtype: &str) -> bool {
    dtype.contains("float")
}

/// A parameter and the numbers that it gets.
#[derive(Clone, Debug)]
pub(super) struct Param {
    pub(super) name: String,
    pub(super) range: Range,
    /// Whether the program is compiled with its value.
    pub(super) constant: bool,
}

/// The tolerance relative to the interpreter, which rounds in another order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    /// Additions of a result in another order, and half the distance from 1 to the next number of their type.
    pub(super) terms: f64,
    pub(super) sum_unit: f64,
    /// Further roundings that are not the same in both, and the coarsest unit of a type of the program.
    pub(super) roundings: f64,
    pub(super) unit: f64,
    /// The bound of intermediate numbers.
    pub(super) scale: f64,
}

/// A finished program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The module, whose function is `main`.
    pub text: String,
    pub(super) params: Vec<Param>,
    /// Symbolic dimensions and their sizes when the program runs.
    pub(super) dims: Vec<(String, i64)>,
    pub(super) numbers: Numbers,
    /// Whether a few numbers are NaN, infinities or zeros of either sign.
    pub(super) special: bool,
    pub(super) tolerance: Tolerance,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let constants = self.params.iter().filter(|param| param.constant).map(|param| param.name.as_str());
        let constants: Vec<&str> = constants.collect();
        let special = if self.special { ", some of them special" } else { "" };
        writeln!(f, "# numbers: {:?}{special}; sizes: {:?}; constants: {constants:?}", self.numbers, self.dims)?;
        f.write_str(&self.text)
    }
}

/// A function of operators in the making.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    pub(super) dice: &'a mut Dice,
    pub(super) numbers: Numbers,
    pub(super) special: bool,
    pub(super) tolerance: Tolerance,
    params: Vec<Param>,
    signature: Vec<String>,
    lines: Vec<String>,
    dims: Vec<(String, i64)>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(dice: &'a mut Dice) -> Self {
        let tolerance = Tolerance { terms: 0.0, sum_unit: 0.0, roundings: 0.0, unit: unit("float64"), scale: 0.0 };
        Self {
            dice,
            numbers: Numbers::Whole,
            special: false,
            tolerance,
            params: Vec::new(),
            signature: Vec::new(),
            lines: Vec::new(),
            dims: Vec::new(),
        }
    }

    /// The numbers of a program with sums: exact ones, or such as are rounded.
    pub(super) fn numbers_of_sums(&mut self) {
        self.numbers = self.dice.pick(&[Numbers::Whole, Numbers::Whole, Numbers::Real]).unwrap_or(Numbers::Whole);
        self.special = self.dice.one_in(4);
    }

    /// A dimension that is known only when the program runs.
    pub(super) fn named(&mut self, size: i64) -> Dim {
        let known = self.dims.iter().find(|(_, known)| *known == size).map(|(name, _)| name.clone());
        if let Some(text) = known
            && !self.dice.one_in(3)
        {
            return Dim { text, size };
        }
        let text = format!("n{}", self.dims.len());
        self.dims.push((text.clone(), size));
        Dim { text, size }
    }

    /// The share of cases in which a dimension is named.
    pub(super) fn dim(&mut self, size: i64, one_in: usize) -> Dim {
        if self.dice.one_in(one_in) { self.named(size) } else { Dim::known(size) }
    }

    pub(super) fn param(&mut self, shape: &[Dim], dtype: &'static str) -> Value {
        self.param_in(shape, dtype, Range::Any)
    }

    pub(super) fn param_in(&mut self, shape: &[Dim], dtype: &'static str, range: Range) -> Value {
        let name = format!("p{}", self.params.len());
        // A string is a dimension in the signature, where names are not declared yet.
        let dims: Vec<String> = shape.iter().map(in_signature).collect();
        self.signature.push(format!("{name}: R.Tensor({}, \"{dtype}\")", tuple(&dims)));
        self.params.push(Param { name: name.clone(), range, constant: false });
        self.seen(dtype);
        Value { name, shape: shape.to_vec(), dtype }
    }

    /// A parameter that is a constant of the program in half of all cases.
    pub(super) fn weight(&mut self, shape: &[Dim], dtype: &'static str) -> Value {
        let value = self.param(shape, dtype);
        let constant = shape.iter().all(Dim::is_known) && self.dice.one_in(2);
        if let Some(param) = self.params.last_mut() {
            param.constant = constant;
        }
        value
    }

    /// A constant of the program.
    pub(super) fn constant(&mut self, shape: &[Dim], dtype: &'static str) -> Value {
        let value = self.param(shape, dtype);
        if let Some(param) = self.params.last_mut() {
            param.constant = true;
        }
        value
    }

    pub(super) fn emit(&mut self, text: &str, shape: &[Dim], dtype: &'static str) -> Value {
        let name = format!("v{}", self.lines.len());
        self.lines.push(format!("{name} = {text}"));
        self.seen(dtype);
        Value { name, shape: shape.to_vec(), dtype }
    }

    /// An operator that keeps shape and type.
    pub(super) fn map(&mut self, text: &str, value: &Value) -> Value {
        self.emit(text, &value.shape, value.dtype)
    }

    fn seen(&mut self, dtype: &str) {
        if is_float(dtype) {
            self.tolerance.unit = self.tolerance.unit.max(unit(dtype));
        }
    }

    /// Records that this number of values of a type is summed up.
    pub(super) fn sums(&mut self, terms: i64, dtype: &str) {
        self.tolerance.terms += terms as f64;
        // Operators sum narrow floats in float32.
        let wide = if dtype == "float64" { dtype } else { "float32" };
        if is_float(dtype) {
            self.tolerance.sum_unit = self.tolerance.sum_unit.max(unit(wide));
        }
    }

    /// Records that results have this number of roundings more than the interpreter's, and how large the rounded values
    /// are.
    pub(super) fn rounds(&mut self, roundings: f64, scale: f64) {
        self.tolerance.roundings += roundings;
        self.tolerance.scale = self.tolerance.scale.max(scale);
    }

    /// The function with these results.
    pub(super) fn finish(mut self, results: &[Value]) -> Program {
        // Not every dimension that was drawn became one of a parameter.
        let signature = self.signature.join(", ");
        self.dims.retain(|(name, _)| signature.contains(&format!("\"{name}\"")));
        let mut text = String::from("@I.ir_module\nclass Module:\n    @R.function\n");
        let mut line = |indent: usize, line: &str| text.push_str(&format!("{}{line}\n", "    ".repeat(indent)));
        line(1, &format!("def main({signature}):"));
        for (name, _) in &self.dims {
            line(2, &format!("{name} = T.int64()"));
        }
        let names: Vec<String> = results.iter().map(|value| value.name.clone()).collect();
        let result = if let [one] = names.as_slice() { one.clone() } else { tuple(&names) };
        line(2, "with R.dataflow():");
        for own in &self.lines {
            line(3, own);
        }
        line(3, &format!("result = {result}"));
        line(3, "R.output(result)");
        line(2, "return result");
        Program {
            text,
            params: self.params,
            dims: self.dims,
            numbers: self.numbers,
            special: self.special,
            tolerance: self.tolerance,
        }
    }
}

fn in_signature(dim: &Dim) -> String {
    if dim.is_known() { dim.text.clone() } else { format!("\"{}\"", dim.text) }
}

/// `(a, b)`, `(a,)`.
pub(super) fn tuple(items: &[String]) -> String {
    match items {
        [one] => format!("({one},)"),
        all => format!("({})", all.join(", ")),
    }
}

/// A shape as the body of a function writes it.
pub(super) fn shape_text(shape: &[Dim]) -> String {
    tuple(&shape.iter().map(|dim| dim.text.clone()).collect::<Vec<_>>())
}

/// `[1, 2]`.
pub(super) fn list<T: std::fmt::Display>(items: &[T]) -> String {
    format!("[{}]", items.iter().map(T::to_string).collect::<Vec<_>>().join(", "))
}
