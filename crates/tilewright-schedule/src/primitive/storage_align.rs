//! `storage_align(block, buffer_index, axis, factor, offset)`: elements that are neighbours along an axis of a
//! temporary are a multiple of `factor` elements plus `offset` apart. An annotation of the block that writes the
//! temporary.

use tilewright_ir::Attr;

use super::annotate::with_annotations;
use super::call::{Call, Default, Outcome, Primitive, Results};
use super::transform_layout::home_of;
use crate::fault::Fault;

pub(crate) const STORAGE_ALIGN: Primitive = Primitive {
    name: "StorageAlign",
    method: "storage_align",
    doc: "Puts elements that are neighbours along an axis a multiple of a factor, and an offset, apart.",
    params: &[
        ("block", Default::Required),
        ("buffer_index", Default::Required),
        ("axis", Default::Required),
        ("factor", Default::Required),
        ("offset", Default::Required),
    ],
    plan: None,
    gives_list: false,
    run,
};

const KEY: &str = "buffer_dim_align";

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let buffer = call.written(&site, 1)?;
    home_of(&site, &buffer)?;
    let (index, axis, factor, offset) = (call.int(1)?, call.int(2)?, call.int(3)?, call.int(4)?);
    let rank = buffer.rank() as i64;
    let dim = if axis < 0 { axis + rank } else { axis };
    if !(0..rank).contains(&dim) {
        return Err(Fault::at(&site, format!("buffer `{}` has {rank} dimensions, found axis {axis}", buffer.name)));
    }
    if factor < 1 {
        return Err(Fault::at(&site, format!("a factor must be at least 1, found {factor}")));
    }
    let entry = |values: &[i64]| Attr::Array(values.iter().copied().map(Attr::Int).collect());
    let function = with_annotations(call.function, &site, |all| {
        let mut entries = match all.remove(KEY) {
            Some(Attr::Array(entries)) => entries,
            _ => Vec::new(),
        };
        entries.retain(|known| known.as_ints().is_none_or(|known| known.get(..2) != Some(&[index, dim][..])));
        entries.push(entry(&[index, dim, factor, offset]));
        all.insert(KEY.into(), Attr::Array(entries));
    });
    Ok(Outcome::changed(function, Results::Nothing))
}
