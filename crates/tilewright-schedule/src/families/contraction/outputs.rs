//! What is written of a contraction's sums: its epilogue, if all that follows can be computed on finished tiles.

use tilewright_ir::tir::PrimFunc;

use super::{Contraction, fold_batch};
use crate::facts::epilogue::{self, Outputs, Produced};
use crate::facts::fault::Fault;
use crate::facts::guard::known_around;
use crate::facts::stages::{nests_behind, own_nest, statements};
use crate::facts::tree::Site;

/// What is written of a product's sums, and whether that is all that stands behind it; else that stays as it is.
pub(crate) fn outputs_of(
    function: &PrimFunc,
    site: &Site,
    scope: &Site,
    c: &Contraction,
) -> Result<(Outputs, bool), Fault> {
    let produced = |stays: bool| Produced {
        out: &c.out,
        indices: &c.indices,
        read: vec![&c.a, &c.b],
        always: c.cleared.is_some() || known_around(function, site).bounds(&c.k.size).at_least(1),
        stays,
    };
    let on_tiles =
        nests_behind(site).and_then(|after| epilogue::outputs(function, site, scope, &produced(false), &after));
    match on_tiles {
        Ok(outputs) => Ok((outputs, true)),
        Err(_) if statements(scope).len() > own_nest(site)? + 1 => {
            Ok((epilogue::outputs(function, site, scope, &produced(true), &[])?, false))
        }
        Err(fault) => Err(fault),
    }
}

/// How many matrices the product of a block is of, where their rows are taken together as far as they can be; `None`
/// where only a run knows.
pub(crate) fn matrices(function: &PrimFunc, site: &Site, c: &Contraction) -> Option<i64> {
    let joined = site.scope().and_then(|scope| {
        let (outputs, _) = outputs_of(function, site, &scope, c).ok()?;
        fold_batch::joined_rows(function, c, &outputs).ok()?
    });
    joined.as_ref().map_or(&c.batch.size, |(joined, ..)| &joined.batch.size).as_int()
}
