//! `cache_inplace(block, read_buffer_index, storage_scope)`: a buffer that a block changes in place is copied to other
//! memory, changed there, and copied back. And `read_at(loop, block, read_buffer_index, storage_scope)` and
//! `write_at(loop, block, write_buffer_index, storage_scope)`: a copy as `cache_read` and `cache_write` make it, within
//! a loop.

use tilewright_ir::Attr;
use tilewright_ir::tir::{PrimFunc, Range, Scope, Stmt};

use super::annotate::with_annotations;
use super::cache_read::CACHE_READ;
use super::cache_write::CACHE_WRITE;
use super::call::{Call, Default, Outcome, Primitive, Results, Value, site_of};
use super::compute_at::COMPUTE_AT;
use super::reverse_compute_at::REVERSE_COMPUTE_AT;
use crate::analysis::guard::known_around;
use crate::analysis::required::{cache_of, copy_block, outermost_free, read_box, written_box};
use crate::analysis::stages::{reads, scope_stages, writes};
use crate::analysis::written::written_exactly;
use crate::build::rewrite::{path_of, with_block, with_buffer};
use crate::fault::Fault;

pub(crate) const CACHE_INPLACE: Primitive = Primitive {
    name: "CacheInplace",
    method: "cache_inplace",
    doc: "Copies what a block changes in place to other memory and back: both copies.",
    params: &[
        ("block", Default::Required),
        ("read_buffer_index", Default::Required),
        ("storage_scope", Default::Required),
    ],
    plan: None,
    gives_list: true,
    run: inplace,
};

pub(crate) const READ_AT: Primitive = Primitive {
    name: "ReadAt",
    method: "read_at",
    doc: "Copies what a block reads to other memory, within a loop.",
    params: &[
        ("loop", Default::Required),
        ("block", Default::Required),
        ("read_buffer_index", Default::Required),
        ("storage_scope", Default::Required),
    ],
    plan: None,
    gives_list: false,
    run: |call| at_loop(call, &CACHE_READ, &COMPUTE_AT),
};

pub(crate) const WRITE_AT: Primitive = Primitive {
    name: "WriteAt",
    method: "write_at",
    doc: "Copies what a block writes from other memory, within a loop.",
    params: &[
        ("loop", Default::Required),
        ("block", Default::Required),
        ("write_buffer_index", Default::Required),
        ("storage_scope", Default::Required),
    ],
    plan: None,
    gives_list: false,
    run: |call| at_loop(call, &CACHE_WRITE, &REVERSE_COMPUTE_AT),
};

fn inplace(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let buffer = call.read(&site, 1)?;
    let memory = call.text(2)?;
    let memory = Scope::named(memory).ok_or_else(|| Fault::at(&site, format!("there is no memory `{memory}`")))?;
    let scope = site.expect_scope()?;
    let refuse = |what: &str| Fault::at(&site, format!("`{}` {what}", buffer.name));
    let block = site.expect_block()?;
    if block.writes.iter().all(|write| write.buffer != buffer) {
        return Err(refuse("is not changed in place: the block does not write it"));
    }
    let outer = outermost_free(&site, |_| false);
    let here = path_of(&outer);
    let mut inside = scope_stages(&site)?.into_iter().filter(|stage| path_of(stage).starts_with(&here));
    if let Some(other) = inside.find(|s| path_of(s) != path_of(&site) && (reads(s, &buffer) || writes(s, &buffer))) {
        return Err(Fault::at(&other, format!("`{}` is used by this block, too", buffer.name)));
    }
    let read = read_box(&outer.stmt, &buffer).ok_or_else(|| refuse("is not read"))?;
    let mut known = known_around(call.function, &outer);
    let same = |a: &Range, b: &Range| known.prove_equal(&a.min, &b.min) && known.prove_equal(&a.extent, &b.extent);
    let written = written_box(&outer.stmt, &buffer).ok_or_else(|| refuse("is not written"))?;
    // Elements that were copied may go back unchanged; others have to be written.
    let region = match written.region.iter().zip(&read.region).all(|(written, read)| same(written, read)) {
        true => read.region.clone(),
        false => written_exactly(call.function, &site, &outer, &buffer)?,
    };
    let cache = cache_of(&buffer, &memory);
    let (first, read_key) = copy_block(&mut known, &buffer, &cache, &cache.name, &read.region)?;
    let back = format!("{}_back", cache.name).into();
    let (last, write_key) = copy_block(&mut known, &cache, &buffer, &back, &region)?;
    let body = outer.replaced(Stmt::seq([first, with_buffer(&outer.stmt, &buffer, &cache), last]));
    let function = PrimFunc { body, ..call.function.clone() };
    let function = with_block(&function, &path_of(&scope), |block| block.alloc_buffers.push(cache))?;
    Ok(Outcome::changed(function, Results::List(vec![read_key, write_key])))
}

/// A copy, moved into a loop.
fn at_loop(call: &Call<'_>, copies: &Primitive, moves: &Primitive) -> Result<Outcome, Fault> {
    call.loop_at(0)?;
    let none = Value::Attr(Attr::None);
    let args: Vec<Value> = (1..4).map(|at| call.value(at).cloned()).chain([Ok(none)]).collect::<Result<_, _>>()?;
    let args = &args[..copies.params.len().min(args.len())];
    let copied = (copies.run)(&Call { args, ..*call })?;
    let (Some(function), Results::One(key)) = (&copied.function, &copied.results) else { return Ok(copied) };
    let moved =
        [Value::Site(key.clone()), call.value(0)?.clone(), Value::Attr(Attr::Bool(false)), Value::Attr(Attr::Int(-1))];
    let moved = (moves.run)(&Call { function, args: &moved, ..*call })?;
    let function = moved.function.as_ref().unwrap_or(function);
    let site = site_of(function, key)?;
    let function = with_annotations(function, &site, |all| drop(all.insert("auto_copy".into(), Attr::Bool(true))));
    Ok(Outcome::changed(function, Results::One(key.clone())))
}
