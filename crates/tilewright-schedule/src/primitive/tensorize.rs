//! `tensorize(block_or_loop, tensor_intrin, preserve_unit_iters)`: a block that computes what a tensor intrinsic
//! describes is done by the intrinsic's implementation. A loop becomes a block first, as `blockize` makes it.
//!
//! The description and the implementation are functions of the same buffers. The block's nest must be that of the
//! description, loop for loop, with tiles of its buffers in place of the description's: each index is the description's
//! and what does not change within the tile. Inside of the block the implementation's buffers then stand for these
//! tiles. That the implementation does what the description says is the word of whoever registered the two.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{VarId, walk};
use tilewright_ir::nest::Nest;
use tilewright_ir::tir::{
    Block, Buffer, BufferRegion, Expr, ExprKind, IterKind, MatchBuffer, PrimFunc, Range, Stmt, StmtKind, Var,
};
use tilewright_support::{Map, with_stack};
use tilewright_tensor::DataType;
use tilewright_tir_passes::Substitute;

use super::blockize::blockize;
use super::call::{Call, Default, Outcome, Primitive, Results, TensorIntrin, site_of};
use crate::analysis::dependence::driven_axes;
use crate::analysis::guard::known_inside;
use crate::analysis::index_maps::at_values;
use crate::build::exprs::{mentions, substituted};
use crate::build::unique::with_unique_keys;
use crate::fault::Fault;
use crate::site::{Key, key_at};

pub(crate) const TENSORIZE: Primitive = Primitive {
    name: "Tensorize",
    method: "tensorize",
    doc: "Puts the implementation of a tensor intrinsic in the place of what it describes.",
    params: &[
        ("block_or_loop", Default::Required),
        ("tensor_intrin", Default::Required),
        ("preserve_unit_iters", Default::Bool(true)),
    ],
    plan: None,
    gives_list: false,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Fault> {
    let (at, intrinsic) = (call.block_or_loop(0)?, call.intrinsic(1)?);
    let (function, key) = match at.block() {
        Some(_) => {
            let key = key_at(&call.function.body, &at).ok_or_else(|| Fault::at(&at, "the block is gone"))?;
            (call.function.clone(), key)
        }
        None => {
            let made = blockize(call.function, &at, call.flag(2)?)?;
            (made.function, made.key)
        }
    };
    Ok(Outcome::changed(tensorize(&function, &key, intrinsic)?, Results::Nothing))
}

/// The function with the implementation in the place of a block's body.
pub(crate) fn tensorize(function: &PrimFunc, key: &Key, intrinsic: &TensorIntrin) -> Result<PrimFunc, Fault> {
    let site = site_of(function, key)?;
    let (block, (values, predicate)) = (site.expect_block()?, site.expect_binding()?);
    let refuse = |why: String| Fault::at(&site, format!("the block is not what the intrinsic describes: {why}"));
    let found = Nest::of(&block.body).ok_or_else(|| refuse("it has more than loops around one block inside".into()))?;
    let (described, _) = body_of(&intrinsic.desc);
    let wanted = Nest::of(&described).ok_or_else(|| refuse("the description is not loops around one block".into()))?;
    let mut matching = Matching::new(known_inside(function, &site), &wanted, &found).map_err(refuse)?;
    matching.blocks(&wanted, &found).map_err(refuse)?;
    let (body, allocs, matched) = implementation(intrinsic, &matching).map_err(refuse)?;
    let made = Block {
        body,
        alloc_buffers: block.alloc_buffers.iter().cloned().chain(allocs).collect(),
        match_buffers: block.match_buffers.iter().cloned().chain(matched).collect(),
        ..block.clone()
    };
    let (values, predicate) = (values.to_vec(), predicate.clone());
    let made: Stmt = StmtKind::Block { values, predicate, block: made }.into();
    Ok(with_unique_keys(&PrimFunc { body: site.replaced(made), ..function.clone() }))
}

/// What is inside of a function's root block, and the root block's temporaries.
fn body_of(function: &PrimFunc) -> (Stmt, Vec<Buffer>) {
    let (mut body, mut allocs) = (function.body.clone(), Vec::new());
    while let StmtKind::Block { block, .. } = &body.kind
        && block.iters.is_empty()
        && block.init.is_none()
        && block.match_buffers.is_empty()
        && !matches!(block.body.kind, StmtKind::Store { .. })
    {
        allocs.extend(block.alloc_buffers.iter().cloned());
        body = block.body.clone();
    }
    (body, allocs)
}

/// The tile that a buffer of the description stands for.
#[derive(Clone)]
struct Tile {
    buffer: Buffer,
    /// Its first element, dimension by dimension; the last dimensions are the description's.
    first: Vec<Expr>,
}

/// The description against what the block does.
struct Matching {
    known: Analyzer,
    /// Loops and axes of the description, as values of the block's loops.
    values: Vec<(Var, Expr)>,
    /// The axes of the block inside, as values of its loops.
    axes: Vec<(Var, Expr)>,
    inside: Vec<Var>,
    tiles: Map<VarId, Tile>,
    /// Why the last access did not match.
    why: Option<String>,
}

type Why<T> = Result<T, String>;

impl Matching {
    fn new(mut known: Analyzer, wanted: &Nest, found: &Nest) -> Why<Self> {
        let is_loop = |l: &&tilewright_ir::nest::Loop| l.extent.as_int() != Some(1);
        let (theirs, ours): (Vec<_>, Vec<_>) =
            (wanted.loops.iter().filter(is_loop).collect(), found.loops.iter().filter(is_loop).collect());
        if theirs.len() != ours.len() {
            return Err(format!("expected {} loops, found {}", theirs.len(), ours.len()));
        }
        let mut values: Vec<(Var, Expr)> = Vec::new();
        for (theirs, ours) in theirs.iter().zip(&ours) {
            if theirs.extent.as_int().is_none() || theirs.extent.as_int() != ours.extent.as_int() {
                let (expected, name) = (size(&theirs.extent), &ours.var.name);
                return Err(format!("expected loop `{name}` to have extent {expected}, found {}", size(&ours.extent)));
            }
            values.push((theirs.var.clone(), &Expr::var(&ours.var) - &ours.min));
        }
        let units = |nest: &Nest| -> Vec<(Var, Expr)> {
            let units = nest.loops.iter().filter(|l| l.extent.as_int() == Some(1));
            units.map(|l| (l.var.clone(), l.min.clone())).collect()
        };
        values.extend(units(wanted));
        for l in &found.loops {
            known.bind(&l.var, &Range::new(l.min.clone(), l.extent.clone()));
        }
        let ours = units(found);
        let axes = found.block.iters.iter().map(|iter| iter.var.clone());
        let axes = axes.zip(found.values.iter().map(|value| substituted(value, &ours))).collect();
        let mut all = Self {
            known,
            values,
            axes,
            inside: found.loops.iter().map(|l| l.var.clone()).collect(),
            tiles: Map::default(),
            why: None,
        };
        for (iter, value) in wanted.block.iters.iter().zip(&wanted.values) {
            let value = at_values(value, &all.values).ok_or("an axis of the description is no plain index")?;
            all.values.push((iter.var.clone(), value));
        }
        all.check_kinds(wanted, found)?;
        Ok(all)
    }

    /// Loops of the description's reductions are loops of the block's reductions.
    fn check_kinds(&self, wanted: &Nest, found: &Nest) -> Why<()> {
        let reduces = |nest: &Nest, var: &Var| {
            let driven = driven_axes(&nest.block, &nest.values, std::slice::from_ref(var));
            driven.iter().any(|&at| nest.block.iters.get(at).is_some_and(|iter| iter.kind != IterKind::Spatial))
        };
        let is_loop = |l: &&tilewright_ir::nest::Loop| l.extent.as_int() != Some(1);
        for (theirs, ours) in wanted.loops.iter().filter(is_loop).zip(found.loops.iter().filter(is_loop)) {
            if reduces(wanted, &theirs.var) != reduces(found, &ours.var) {
                return Err(format!("loop `{}` drives axes of another kind", ours.var.name));
            }
        }
        let whole = |nest: &Nest| nest.predicate.as_int() == Some(1);
        if !whole(wanted) || !whole(found) {
            return Err("a condition makes the tile smaller".to_owned());
        }
        Ok(())
    }

    fn blocks(&mut self, wanted: &Nest, found: &Nest) -> Why<()> {
        let (theirs, ours) = (&wanted.block, &found.block);
        match (&theirs.init, &ours.init) {
            (None, None) => {}
            (Some(theirs), Some(ours)) => self.stmts(theirs, ours)?,
            (None, Some(_)) => {
                return Err("it has an init, which the description has not: decompose the reduction".to_owned());
            }
            (Some(_), None) => return Err("it has no init, which the description has".to_owned()),
        }
        self.stmts(&theirs.body, &ours.body)
    }

    fn stmts(&mut self, theirs: &Stmt, ours: &Stmt) -> Why<()> {
        match (&theirs.kind, &ours.kind) {
            (StmtKind::Seq(theirs), StmtKind::Seq(ours)) if theirs.len() == ours.len() => {
                theirs.iter().zip(ours).try_for_each(|(theirs, ours)| self.stmts(theirs, ours))
            }
            (
                StmtKind::Store { buffer: b, indices: i, value: v, predicate: None },
                StmtKind::Store { buffer: c, indices: j, value: w, predicate: None },
            ) => {
                self.access(b, i, c, j)?;
                match self.same(v, w) {
                    true => Ok(()),
                    false => {
                        let other = || format!("what is stored to `{}` is computed in another way", c.name);
                        Err(self.why.take().unwrap_or_else(other))
                    }
                }
            }
            _ => Err("its body has other statements".to_owned()),
        }
    }

    /// The access of a tile; the first one says which tile it is.
    fn access(&mut self, theirs: &Buffer, indices: &[Expr], ours: &Buffer, at: &[Expr]) -> Why<()> {
        let name = &ours.name;
        if theirs.dtype != ours.dtype {
            return Err(format!("expected elements of type {}, `{name}` has {}", theirs.dtype, ours.dtype));
        }
        let Some(leading) = at.len().checked_sub(indices.len()) else {
            return Err(format!("`{name}` has {} dimensions, the description's buffer {}", at.len(), indices.len()));
        };
        let mut first = Vec::with_capacity(at.len());
        for (dim, index) in at.iter().enumerate() {
            let mut start = substituted(index, &self.axes);
            if let Some(described) = dim.checked_sub(leading).and_then(|dim| indices.get(dim)) {
                let described =
                    at_values(described, &self.values).ok_or("an index of the description is no plain index")?;
                start = &start - &described;
            }
            let start = self.known.simplify(&start);
            if mentions(&start, &self.inside) {
                return Err(format!("dimension {dim} of `{name}` is not indexed as in the description"));
            }
            first.push(start);
        }
        match self.tiles.get(&theirs.id()) {
            None => {
                self.tiles.insert(theirs.id(), Tile { buffer: ours.clone(), first });
                Ok(())
            }
            Some(tile) => {
                let same =
                    tile.buffer == *ours && tile.first.iter().zip(&first).all(|(a, b)| self.known.prove_equal(a, b));
                if same { Ok(()) } else { Err(format!("`{name}` is used at another tile than before")) }
            }
        }
    }

    /// Whether both compute the same; operands of commutative operators stand in either order.
    fn same(&mut self, theirs: &Expr, ours: &Expr) -> bool {
        use tilewright_ir::tir::BinOp::{Add, Max, Min, Mul};
        if theirs.dtype != ours.dtype && !(theirs.dtype.is_int() && mentions(theirs, &self.vars())) {
            return false;
        }
        match (&theirs.kind, &ours.kind) {
            (
                ExprKind::Load { buffer: b, indices: i, predicate: None },
                ExprKind::Load { buffer: c, indices: j, predicate: None },
            ) => {
                let found = self.access(b, i, c, j);
                self.why = found.as_ref().err().cloned().or(self.why.take());
                found.is_ok()
            }
            (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
            (ExprKind::Float(_), ExprKind::Float(_)) => theirs.equal(ours),
            (ExprKind::Binary(op, a, b), ExprKind::Binary(other, c, d)) if op == other => {
                let before = self.tiles.clone();
                if self.all_same(&[a, b], &[c, d]) {
                    return true;
                }
                self.tiles = before.clone();
                let swapped = matches!(op, Add | Mul | Min | Max) && self.all_same(&[a, b], &[d, c]);
                if !swapped {
                    self.tiles = before;
                }
                swapped
            }
            (ExprKind::Compare(op, a, b), ExprKind::Compare(other, c, d)) => {
                op == other && self.all_same(&[a, b], &[c, d])
            }
            (ExprKind::Cast(a), ExprKind::Cast(b)) | (ExprKind::Not(a), ExprKind::Not(b)) => self.all_same(&[a], &[b]),
            (
                ExprKind::Select { condition: p, then: a, otherwise: b },
                ExprKind::Select { condition: q, then: c, otherwise: d },
            ) => self.all_same(&[p, a, b], &[q, c, d]),
            (ExprKind::Call { intrinsic: f, args: a }, ExprKind::Call { intrinsic: g, args: b }) if f == g => {
                self.all_same(&a.iter().collect::<Vec<_>>(), &b.iter().collect::<Vec<_>>())
            }
            _ => false,
        }
    }

    fn vars(&self) -> Vec<Var> {
        self.values.iter().map(|(var, _)| var.clone()).collect()
    }

    fn all_same(&mut self, theirs: &[&Expr], ours: &[&Expr]) -> bool {
        theirs.len() == ours.len() && theirs.iter().zip(ours).all(|(a, b)| with_stack(|| self.same(a, b)))
    }
}

fn size(extent: &Expr) -> String {
    extent.as_int().map_or_else(|| "a symbolic one".to_owned(), |size| size.to_string())
}

/// The implementation's body on the tiles, its temporaries, and its buffers as views of the tiles.
fn implementation(intrinsic: &TensorIntrin, matching: &Matching) -> Why<(Stmt, Vec<Buffer>, Vec<MatchBuffer>)> {
    let (body, allocs) = body_of(&intrinsic.implementation);
    let mut renew = Substitute::default();
    let mut matched = Vec::new();
    for (described, given) in intrinsic.desc.params.iter().zip(&intrinsic.implementation.params) {
        let (Some(described), Some(given)) = (&described.buffer, &given.buffer) else {
            return Err("its functions have parameters other than buffers".to_owned());
        };
        let alike = described.dtype == given.dtype
            && described.shape.len() == given.shape.len()
            && described.shape.iter().zip(&given.shape).all(|(a, b)| a.as_int().is_some() && a.as_int() == b.as_int());
        if !alike {
            return Err(format!("the implementation's `{}` is not the description's `{}`", given.name, described.name));
        }
        let Some(tile) = matching.tiles.get(&described.id()) else {
            return Err(format!("the description does not use `{}`", described.name));
        };
        let (buffer, source) = view(&body, given, tile, &mut renew)?;
        renew.buffers.insert(given.id(), buffer.clone());
        matched.push(MatchBuffer { buffer, source });
    }
    for buffer in &allocs {
        let own = buffer.derive(|node| node.data = node.data.renewed());
        renew.buffers.insert(buffer.id(), own);
    }
    let own = allocs.iter().filter_map(|buffer| renew.buffers.get(&buffer.id()).cloned()).collect();
    Ok((renew.apply(&body), own, matched))
}

/// A buffer of the implementation as a view of a tile, and the tile.
fn view(body: &Stmt, given: &Buffer, tile: &Tile, renew: &mut Substitute) -> Why<(Buffer, BufferRegion)> {
    if given.scope != tile.buffer.scope {
        let (expected, found) = (given.scope.name(), tile.buffer.scope.name());
        return Err(format!("`{}` is in memory `{found}`, the implementation takes `{expected}`", tile.buffer.name));
    }
    let leading = tile.first.len() - given.rank().min(tile.first.len());
    let range = |(dim, first): (usize, &Expr)| {
        let extent = dim.checked_sub(leading).and_then(|dim| given.shape.get(dim)).and_then(Expr::as_int).unwrap_or(1);
        Range::new(first.clone(), Expr::int(extent, first.dtype))
    };
    let region: Vec<Range> = tile.first.iter().enumerate().map(range).collect();
    let mut defined: Vec<Var> = Vec::new();
    let mut symbol = |expr: &Expr| {
        if let Some(var) = expr.as_var()
            && !renew.values.contains_key(&var.id())
        {
            let own = var.renewed();
            renew.values.insert(var.id(), Expr::var(&own));
            defined.push(own);
        }
        expr.as_var().and_then(|var| renew.values.get(&var.id()).cloned()).unwrap_or_else(|| expr.clone())
    };
    let mut strides: Vec<Expr> = given.strides.iter().map(&mut symbol).collect();
    let mut offset = given.elem_offset.as_ref().map(&mut symbol);
    if strides.is_empty() && !is_whole(&tile.buffer, &region) {
        if names_address(body, given) {
            let message = format!(
                "the implementation takes `{}` without gaps, the tile of `{}` has gaps: give it strides",
                given.name, tile.buffer.name
            );
            return Err(message);
        }
        let stride = |at: usize| Expr::var(&Var::new(format!("{}_s{at}", given.name), DataType::I64));
        strides = (0..given.rank()).map(stride).collect();
    }
    if offset.is_none() {
        offset = Some(Expr::var(&Var::new(format!("{}_offset", given.name), DataType::I64)));
    }
    let own = given.derive(|node| {
        node.data = node.data.renewed();
        node.strides = strides;
        node.elem_offset = offset;
        node.offset_factor = node.offset_factor.max(1);
    });
    Ok((own, BufferRegion { buffer: tile.buffer.clone(), region }))
}

/// Whether the region's elements are contiguous.
fn is_whole(buffer: &Buffer, region: &[Range]) -> bool {
    let first = region.iter().position(|range| range.extent.as_int() != Some(1)).unwrap_or(region.len());
    buffer.strides.is_empty()
        && region
            .iter()
            .zip(&buffer.shape)
            .skip(first + 1)
            .all(|(range, extent)| range.extent.as_int().is_some() && range.extent.as_int() == extent.as_int())
}

/// Whether the statement uses the buffer other than element by element.
fn names_address(body: &Stmt, buffer: &Buffer) -> bool {
    let mut found = false;
    walk(body, |e: &Expr| {
        found |= match &e.kind {
            ExprKind::AddressOf { buffer: other, .. } => other.data == buffer.data,
            ExprKind::Var(var) => *var == buffer.data,
            _ => false,
        };
    });
    found
}
