//! Blocks whose instances may run more than once, as where each thread fetches what it needs.

use tilewright_ir::tir::{Block, BufferRegion, CmpOp, IterKind, PrimFunc, Range, Var};

use crate::analysis::guard::known_inside;
use crate::analysis::required::boxed;
use crate::build::rewrite::path_of;
use crate::site::{Site, loop_of};

/// Whether an instance of the block that runs twice does the same again: it is no reduction, and reads nothing that it
/// writes.
pub(crate) fn is_repeatable(block: &Block) -> bool {
    let is_own = |read: &BufferRegion| block.writes.iter().any(|write| write.buffer.data == read.buffer.data);
    block.init.is_none()
        && !block.reads.iter().any(is_own)
        && block.iters.iter().all(|iter| iter.kind == IterKind::Spatial)
}

/// Whether a block that may be repeated writes, in the same iteration of the loops around both and before the other
/// one, all that the other one reads. The regions are those of the accesses over the loops.
pub(crate) fn is_written_before(
    function: &PrimFunc,
    (writer, written): (&Site, &BufferRegion),
    (reader, read): (&Site, &BufferRegion),
) -> bool {
    let (Some(block), Some((_, predicate))) = (writer.block(), writer.binding()) else { return false };
    let (from, to) = (path_of(writer), path_of(reader));
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let Some((stmt, _)) = writer.above.get(common) else { return false };
    if written.buffer != read.buffer || from > to || !is_repeatable(block) {
        return false;
    }
    let fork = Site { above: writer.above[..common].to_vec(), stmt: stmt.clone() };
    let own = |site: &Site| -> Vec<(Var, Range)> {
        let loops = site.above.iter().skip(common + 1).filter_map(|(stmt, _)| loop_of(stmt));
        loops.map(|l| (l.var, Range::new(l.min, l.extent))).collect()
    };
    let mut known = known_inside(function, &fork);
    let Some(written) = boxed(&mut known, &written.region, &own(writer), predicate) else { return false };
    let inner = own(reader);
    inner.iter().for_each(|(var, range)| known.bind(var, range));
    let vars: Vec<Var> = inner.into_iter().map(|(var, _)| var).collect();
    written.iter().zip(&read.region).all(|(written, read)| {
        let ends = (known.extremes(&read.min, &vars), known.extremes(&(&read.min + &read.extent), &vars));
        let (Some((first, _)), Some((_, last))) = ends else { return false };
        known.decide(CmpOp::Ge, &first, &written.min) == Some(true)
            && known.decide(CmpOp::Le, &last, &(&written.min + &written.extent)) == Some(true)
    })
}
