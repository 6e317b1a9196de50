//! Products and convolutions of bytes, as quantised models have them: signed and unsigned, whole ranges, zero points,
//! scales.

use super::super::dice::Dice;
use super::super::script::{Dim, Graph, Program, Value, list};
use super::super::values::Numbers;

/// Sums of bytes of any value in 32 bits have one result, in whatever order.
pub(super) fn bytes(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers = g.dice.pick(&[Numbers::Extreme, Numbers::Whole]).unwrap_or(Numbers::Extreme);
    let types = g.dice.pick(&[("uint8", "int8"), ("int8", "int8"), ("uint8", "uint8"), ("int8", "uint8")]);
    let (left, right) = types.unwrap_or(("int8", "int8"));
    let budget = g.dice.pick(&[2_000, 20_000, 100_000]).unwrap_or(2_000);
    let batch = if g.dice.one_in(4) { vec![Dim::known(g.dice.between(1, 3))] } else { Vec::new() };
    let sizes = g.dice.sizes(3, budget);
    let order = g.dice.order(3);
    let size = |at: usize| order.get(at).and_then(|&at| sizes.get(at)).copied().unwrap_or(1);
    let (m, n, k) = (g.dim(size(0), 3), g.dim(size(1), 8), g.dim(size(2), 8));
    let a = g.param(&[batch.as_slice(), &[m.clone(), k.clone()]].concat(), left);
    let transposed = g.dice.one_in(2);
    let stored = if transposed { [n.clone(), k.clone()] } else { [k.clone(), n.clone()] };
    let b = g.weight(&stored, right);
    let b = if transposed {
        g.emit(&format!("R.permute_dims({}, axes=[1, 0])", b.name), &[k, n.clone()], right)
    } else {
        b
    };
    let (a, b) = (widened(&mut g, a), widened(&mut g, b));
    let option = if a.dtype == "int32" && b.dtype == "int32" { "" } else { ", out_dtype=\"int32\"" };
    let shape = [batch.as_slice(), &[m, n]].concat();
    let value = g.emit(&format!("R.matmul({}, {}{option})", a.name, b.name), &shape, "int32");
    let value = after_product(&mut g, value);
    g.finish(&[value])
}

/// As it is, as integers of 32 bits, or those less a zero point.
fn widened(g: &mut Graph<'_>, value: Value) -> Value {
    if g.dice.one_in(3) { value } else { subtracted(g, value) }
}

/// As integers of 32 bits, or those less a zero point.
fn subtracted(g: &mut Graph<'_>, value: Value) -> Value {
    let wide = g.emit(&format!("R.astype({}, \"int32\")", value.name), &value.shape, "int32");
    if g.dice.one_in(2) {
        return wide;
    }
    let zero = g.dice.between(-100, 130);
    g.map(&format!("R.subtract({}, R.const({zero}, \"int32\"))", wide.name), &wide)
}

/// A bias, and the way back to bytes.
fn after_product(g: &mut Graph<'_>, value: Value) -> Value {
    let value = if g.dice.one_in(3) {
        let bias = g.weight(&[value.shape.last().cloned().unwrap_or(Dim::known(1))], "int32");
        g.map(&format!("R.add({}, {})", value.name, bias.name), &value)
    } else {
        value
    };
    match g.dice.below(4) {
        0 => {
            let low = g.map(&format!("R.clip({}, -128, 127)", value.name), &value);
            g.emit(&format!("R.astype({}, \"int8\")", low.name), &value.shape, "int8")
        }
        1 => g.map(&format!("R.maximum({}, R.const(0, \"int32\"))", value.name), &value),
        _ => value,
    }
}

/// Windows over images of bytes.
pub(super) fn windows(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers = g.dice.pick(&[Numbers::Extreme, Numbers::Whole]).unwrap_or(Numbers::Extreme);
    let types = g.dice.pick(&[("uint8", "int8"), ("int8", "int8"), ("uint8", "uint8")]);
    let (data, weight) = types.unwrap_or(("int8", "int8"));
    let last = g.dice.one_in(2);
    let (groups, ins, outs) = match g.dice.below(4) {
        0 | 1 => (1, g.dice.size(33).max(1), g.dice.size(33).max(1)),
        2 => (g.dice.size(33).max(1), 1, 1),
        _ => (g.dice.between(2, 4), g.dice.between(1, 9), g.dice.between(1, 9)),
    };
    let batch = g.dice.between(1, 2);
    let batch = g.dim(batch, 4);
    let (kernel, stride) = (g.dice.pick(&[3, 1, 2]).unwrap_or(1), g.dice.between(1, 2));
    let border = if kernel > 1 { g.dice.between(0, 1) } else { 0 };
    let (outs_of, sizes): (Vec<Dim>, Vec<Dim>) = [(); 2]
        .map(|()| {
            let out = g.dice.size(17).max(1);
            let size = ((out - 1) * stride + kernel - 2 * border).max(1);
            (Dim::known((size + 2 * border - kernel).div_euclid(stride) + 1), Dim::known(size))
        })
        .into_iter()
        .unzip();
    let image = |channels: i64, sizes: &[Dim]| {
        let channels = Dim::known(channels);
        match last {
            true => [std::slice::from_ref(&batch), sizes, &[channels]].concat(),
            false => [&[batch.clone(), channels], sizes].concat(),
        }
    };
    let x = g.param(&image(groups * ins, &sizes), data);
    let [k, i, o] = [kernel, ins, groups * outs].map(Dim::known);
    let shape = if last { [k.clone(), k, i, o] } else { [o, i, k.clone(), k] };
    let w = g.weight(&shape, weight);
    // A convolution takes two of one type.
    let plain = data == weight && g.dice.one_in(2);
    let (x, w) = if plain { (x, w) } else { (subtracted(&mut g, x), subtracted(&mut g, w)) };
    let option = if plain { ", out_dtype=\"int32\"" } else { "" };
    let layouts = if last { "data_layout=\"NHWC\", kernel_layout=\"HWIO\"" } else { "data_layout=\"NCHW\"" };
    let text = format!(
        "R.nn.conv2d({}, {}, strides={}, padding={}, groups={groups}, {layouts}{option})",
        x.name,
        w.name,
        list(&[stride; 2]),
        list(&[border; 4])
    );
    let value = g.emit(&text, &image(groups * outs, &outs_of), "int32");
    g.finish(&[value])
}
