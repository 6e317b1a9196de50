//! Loops around blocks, as no operator writes them: sums of products over any axes in any order, indices that go
//! backwards, in steps or along windows, loops in any order, conditions, stages before and after.

use std::fmt::Write;

use super::super::dice::Dice;
use super::super::script::{Dim, Param, Program, Tolerance, is_float, tuple};
use super::super::values::{Numbers, Range, unit};

/// An axis of a block, with a loop of its own.
#[derive(Clone, Debug)]
struct Axis {
    name: String,
    dim: Dim,
    reduces: bool,
}

/// A buffer and its shape; parameters have capital letters.
#[derive(Clone, Debug)]
struct Memory {
    name: String,
    shape: Vec<Dim>,
}

/// A function of loops in the making.
struct Nests<'a> {
    dice: &'a mut Dice,
    dtype: &'static str,
    dims: Vec<(String, i64)>,
    /// Whether indices are int64, as symbolic sizes are.
    wide: bool,
    params: Vec<Param>,
    head: Vec<String>,
    body: String,
    stages: usize,
}

const TYPES: [&str; 8] = ["float32", "float32", "float32", "float16", "float64", "int32", "int8", "uint8"];

pub(super) fn nests(dice: &mut Dice) -> Program {
    let dtype = dice.word(&TYPES);
    let wide = dice.one_in(3);
    let mut made = Nests {
        dice,
        dtype,
        dims: Vec::new(),
        wide,
        params: Vec::new(),
        head: Vec::new(),
        body: String::new(),
        stages: 0,
    };
    made.function()
}

impl Nests<'_> {
    fn function(&mut self) -> Program {
        let after = self.dice.below(3);
        let op = self.dice.word(&["sum", "product", "map", "max", "min"]);
        let axes = self.axes(op, after > 0);
        let terms: i64 = axes.iter().filter(|axis| axis.reduces).map(|axis| axis.dim.size).product();
        let mut last = self.heavy(op, &axes, after > 0);
        for left in (0..after).rev() {
            last = self.follow(&last, left > 0);
        }
        let numbers = match op {
            "map" | "max" | "min" => self.dice.pick(&[Numbers::Whole, Numbers::Extreme]),
            _ => self.dice.pick(&[Numbers::Whole, Numbers::Real]),
        };
        let special = self.dice.one_in(4);
        let sum_unit = if is_float(self.dtype) { unit(self.dtype) } else { 0.0 };
        let tolerance = Tolerance { terms: terms as f64, sum_unit, roundings: 0.0, unit: sum_unit, scale: 0.0 };
        Program {
            text: self.text(),
            params: std::mem::take(&mut self.params),
            dims: std::mem::take(&mut self.dims),
            numbers: numbers.unwrap_or(Numbers::Whole),
            special,
            tolerance,
        }
    }

    fn text(&self) -> String {
        let mut text = String::from("@I.ir_module\nclass Module:\n    @T.prim_func\n");
        let handles: Vec<String> = self.params.iter().map(|param| format!("{}: T.handle", param.name)).collect();
        let _ = writeln!(text, "    def main({}):", handles.join(", "));
        let noalias = "T.func_attr({\"tir.noalias\": True})".to_owned();
        let named = self.dims.iter().map(|(name, _)| format!("{name} = T.int64()"));
        for line in std::iter::once(noalias).chain(named).chain(self.head.iter().cloned()) {
            let _ = writeln!(text, "        {line}");
        }
        text + &self.body
    }

    fn number(&self, value: i64) -> String {
        if self.wide { format!("T.int64({value})") } else { value.to_string() }
    }

    fn extent(&self, dim: &Dim) -> String {
        if dim.is_known() { self.number(dim.size) } else { dim.text.clone() }
    }

    fn shape(&self, shape: &[Dim]) -> String {
        let dims: Vec<String> = shape.iter().map(|dim| self.extent(dim)).collect();
        tuple(&dims)
    }

    fn memory(&mut self, shape: &[Dim], temporary: bool) -> Memory {
        let name = format!("{}{}", if temporary { "t" } else { "P" }, self.head.len());
        let (dims, dtype) = (self.shape(shape), self.dtype);
        if temporary {
            self.head.push(format!("{name} = T.alloc_buffer({dims}, \"{dtype}\")"));
        } else {
            let handle = format!("p{}", self.params.len());
            self.head.push(format!("{name} = T.match_buffer({handle}, {dims}, \"{dtype}\")"));
            self.params.push(Param { name: handle, range: Range::Any, constant: false });
        }
        Memory { name, shape: shape.to_vec() }
    }

    fn axes(&mut self, op: &str, read: bool) -> Vec<Axis> {
        let spatial = self.dice.pick(&[2, 1, 3]).unwrap_or(2);
        let reduced = if op == "map" { 0 } else { self.dice.pick(&[1, 2, 1]).unwrap_or(1) };
        let budget = self.dice.pick(&[200, 5_000, 50_000]).unwrap_or(200);
        let sizes = self.dice.sizes(spatial + reduced, budget);
        let order = self.dice.order(sizes.len());
        let mut axes = Vec::new();
        for (at, from) in order.into_iter().enumerate() {
            let reduces = at >= spatial;
            let least = i64::from(reduces && read);
            let size = sizes.get(from).copied().unwrap_or(1).max(least);
            let dim = if self.wide && self.dice.one_in(3) {
                let name = format!("n{at}");
                self.dims.push((name.clone(), size));
                Dim { text: name, size }
            } else {
                Dim::known(size)
            };
            axes.push(Axis { name: format!("v{at}"), dim, reduces });
        }
        axes
    }

    /// The stage with the reduction, if there is one.
    fn heavy(&mut self, op: &str, axes: &[Axis], temporary: bool) -> Memory {
        let spatial: Vec<Axis> = axes.iter().filter(|axis| !axis.reduces).cloned().collect();
        let mut own = spatial.clone();
        if self.dice.one_in(3) {
            let order = self.dice.order(own.len());
            own = order.into_iter().filter_map(|at| spatial.get(at).cloned()).collect();
        }
        let shape: Vec<Dim> = own.iter().map(|axis| axis.dim.clone()).collect();
        let first = self.operand(axes, op != "product");
        let value = match op {
            "product" => {
                let missing: Vec<Axis> =
                    axes.iter().filter(|axis| !first.contains(&axis.name) || self.dice.one_in(3)).cloned().collect();
                let second = self.operand(&missing, true);
                if self.dice.one_in(2) { format!("{first} * {second}") } else { format!("{second} * {first}") }
            }
            _ => first,
        };
        let out = self.memory(&shape, temporary);
        let indices: Vec<String> = own.iter().map(|axis| axis.name.clone()).collect();
        let element = format!("{}[{}]", out.name, indices.join(", "));
        let dtype = self.dtype;
        let (init, value) = match op {
            "map" => (None, value),
            "max" | "min" => {
                let ends = match (op, is_float(dtype)) {
                    ("max", true) => format!("T.{dtype}(\"-inf\")"),
                    (_, true) => format!("T.{dtype}(\"inf\")"),
                    ("max", _) => format!("T.{dtype}({})", if dtype == "uint8" { 0 } else { -100 }),
                    _ => format!("T.{dtype}(100)"),
                };
                (Some(ends), format!("T.{op}({element}, {value})"))
            }
            _ => (Some(format!("T.{dtype}(0)")), format!("{element} + {value}")),
        };
        self.stage(axes, &element, &value, init, !temporary);
        out
    }

    /// An element of a new parameter, at axes some or all of which it has.
    fn operand(&mut self, axes: &[Axis], all: bool) -> String {
        let order = self.dice.order(axes.len());
        let mut chosen: Vec<&Axis> = order.into_iter().filter_map(|at| axes.get(at)).collect();
        if !all {
            let count = chosen.len();
            chosen.truncate(1 + self.dice.below(count));
        }
        let (mut shape, mut indices) = (Vec::new(), Vec::new());
        while let Some(axis) = chosen.pop() {
            let other = chosen.last().filter(|other| other.dim.is_known() && other.reduces != axis.reduces);
            let (size, name) = (axis.dim.size, &axis.name);
            match (self.dice.below(8), other) {
                (5, _) if axis.dim.is_known() => {
                    shape.push(Dim::known(size));
                    indices.push(format!("{} - {name}", self.number(size - 1)));
                }
                (6, _) if axis.dim.is_known() => {
                    shape.push(Dim::known(2 * size + 1));
                    indices.push(format!("{name} * {} + {}", self.number(2), self.number(1)));
                }
                (7, Some(other)) if axis.dim.is_known() => {
                    shape.push(Dim::known((size + other.dim.size - 1).max(0)));
                    indices.push(format!("{name} + {}", other.name));
                    chosen.pop();
                }
                _ => {
                    shape.push(axis.dim.clone());
                    indices.push(name.clone());
                }
            }
        }
        let memory = self.memory(&shape, false);
        match indices.is_empty() {
            true => format!("{}[()]", memory.name),
            false => format!("{}[{}]", memory.name, indices.join(", ")),
        }
    }

    /// A stage that computes elements of the last one's result, one by one.
    fn follow(&mut self, of: &Memory, temporary: bool) -> Memory {
        let axes: Vec<Axis> = of
            .shape
            .iter()
            .enumerate()
            .map(|(at, dim)| Axis { name: format!("u{at}"), dim: dim.clone(), reduces: false })
            .collect();
        let mut read: Vec<String> = axes.iter().map(|axis| axis.name.clone()).collect();
        if self.dice.one_in(4) {
            let at = self.dice.below(axes.len());
            if let Some(axis) = axes.get(at) {
                read[at] = format!("{} - {} - {}", self.extent(&axis.dim), self.number(1), axis.name);
            }
        }
        let element = format!("{}[{}]", of.name, read.join(", "));
        let mut own = axes.clone();
        if self.dice.one_in(4) {
            let order = self.dice.order(axes.len());
            own = order.into_iter().filter_map(|at| axes.get(at).cloned()).collect();
        }
        let shape: Vec<Dim> = own.iter().map(|axis| axis.dim.clone()).collect();
        let dtype = self.dtype;
        let value = match self.dice.below(4) {
            0 => format!("T.max({element}, T.{dtype}(0))"),
            1 => {
                let other = self.memory(&shape, false);
                let indices: Vec<String> = own.iter().map(|axis| axis.name.clone()).collect();
                format!("{element} + {}[{}]", other.name, indices.join(", "))
            }
            2 => format!("T.min({element}, T.{dtype}(3))"),
            _ => element,
        };
        let out = self.memory(&shape, temporary);
        let indices: Vec<String> = own.iter().map(|axis| axis.name.clone()).collect();
        self.stage(&axes, &format!("{}[{}]", out.name, indices.join(", ")), &value, None, !temporary);
        out
    }

    /// Loops around a block; the last stage may leave out the elements past an index.
    fn stage(&mut self, axes: &[Axis], element: &str, value: &str, init: Option<String>, last: bool) {
        let at = self.stages;
        self.stages += 1;
        let mut order: Vec<usize> = (0..axes.len()).collect();
        if self.dice.one_in(4) {
            order = self.dice.order(axes.len());
        }
        let backwards = if self.dice.one_in(8) { self.dice.below(axes.len()) } else { axes.len() };
        let mut depth = 2;
        let mut body = std::mem::take(&mut self.body);
        let mut line = |depth: usize, text: &str| body.push_str(&format!("{}{text}\n", "    ".repeat(depth)));
        for axis in order.iter().filter_map(|&axis| axes.get(axis)) {
            line(depth, &format!("for l{at}_{} in range({}):", axis.name, self.extent(&axis.dim)));
            depth += 1;
        }
        line(depth, &format!("with T.block(\"stage{at}\"):"));
        depth += 1;
        for (number, axis) in axes.iter().enumerate() {
            let kind = if axis.reduces { "reduce" } else { "spatial" };
            let extent = self.extent(&axis.dim);
            let bound = match number == backwards && !axis.reduces {
                true => format!("{extent} - {} - l{at}_{}", self.number(1), axis.name),
                false => format!("l{at}_{}", axis.name),
            };
            line(depth, &format!("{} = T.axis.{kind}({extent}, {bound})", axis.name));
        }
        let first = axes.iter().find(|axis| !axis.reduces);
        if let (Some(axis), true) = (first, last && self.dice.one_in(8)) {
            let end = self.dice.between(1, 40);
            let end = self.number(end);
            line(depth, &format!("T.where(l{at}_{} < {end})", axis.name));
        }
        if let Some(init) = init {
            line(depth, "with T.init():");
            line(depth + 1, &format!("{element} = {init}"));
        }
        line(depth, &format!("{element} = {value}"));
        self.body = body;
    }
}
