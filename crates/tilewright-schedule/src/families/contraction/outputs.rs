//! The outputs of a contraction: its epilogue, if all that follows can be computed on finished tiles.

use tilewright_ir::tir::PrimFunc;

use super::{Contraction, fold_batch};
use crate::analysis::epilogue::{self, Outputs, Produced};
use crate::analysis::stages::{nests_after, own_nest, statements};
use crate::fault::Fault;
use crate::site::Site;

/// The outputs of a contraction's sums, and whether these are all that follows it; else what follows stays as it is.
pub(crate) fn outputs_of(
    function: &PrimFunc,
    site: &Site,
    scope: &Site,
    c: &Contraction,
) -> Result<(Outputs, bool), Fault> {
    let produced = |stays: bool| Produced { out: &c.out, indices: &c.indices, read: vec![&c.a, &c.b], stays };
    let on_tiles =
        nests_after(site).and_then(|after| epilogue::outputs(function, site, scope, &produced(false), &after));
    match on_tiles {
        Ok(outputs) => Ok((outputs, true)),
        Err(_) if statements(scope).len() > own_nest(site)? + 1 => {
            Ok((epilogue::outputs(function, site, scope, &produced(true), &[])?, false))
        }
        Err(fault) => Err(fault),
    }
}

/// The size of the batch of a block's contraction after it is folded into M as far as it can be; `None` where only a
/// run knows.
pub(crate) fn matrices(function: &PrimFunc, site: &Site, c: &Contraction) -> Option<i64> {
    let folded = site.scope().and_then(|scope| {
        let (outputs, _) = outputs_of(function, site, &scope, c).ok()?;
        fold_batch::fold(function, c, &outputs).ok()?
    });
    folded.as_ref().map_or(c, |folded| &folded.contraction).batch.size.as_int()
}
