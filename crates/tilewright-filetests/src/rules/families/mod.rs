//! Families of programs, each aimed at a rule or two.

mod attention;
mod bytes;
mod choices;
mod einsum;
mod epilogue;
mod gathers;
mod images;
mod moves;
mod nests;
mod picked;
mod products;
mod rows;
mod windows;

use super::dice::Dice;
use super::script::Program;

/// A sort of programs.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub name: &'static str,
    pub(super) make: fn(&mut Dice) -> Program,
}

const fn family(name: &'static str, make: fn(&mut Dice) -> Program) -> Family {
    Family { name, make }
}

/// Every family.
pub const FAMILIES: &[Family] = &[
    family("product", products::product),
    family("convolution", windows::convolution),
    family("pool", windows::pool),
    family("attention", attention::attention),
    family("softmax", attention::softmax),
    family("reduction", rows::reduction),
    family("norm", rows::norm),
    family("norm_of_many_rows", rows::norm_of_many_or_long_rows),
    family("moves", moves::moves),
    family("elementwise", moves::elementwise),
    family("gather", gathers::gather),
    family("scatter", gathers::scatter),
    family("order", gathers::order),
    family("nests", nests::nests),
    family("small_image", windows::small_image),
    family("few_channels", windows::few_channels),
    family("bytes", bytes::bytes),
    family("byte_windows", bytes::windows),
    family("einsum", einsum::einsum),
    family("indexed", picked::indexed),
    family("ranked", picked::ranked),
    family("transposed", images::transposed),
    family("resized", images::resized),
    family("placed", images::placed),
    family("choices", choices::choices),
    family("joins", choices::joins),
];
