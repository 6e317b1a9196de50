//! Every primitive by name: the general ones, then the kernels.

use tilewright_ir::Attr;

use crate::kernels::KERNELS;

use crate::plan::cpu::gemm::Conversion;
use crate::primitive::{GENERAL, Primitive};
use crate::trace::Arg;

/// Earlier names of kernels, which programs and traces may still use, each with the name of today.
pub const RENAMED: &[(&str, &str)] = &[
    ("tile_product", "gemm"),
    ("tile_windows", "direct_conv"),
    ("tile_attention", "flash_attention"),
    ("pipeline_softmax", "rows_resident"),
    ("pipeline_norm", "rows_resident"),
    ("softmax_by_pieces", "rows_by_pieces"),
    ("pipeline_moments", "rows_by_pieces"),
    ("seek_extreme", "rows_by_pieces"),
    ("softmax_side_by_side", "rows_side_by_side"),
];

/// Every primitive, in the order of the documentation.
pub fn all() -> impl Iterator<Item = &'static Primitive> {
    GENERAL.iter().chain(KERNELS)
}

/// The primitive of this name, as traces or as users write it.
pub fn by_name(name: &str) -> Option<&'static Primitive> {
    let name = RENAMED.iter().find(|(earlier, _)| *earlier == name).map_or(name, |(_, now)| now);
    all().find(|primitive| primitive.name == name || primitive.method == name)
}

/// The earlier GEMM, whose arguments from this position on were `grouped`, `widened`, `outer_steps` and `ask_near`.
const EARLIER_GEMM: (&str, usize) = ("tile_product", 9);

/// Turns the arguments of a call by an earlier name into those of today: two flags of the GEMM are one choice.
///
/// # Errors
///
/// Both flags are set.
pub(crate) fn translate(
    name: &str,
    positional: &mut Vec<Arg>,
    named: &mut Vec<(String, Arg)>,
) -> Result<(), &'static str> {
    let (earlier, first) = EARLIER_GEMM;
    if name != earlier {
        return Ok(());
    }
    let is_set = |arg: &Arg| matches!(arg, Arg::Attr(attr) if attr.is_true());
    let by_name = |flag: &str| named.iter().any(|(name, arg)| name == flag && is_set(arg));
    let by_position = |at: usize| positional.get(at).is_some_and(is_set);
    let conversion = match (by_name("grouped") || by_position(first), by_name("widened") || by_position(first + 1)) {
        (false, false) => Conversion::InTile,
        (false, true) => Conversion::InPanel,
        (true, false) => Conversion::DotProduct,
        (true, true) => return Err("`grouped` and `widened` exclude each other"),
    };
    for (at, flag) in ["outer_steps", "ask_near"].into_iter().enumerate() {
        if positional.len() > first + 2 + at {
            named.push((flag.to_owned(), positional[first + 2 + at].clone()));
        }
    }
    positional.truncate(first);
    named.retain(|(name, _)| name != "grouped" && name != "widened");
    named.push(("conversion".to_owned(), Arg::Attr(Attr::str(conversion.name()))));
    Ok(())
}
