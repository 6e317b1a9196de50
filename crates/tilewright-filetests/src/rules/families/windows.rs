//! Convolutions and pools: strides, dilations, borders, groups, channels first and last.

use super::super::dice::Dice;
use super::super::script::{Dim, Graph, Program, Value, list};
use super::epilogue::epilogue;

/// A window along one dimension of an image.
struct Along {
    /// The extent of the image.
    size: i64,
    /// The number of results.
    out: i64,
    kernel: i64,
    stride: i64,
    dilation: i64,
    before: i64,
    after: i64,
}

impl Along {
    /// Windows whose borders are smaller than they are.
    fn new(dice: &mut Dice, max: i64) -> Self {
        let kernel = dice.pick(&[3, 1, 2, 5, 4]).unwrap_or(1);
        let (stride, dilation) = (dice.pick(&[1, 1, 2, 3]).unwrap_or(1), dice.pick(&[1, 1, 1, 2]).unwrap_or(1));
        let reach = (kernel - 1) * dilation;
        let border = |dice: &mut Dice| if dice.one_in(2) { dice.between(0, (kernel - 1).min(2)) } else { 0 };
        let (before, after) = (border(dice), border(dice));
        let wanted = dice.size(max).max(1);
        let unused = if dice.one_in(3) { dice.between(0, stride - 1) } else { 0 };
        let size = ((wanted - 1) * stride + reach + 1 + unused - before - after).max(1);
        let out = (size + before + after - reach - 1).div_euclid(stride) + 1;
        Self { size, out: out.max(0), kernel, stride, dilation, before, after }
    }
}

/// The attributes of all dimensions.
fn attributes(all: &[Along]) -> String {
    let each = |of: fn(&Along) -> i64| list(&all.iter().map(of).collect::<Vec<_>>());
    let sides: Vec<i64> = all.iter().map(|one| one.before).chain(all.iter().map(|one| one.after)).collect();
    let (strides, dilation) = (each(|one| one.stride), each(|one| one.dilation));
    format!("strides={strides}, padding={}, dilation={dilation}", list(&sides))
}

/// The layouts with channels first or last, by the number of dimensions of an image: data, kernel.
fn layouts(spatial: usize, last: bool) -> (String, String) {
    let axes = ["W", "HW", "DHW"].get(spatial - 1).copied().unwrap_or("W");
    if last { (format!("N{axes}C"), format!("{axes}IO")) } else { (format!("NC{axes}"), format!("OI{axes}")) }
}

fn image(batch: &Dim, channels: i64, sizes: &[Dim], last: bool) -> Vec<Dim> {
    let channels = Dim::known(channels);
    if last {
        [std::slice::from_ref(batch), sizes, &[channels]].concat()
    } else {
        [&[batch.clone(), channels], sizes].concat()
    }
}

/// A batch, which may be nothing or known only when the program runs, and windows on images.
fn setting(g: &mut Graph<'_>, budget: i64) -> (Dim, Vec<Along>) {
    let size = g.dice.pick(&[1, 2, 3, 0]).unwrap_or(1);
    let batch = g.dim(size, 4);
    let spatial = g.dice.pick(&[2, 2, 1, 2, 3]).unwrap_or(2);
    let mut left = budget / size.max(1);
    let mut all = Vec::new();
    for _ in 0..spatial {
        let along = Along::new(g.dice, left.min(40));
        left = (left / along.out.max(1)).max(1);
        all.push(along);
    }
    (batch, all)
}

const TYPES: [&str; 6] = ["float32", "float32", "float32", "float16", "int8", "float64"];

pub(super) fn convolution(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers_of_sums();
    let dtype = g.dice.word(&TYPES);
    let budget = g.dice.pick(&[50, 300, 1000]).unwrap_or(50);
    let (batch, along) = setting(&mut g, budget);
    let (groups, of_group, per_group) = groups(g.dice);
    let last = g.dice.one_in(3);
    let (data, kernel) = layouts(along.len(), last);
    let sizes: Vec<Dim> = along.iter().map(|one| g.dim(one.size, 10)).collect();
    let named = sizes.iter().any(|dim| !dim.is_known());
    let x = g.param(&image(&batch, groups * of_group, &sizes, last), dtype);
    let x = if x.is_float() && g.dice.one_in(5) { g.map(&format!("R.nn.relu({})", x.name), &x) } else { x };
    let window: Vec<Dim> = along.iter().map(|one| Dim::known(one.kernel)).collect();
    let [ins, outs] = [Dim::known(of_group), Dim::known(groups * per_group)];
    let shape =
        if last { [window.as_slice(), &[ins, outs]].concat() } else { [&[outs, ins], window.as_slice()].concat() };
    let w = g.weight(&shape, dtype);
    let out = if dtype == "int8" { "int32" } else { dtype };
    let results: Vec<Dim> = along.iter().map(|one| Dim::known(one.out)).collect();
    let shape = image(&batch, groups * per_group, &results, last);
    let as_out = if out == dtype { String::new() } else { format!(", out_dtype=\"{out}\"") };
    let dims = along.len();
    let text = format!(
        "R.nn.conv{dims}d({}, {}, {}, groups={groups}, data_layout=\"{data}\", kernel_layout=\"{kernel}\"{as_out})",
        x.name,
        w.name,
        attributes(&along)
    );
    g.sums(along.iter().map(|one| one.kernel).product::<i64>() * of_group, dtype);
    let value = g.emit(&text, &shape, out);
    // Results along a named dimension have a name that only the operator knows: nothing is added to them.
    if named {
        return g.finish(&[value]);
    }
    let channels = if last { dims + 1 } else { 1 };
    let value = if value.is_float() && g.dice.one_in(5) { normalised(&mut g, &value, channels) } else { value };
    let value = epilogue(&mut g, value, Some(channels));
    g.finish(&[value])
}

/// A convolution of a small image with constant weights, in groups of about a vector of channels or of many channels.
pub(super) fn small_image(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers_of_sums();
    let (groups, of_group, per_group) = match g.dice.one_in(2) {
        true => (g.dice.between(2, 4), g.dice.between(7, 16), g.dice.pick(&[16, 8, 12, 7]).unwrap_or(16)),
        false => (1, g.dice.between(5, 20), g.dice.pick(&[32, 48, 64, 37]).unwrap_or(32)),
    };
    let (height, width, batch) = (g.dice.between(3, 7), g.dice.between(5, 9), g.dice.between(1, 2));
    let batch = g.dim(batch, 6);
    let border = g.dice.between(0, 1);
    let sizes = [height, width].map(|size| Dim::known(size + 2 - 2 * border));
    let x = g.param(&image(&batch, groups * of_group, &sizes, false), "float32");
    let w = g.constant(&[groups * per_group, of_group, 3, 3].map(Dim::known), "float32");
    g.sums(9 * of_group, "float32");
    let shape = image(&batch, groups * per_group, &[height, width].map(Dim::known), false);
    let call = format!("R.nn.conv2d({}, {}, padding={border}, groups={groups})", x.name, w.name);
    let value = g.emit(&call, &shape, "float32");
    let value = epilogue(&mut g, value, Some(1));
    g.finish(&[value])
}

/// A convolution of few channels in a group, or whose windows do not overlap.
pub(super) fn few_channels(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers_of_sums();
    let (groups, of_group) = (g.dice.between(1, 3), g.dice.between(1, 6));
    let per_group = g.dice.pick(&[4, 8, 2, 6, 3]).unwrap_or(4);
    let (height, width, batch) = (g.dice.between(6, 14), g.dice.between(14, 24), g.dice.between(1, 2));
    let batch = g.dim(batch, 6);
    let (kernel, stride, border) = (g.dice.between(2, 4), g.dice.between(1, 3), g.dice.between(0, 1));
    let sizes = [height, width].map(|size| Dim::known((size - 1) * stride + kernel - 2 * border));
    let x = g.param(&image(&batch, groups * of_group, &sizes, false), "float32");
    let w = g.weight(&[groups * per_group, of_group, kernel, kernel].map(Dim::known), "float32");
    g.sums(kernel * kernel * of_group, "float32");
    let shape = image(&batch, groups * per_group, &[height, width].map(Dim::known), false);
    let call = format!("R.nn.conv2d({}, {}, strides={stride}, padding={border}, groups={groups})", x.name, w.name);
    let value = g.emit(&call, &shape, "float32");
    let value = epilogue(&mut g, value, Some(1));
    g.finish(&[value])
}

/// Groups, channels of the data in one, and channels of the results.
fn groups(dice: &mut Dice) -> (i64, i64, i64) {
    match dice.below(6) {
        5 => (dice.between(2, 4), dice.between(7, 17), dice.between(15, 17)),
        0..=1 => (1, dice.size(33).max(1), dice.size(33).max(1)),
        2 => (dice.size(17).max(1), 1, 1),
        3 => (dice.size(8).max(1), 1, dice.between(1, 3)),
        _ => (dice.between(2, 4), dice.between(1, 9), dice.between(1, 9)),
    }
}

/// A batch norm of inference.
fn normalised(g: &mut Graph<'_>, value: &Value, channels: usize) -> Value {
    let own = value.shape.get(channels).cloned().into_iter().collect::<Vec<_>>();
    let [gamma, beta, mean] = [(); 3].map(|()| g.weight(&own, value.dtype));
    let variance = g.param_in(&own, value.dtype, super::super::values::Range::Positive);
    g.rounds(16.0, 8.0 * g.tolerance.terms.max(1.0));
    let args = [value, &gamma, &beta, &mean, &variance].map(|value| value.name.as_str()).join(", ");
    let all = g.map(&format!("R.nn.batch_norm({args}, axis={channels}, training=False)"), value);
    g.map(&format!("{}[0]", all.name), value)
}

pub(super) fn pool(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers_of_sums();
    let dtype = g.dice.word(&["float32", "float32", "float16", "int32", "int8"]);
    let budget = g.dice.pick(&[100, 1000, 4000]).unwrap_or(100);
    let (batch, along) = setting(&mut g, budget);
    let last = g.dice.one_in(3);
    let channels = g.dice.size(20);
    let sizes: Vec<Dim> = along.iter().map(|one| Dim::known(one.size)).collect();
    let x = g.param(&image(&batch, channels, &sizes, last), dtype);
    let x = if x.is_float() && g.dice.one_in(4) { g.map(&format!("R.nn.relu({})", x.name), &x) } else { x };
    let (layout, _) = layouts(along.len(), last);
    let dims = along.len();
    if x.is_float() && g.dice.one_in(5) {
        let value = adaptive(&mut g, &x, &along, &layout, last);
        return g.finish(&[value]);
    }
    let mean = x.is_float() && g.dice.one_in(2);
    let window: Vec<i64> = along.iter().map(|one| one.kernel).collect();
    let options = match (mean, g.dice.below(3)) {
        (_, 0) => "",
        (true, 1) => ", count_include_pad=True",
        _ => ", ceil_mode=True",
    };
    if mean {
        g.sums(window.iter().product(), dtype);
        g.rounds(4.0, 0.0);
    }
    let op = if mean { "avg" } else { "max" };
    let text = format!(
        "R.nn.{op}_pool{dims}d({}, pool_size={}, {}, layout=\"{layout}\"{options})",
        x.name,
        list(&window),
        attributes(&along)
    );
    let outs: Vec<Dim> = along.iter().map(|one| Dim::known(one.out)).collect();
    let value = g.emit(&text, &image(&batch, channels, &outs, last), dtype);
    // With a window more at the end the sizes are not those above.
    if options == ", ceil_mode=True" {
        return g.finish(&[value]);
    }
    let channels = if last { dims + 1 } else { 1 };
    let value = epilogue(&mut g, value, Some(channels));
    g.finish(&[value])
}

/// Means of windows that share an image evenly among results.
fn adaptive(g: &mut Graph<'_>, x: &Value, along: &[Along], layout: &str, last: bool) -> Value {
    let outs: Vec<i64> = along.iter().map(|one| g.dice.between(1, one.size)).collect();
    let mut shape = x.shape.clone();
    let first = if last { 1 } else { 2 };
    for (dim, &size) in shape.iter_mut().skip(first).zip(&outs) {
        *dim = Dim::known(size);
    }
    g.sums(along.iter().map(|one| one.size).product(), x.dtype);
    g.rounds(4.0, 0.0);
    let (dims, sizes) = (along.len(), list(&outs));
    let text = format!("R.nn.adaptive_avg_pool{dims}d({}, output_size={sizes}, layout=\"{layout}\")", x.name);
    g.emit(&text, &shape, x.dtype)
}
