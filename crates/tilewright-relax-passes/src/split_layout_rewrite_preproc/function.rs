//! A PrimFunc, and what it does to constants first.

use tilewright_expr::node::{VarId, walk};
use tilewright_ir::Attr;
use tilewright_ir::analysis::tir::{renew_defs, undefined_vars};
use tilewright_ir::nest::Nest;
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{Block, Buffer, Param, PrimFunc, Stmt, StmtKind, Var, written_data};
use tilewright_support::Set;

use crate::annotate_tir_op_pattern::OP_PATTERN;
use crate::attach_attr_layout_free_buffers::LAYOUT_FREE_BUFFERS;

/// The attribute of a block whose nest may run at compile time.
const LAYOUT_REWRITE_PREPROC: &str = "layout_rewrite_preproc";

pub(super) struct Split {
    /// The rest of the function.
    pub(super) function: PrimFunc,
    pub(super) prepacks: Vec<Prepack>,
    /// The parameters of the rest.
    pub(super) params: Vec<Source>,
}

pub(super) struct Prepack {
    pub(super) function: PrimFunc,
    /// The parameters of the whole function that it gets.
    pub(super) params: Vec<usize>,
}

/// The origin of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// The parameter that had this number.
    Old(usize),
    /// The result of the function that runs first of this number.
    Packed(usize),
}

/// The function in parts; nothing where no nest may be split off.
pub(super) fn split(function: &PrimFunc) -> Option<Split> {
    let free = function.attrs.get(LAYOUT_FREE_BUFFERS).and_then(Attr::as_ints)?;
    let free: Vec<usize> = free.into_iter().filter_map(|at| usize::try_from(at).ok()).collect();
    let root = function.root_block()?;
    let StmtKind::Seq(stmts) = &root.body.kind else { return None };
    let (mut rest, mut found) = (Vec::new(), Vec::new());
    for (at, stmt) in stmts.iter().enumerate() {
        let others = || stmts.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
        match preproc(function, root, &free, stmt).filter(|nest| others().all(|other| !writes(other, &nest.result))) {
            Some(nest) => found.push(nest),
            None => rest.push(stmt.clone()),
        }
    }
    if found.is_empty() {
        return None;
    }
    let rest = Stmt::seq(rest);
    let results: Set<VarId> = found.iter().map(|nest| nest.result.id()).collect();
    let params = params(function, &found, &rest);
    let mut left = function.clone();
    left.params = params
        .iter()
        .map(|source| match source {
            Source::Old(at) => function.params[*at].clone(),
            Source::Packed(at) => Param::buffer(&found[*at].result),
        })
        .collect();
    left.attrs.remove(LAYOUT_FREE_BUFFERS);
    left.body = with_body(&function.body, rest, &results)?;
    let prepacks = found.into_iter().map(|nest| nest.into_function(function)).collect();
    Some(Split { function: left, prepacks, params })
}

/// A nest that may run while compiling.
struct Preproc {
    stmt: Stmt,
    params: Vec<usize>,
    result: Buffer,
}

impl Preproc {
    fn into_function(self, whole: &PrimFunc) -> Prepack {
        let buffers = self.params.iter().filter_map(|&at| whole.params[at].buffer.as_ref()).chain([&self.result]);
        let params = buffers.map(Param::buffer).collect();
        let mut attrs = whole.attrs.clone();
        [LAYOUT_FREE_BUFFERS, OP_PATTERN].iter().for_each(|attr| drop(attrs.remove(*attr)));
        let function = PrimFunc::with_root(params, attrs, Vec::new(), self.stmt, whole.origins.clone());
        Prepack { function: renew_defs(&function), params: self.params }
    }
}

/// The statement as a nest that may be split off.
fn preproc(function: &PrimFunc, root: &Block, free: &[usize], stmt: &Stmt) -> Option<Preproc> {
    let mut nest = Nest::of(stmt)?;
    let is_said = nest.block.annotations.get(LAYOUT_REWRITE_PREPROC).is_some_and(Attr::is_true);
    let regions = block_regions(&nest.block);
    let [written] = regions.writes.as_slice() else { return None };
    let result = written.buffer.clone();
    if !is_said || !root.alloc_buffers.contains(&result) || !has_numbers(&result) {
        return None;
    }
    let (mut params, mut is_free) = (Vec::new(), true);
    walk(stmt, |buffer: &Buffer| {
        if *buffer == result {
            return;
        }
        let param = function.params.iter().position(|param| param.buffer.as_ref() == Some(buffer));
        match param.filter(|at| free.contains(at) && has_numbers(buffer)) {
            Some(at) if !params.contains(&at) => params.push(at),
            Some(_) => {}
            None => is_free = false,
        }
    });
    params.sort_unstable();
    let told: Vec<Var> = params
        .iter()
        .filter_map(|&at| function.params[at].buffer.as_ref())
        .chain([&result])
        .map(|buffer| buffer.data.clone())
        .collect();
    if !is_free || params.is_empty() || !undefined_vars(stmt, &told).is_empty() {
        return None;
    }
    nest.block.annotations.remove(LAYOUT_REWRITE_PREPROC);
    Some(Preproc { stmt: nest.into_stmt(), params, result })
}

fn has_numbers(buffer: &Buffer) -> bool {
    buffer.shape.iter().all(|dim| dim.as_int().is_some()) && buffer.strides.is_empty() && buffer.elem_offset.is_none()
}

fn writes(stmt: &Stmt, buffer: &Buffer) -> bool {
    written_data(stmt).contains(&buffer.data.id())
}

/// The parameters of the rest: those that only the split-off nests read are removed, and their results replace the
/// first of them.
fn params(function: &PrimFunc, found: &[Preproc], rest: &Stmt) -> Vec<Source> {
    let mut used: Set<VarId> = Set::default();
    walk(rest, |var: &Var| used.extend([var.id()]));
    walk(rest, |buffer: &Buffer| used.extend([buffer.data.id()]));
    let is_used = |at: usize| {
        let data = function.params[at].buffer.as_ref().map(|buffer| buffer.data.id());
        data.is_some_and(|data| used.contains(&data)) || used.contains(&function.params[at].var.id())
    };
    let mut params = Vec::new();
    for at in 0..function.params.len() {
        let first = found.iter().enumerate().filter(|(_, nest)| nest.params.first() == Some(&at));
        params.extend(first.map(|(packed, _)| Source::Packed(packed)));
        if is_used(at) || !found.iter().any(|nest| nest.params.contains(&at)) {
            params.push(Source::Old(at));
        }
    }
    params
}

/// The function's body with another one in its root block, which allocates the buffers no more.
fn with_body(body: &Stmt, inside: Stmt, params: &Set<VarId>) -> Option<Stmt> {
    let StmtKind::Block { values, predicate, block } = &body.kind else { return None };
    let mut block = block.clone();
    block.body = inside;
    block.alloc_buffers.retain(|buffer| !params.contains(&buffer.id()));
    Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
}
