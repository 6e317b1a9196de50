//! Transposed convolutions, and images in another size.

use super::super::dice::Dice;
use super::super::script::{Dim, Graph, Program, list};
use super::super::values::Numbers;
use super::epilogue::epilogue;

pub(super) fn transposed(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers_of_sums();
    let dtype = g.dice.word(&["float32", "float32", "float32", "float16", "float64", "int32"]);
    let dims = g.dice.pick(&[2, 2, 1, 3]).unwrap_or(2);
    let (groups, ins, outs) = match g.dice.below(4) {
        0 | 1 => (1, g.dice.size(17).max(1), g.dice.size(33).max(1)),
        2 => (g.dice.size(17).max(1), 1, 1),
        _ => (g.dice.between(2, 3), g.dice.between(1, 5), g.dice.between(1, 9)),
    };
    let batch = g.dice.between(1, 2);
    let batch = g.dim(batch, 4);
    let (mut sizes, mut results) = (Vec::new(), Vec::new());
    let (mut strides, mut dilations, mut before, mut after, mut more) = (vec![], vec![], vec![], vec![], vec![]);
    let mut window = Vec::new();
    let mut left = g.dice.pick(&[20, 100, 300]).unwrap_or(20);
    for _ in 0..dims {
        let kernel = g.dice.pick(&[3, 2, 1, 4]).unwrap_or(1);
        let (stride, dilation) = (g.dice.pick(&[1, 2, 3]).unwrap_or(1), g.dice.pick(&[1, 1, 2]).unwrap_or(1));
        let size = g.dice.size(left.min(20)).max(1);
        left = (left / size).max(1);
        let whole = (size - 1) * stride + (kernel - 1) * dilation + 1;
        let first = g.dice.between(0, ((kernel - 1) * dilation).min(whole - 1));
        let last = g.dice.between(0, ((kernel - 1) * dilation).min(whole - 1 - first));
        let added = g.dice.between(0, stride.max(dilation) - 1);
        sizes.push(Dim::known(size));
        results.push(Dim::known(whole - first - last + added));
        window.push(Dim::known(kernel));
        strides.push(stride);
        dilations.push(dilation);
        before.push(first);
        after.push(last);
        more.push(added);
    }
    before.extend(after);
    let x = g.param(&[&[batch.clone(), Dim::known(groups * ins)], sizes.as_slice()].concat(), dtype);
    let w = g.weight(&[&[Dim::known(groups * ins), Dim::known(outs)], window.as_slice()].concat(), dtype);
    g.sums(ins * window.iter().map(|dim| dim.size).product::<i64>(), dtype);
    let options = format!(
        "strides={}, padding={}, output_padding={}, dilation={}, groups={groups}",
        list(&strides),
        list(&before),
        list(&more),
        list(&dilations)
    );
    let shape = [&[batch, Dim::known(groups * outs)], results.as_slice()].concat();
    let value = g.emit(&format!("R.nn.conv{dims}d_transpose({}, {}, {options})", x.name, w.name), &shape, dtype);
    let value = epilogue(&mut g, value, Some(1));
    g.finish(&[value])
}

pub(super) fn resized(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    let dtype = g.dice.word(&["float32", "float32", "float16", "float64", "uint8"]);
    let method = g.dice.word(&["linear", "nearest_neighbor", "cubic"]);
    let sizes = g.dice.sizes(2, 400);
    let (batch, channels) = (g.dice.between(1, 2), g.dice.between(1, 5));
    let last = g.dice.one_in(3);
    let max = g.dice.pick(&[40, 40, 150]).unwrap_or(40);
    let new: Vec<i64> = [(); 2].map(|()| g.dice.size(max).max(1)).to_vec();
    let [batch, height, width] = [batch, sizes[0].max(1), sizes[1].max(1)].map(|size| g.dim(size, 6));
    let image = |height: Dim, width: Dim| {
        let channels = Dim::known(channels);
        if last { vec![batch.clone(), height, width, channels] } else { vec![batch.clone(), channels, height, width] }
    };
    let modes = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn"];
    let mode = match method {
        "nearest_neighbor" => g.dice.word(&modes),
        _ => g.dice.word(modes.split_at(4).0),
    };
    let rounding = g.dice.word(&["round", "floor", "ceil", "round_prefer_floor", "round_prefer_ceil"]);
    if method != "nearest_neighbor" {
        g.numbers = Numbers::Real;
        g.rounds(64.0, 16.0);
    } else {
        g.numbers = Numbers::Extreme;
    }
    // A value truncated to an integer may be the next one.
    let dtype = if dtype == "uint8" && method != "nearest_neighbor" { "float32" } else { dtype };
    let x = g.param(&image(height, width), dtype);
    let shape = image(Dim::known(new[0]), Dim::known(new[1]));
    let layout = if last { "NHWC" } else { "NCHW" };
    let text = format!(
        "R.image.resize2d({}, R.shape({}), layout=\"{layout}\", method=\"{method}\", \
         coordinate_transformation_mode=\"{mode}\", rounding_method=\"{rounding}\")",
        x.name,
        list(&new)
    );
    let value = g.emit(&text, &shape, dtype);
    let value =
        if value.is_float() && g.dice.one_in(3) { g.map(&format!("R.nn.relu({})", value.name), &value) } else { value };
    g.finish(&[value])
}

/// Images sampled at the coordinates of a grid.
pub(super) fn placed(dice: &mut Dice) -> Program {
    let mut g = Graph::new(dice);
    g.numbers = Numbers::Real;
    g.rounds(64.0, 64.0);
    let dtype = g.dice.word(&["float32", "float32", "float64"]);
    let sizes = g.dice.sizes(2, 200);
    let (batch, channels) = (g.dice.between(1, 2), g.dice.between(1, 5));
    let [height, width] = [sizes[0].max(1), sizes[1].max(1)].map(|size| g.dim(size, 6));
    let batch = Dim::known(batch);
    let new: Vec<Dim> = [(); 2].map(|()| Dim::known(g.dice.size(40).max(1))).to_vec();
    // Coordinates between elements, at which a rounding of the coordinate changes little.
    let method = g.dice.word(&["bilinear", "bicubic"]);
    let outside = g.dice.word(&["zeros", "border"]);
    let corners = if g.dice.one_in(2) { "True" } else { "False" };
    let x = g.param(&[batch.clone(), Dim::known(channels), height, width], dtype);
    let grid = g.param(&[&[batch.clone(), Dim::known(2)], new.as_slice()].concat(), dtype);
    let text = format!(
        "R.image.grid_sample({}, {}, method=\"{method}\", padding_mode=\"{outside}\", align_corners={corners})",
        x.name, grid.name
    );
    let value = g.emit(&text, &[&[batch, Dim::known(channels)], new.as_slice()].concat(), dtype);
    g.finish(&[value])
}
