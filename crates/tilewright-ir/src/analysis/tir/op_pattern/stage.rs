//! The stages of a function, and the pattern of each.

use tilewright_arith::Analyzer;
use tilewright_expr::Intrinsic;
use tilewright_expr::node::{VarId, walk};
use tilewright_support::{Map, Set, with_stack};
use tilewright_tensor::DataType;

use super::OpPattern;
use crate::tir::{BinOp, Block, Buffer, Expr, ExprKind, IterKind, Stmt, StmtKind, Var};

/// A loop around a stage.
pub(super) struct Loop {
    pub(super) var: Var,
    pub(super) min: Expr,
    pub(super) extent: Expr,
}

/// An index of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Index {
    /// The only one that its dimension has.
    Unit,
    Axis(VarId),
    Other,
}

/// A buffer and the indices of an element of it.
struct Access {
    buffer: Buffer,
    indices: Vec<Index>,
}

impl Access {
    fn axes(&self) -> impl Iterator<Item = VarId> + '_ {
        self.indices.iter().filter_map(|index| match index {
            Index::Axis(axis) => Some(*axis),
            Index::Unit | Index::Other => None,
        })
    }

    fn axis_set(&self) -> Set<VarId> {
        self.axes().collect()
    }

    /// Whether each index is an axis of its own, or says nothing.
    fn is_plain(&self) -> bool {
        !self.indices.contains(&Index::Other) && self.axis_set().len() == self.axes().count()
    }
}

/// A block whose every instance runs once.
pub(super) struct Stage {
    pub(super) nest: usize,
    has_init: bool,
    /// Whether it has a reduce axis at all.
    reduces: bool,
    /// Axes of more than one value.
    spatial: Set<VarId>,
    reducing: Set<VarId>,
    stores: Vec<Access>,
    /// The stores of the stage.
    values: Vec<Expr>,
    loads: Vec<Access>,
}

impl Stage {
    pub(super) fn of(loops: &[Loop], values: &[Expr], block: &Block, nest: usize) -> Option<Self> {
        if !block.match_buffers.is_empty() || !block.alloc_buffers.is_empty() || !runs_once(loops, values, block) {
            return None;
        }
        let axes = Axes::of(block)?;
        let (mut body, mut start) = (Writing::default(), Writing::default());
        body.stmt(&block.body, &axes)?;
        if let Some(init) = &block.init {
            start.stmt(init, &axes)?;
            let same = |(a, b): (&Access, &Access)| a.buffer == b.buffer && a.indices == b.indices;
            if start.stores.len() != body.stores.len() || !start.stores.iter().zip(&body.stores).all(same) {
                return None;
            }
        }
        let written = |store: &Access| covers(store, block, &axes.spatial);
        if body.stores.is_empty() || !body.stores.iter().all(written) {
            return None;
        }
        let computed = body.values.iter().chain(&body.lets).chain(&start.values).chain(&start.lets);
        let mut loads = Vec::new();
        for expr in computed {
            read(expr, &axes, &mut loads)?;
        }
        let (has_init, reduces) = (block.init.is_some(), block.iters.iter().any(|iter| iter.kind == IterKind::Reduce));
        let (Writing { stores, values, .. }, Axes { spatial, reducing, .. }) = (body, axes);
        Some(Self { nest, has_init, reduces, spatial, reducing, stores, values, loads })
    }

    /// The loads of buffers that it does not write.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &Buffer> {
        self.loads.iter().map(|load| &load.buffer).filter(|buffer| !self.writes(buffer))
    }

    pub(super) fn outputs(&self) -> impl Iterator<Item = &Buffer> {
        self.stores.iter().map(|store| &store.buffer)
    }

    pub(super) fn reads_nothing(&self) -> bool {
        self.loads.is_empty()
    }

    /// Whether it accumulates onto the previous contents of its buffer.
    pub(super) fn accumulates(&self) -> bool {
        self.reduces && !self.has_init
    }

    /// Whether each written element depends on the element of the buffer at the same indices only.
    pub(super) fn is_one_to_one(&self, buffer: &Buffer) -> bool {
        let mut loads = self.loads.iter().filter(|load| load.buffer == *buffer);
        loads.all(|load| load.is_plain() && self.stores.iter().all(|store| load.axes().eq(store.axes())))
    }

    pub(super) fn pattern(&self) -> Option<OpPattern> {
        let own = |load: &&Access| self.writes(&load.buffer);
        let in_place = |load: &Access| {
            self.stores.iter().any(|store| store.buffer == load.buffer && store.indices == load.indices)
        };
        let alone = self.stores.len() == 1 || self.reduces;
        if self.loads.iter().any(|load| own(&load) && !(alone && in_place(load))) {
            return None;
        }
        Some(match (self.reduces, self.stores.as_slice(), self.values.as_slice()) {
            (false, ..) => self.spatial_pattern(),
            (true, [store], [value]) if self.is_commutative(store, value) => OpPattern::CommutativeReduce,
            (true, ..) => OpPattern::OutElementwiseFusable,
        })
    }

    fn writes(&self, buffer: &Buffer) -> bool {
        self.stores.iter().any(|store| store.buffer == *buffer)
    }

    fn spatial_pattern(&self) -> OpPattern {
        if self.values.iter().any(reads_several) {
            return OpPattern::OutElementwiseFusable;
        }
        let of_store = |store: &Access| {
            let patterns = || self.loads.iter().map(|load| of_load(load, store));
            match (patterns().min(), patterns().max()) {
                (Some(OpPattern::Elementwise), Some(OpPattern::Broadcast)) => OpPattern::Elementwise,
                (_, found) => found.unwrap_or(OpPattern::Elementwise),
            }
        };
        self.stores.iter().map(of_store).max().unwrap_or(OpPattern::Elementwise)
    }

    /// Whether it combines one element with another by an operation in which order does not matter.
    fn is_commutative(&self, store: &Access, value: &Expr) -> bool {
        let Some(rest) = combined_with(value, &store.buffer) else { return false };
        let every_axis: Set<VarId> = self.spatial.union(&self.reducing).copied().collect();
        let mut others = self.loads.iter().filter(|load| load.buffer != store.buffer);
        let reads_one = others.clone().any(|load| load.axis_set() == every_axis);
        reads_one && others.all(Access::is_plain) && !self.multiplies(rest) && !reads_several(rest)
    }

    /// Whether elements of two buffers that both vary along the reduction are multiplied.
    fn multiplies(&self, value: &Expr) -> bool {
        let varying = |side: &Expr| {
            let mut buffers = Vec::new();
            walk(side, |e: &Expr| match &e.kind {
                ExprKind::Load { buffer, indices, .. } if indices.iter().any(|i| mentions(i, &self.reducing)) => {
                    buffers.push(buffer.clone());
                }
                _ => {}
            });
            buffers
        };
        let mut found = false;
        walk(value, |e: &Expr| {
            if let ExprKind::Binary(BinOp::Mul, a, b) = &e.kind {
                let (a, b) = (varying(a), varying(b));
                found |= a.iter().any(|x| b.iter().any(|y| x != y));
            }
        });
        found
    }
}

/// Whether every instance of the block runs exactly once: each axis has its own loop over its domain, or one value.
fn runs_once(loops: &[Loop], values: &[Expr], block: &Block) -> bool {
    if values.len() != block.iters.len() {
        return false;
    }
    let mut free: Map<VarId, &Loop> = loops.iter().map(|l| (l.var.id(), l)).collect();
    let bound = block.iters.iter().zip(values).all(|(iter, value)| match value.as_var() {
        Some(var) if free.contains_key(&var.id()) => free.remove(&var.id()).is_some_and(|l| {
            l.min.as_int() == Some(0) && iter.domain.min.as_int() == Some(0) && is_equal(&l.extent, &iter.domain.extent)
        }),
        _ => iter.domain.extent.as_int() == Some(1),
    });
    let loop_vars: Set<VarId> = loops.iter().map(|l| l.var.id()).collect();
    let mut inside = false;
    for stmt in block.init.iter().chain([&block.body]) {
        walk(stmt, |var: &Var| inside |= loop_vars.contains(&var.id()));
    }
    bound && !inside && free.values().all(|l| l.extent.as_int() == Some(1))
}

fn is_equal(a: &Expr, b: &Expr) -> bool {
    let wide = |expr: &Expr| expr.cast(DataType::I64).unwrap_or_else(|_| expr.clone());
    a.equal(b) || Analyzer::new().prove_equal(&wide(a), &wide(b))
}

/// The axes of a block, for those who read indices.
struct Axes {
    spatial: Set<VarId>,
    reducing: Set<VarId>,
    units: Set<VarId>,
    analyzer: Analyzer,
}

impl Axes {
    fn of(block: &Block) -> Option<Self> {
        let (spatial, reducing, units) = (Set::default(), Set::default(), Set::default());
        let mut axes = Self { spatial, reducing, units, analyzer: Analyzer::new() };
        for iter in &block.iters {
            axes.analyzer.bind(&iter.var, &iter.domain);
            match iter.kind {
                _ if iter.domain.extent.as_int() == Some(1) => axes.units.insert(iter.var.id()),
                IterKind::Spatial => axes.spatial.insert(iter.var.id()),
                IterKind::Reduce => axes.reducing.insert(iter.var.id()),
                IterKind::Scan | IterKind::Opaque => return None,
            };
        }
        Some(axes)
    }

    fn access(&self, buffer: &Buffer, indices: &[Expr]) -> Access {
        let indices = indices.iter().map(|index| self.index(index)).collect();
        Access { buffer: buffer.clone(), indices }
    }

    fn index(&self, index: &Expr) -> Index {
        let plain = |index: &Expr| match &index.kind {
            ExprKind::Int(0) => Some(Index::Unit),
            ExprKind::Var(var) if self.units.contains(&var.id()) => Some(Index::Unit),
            ExprKind::Var(var) if self.spatial.contains(&var.id()) || self.reducing.contains(&var.id()) => {
                Some(Index::Axis(var.id()))
            }
            _ => None,
        };
        let simple = || plain(uncast(&self.analyzer.simplify(index)));
        plain(uncast(index)).or_else(simple).unwrap_or(Index::Other)
    }
}

/// The index without conversions between integers.
fn uncast(index: &Expr) -> &Expr {
    let mut inner = index;
    while let ExprKind::Cast(value) = &inner.kind
        && value.dtype.is_int()
    {
        inner = value;
    }
    inner
}

/// The stores of a block, after `let`s.
#[derive(Default)]
struct Writing {
    stores: Vec<Access>,
    values: Vec<Expr>,
    lets: Vec<Expr>,
}

impl Writing {
    fn stmt(&mut self, stmt: &Stmt, axes: &Axes) -> Option<()> {
        match &stmt.kind {
            StmtKind::Store { buffer, indices, value, predicate: None } => {
                self.stores.push(axes.access(buffer, indices));
                self.values.push(value.clone());
                Some(())
            }
            StmtKind::Let { value, body, .. } => {
                self.lets.push(value.clone());
                with_stack(|| self.stmt(body, axes))
            }
            StmtKind::Seq(stmts) => stmts.iter().try_for_each(|stmt| self.stmt(stmt, axes)),
            _ => None,
        }
    }
}

/// Whether the instances store to different elements, and together to all.
fn covers(store: &Access, block: &Block, spatial: &Set<VarId>) -> bool {
    let domain = |axis: VarId| block.iters.iter().find(|iter| iter.var.id() == axis).map(|iter| &iter.domain);
    let whole = |(index, dim): (&Index, &Expr)| match index {
        Index::Unit => dim.as_int() == Some(1),
        Index::Axis(axis) => domain(*axis).is_some_and(|domain| is_equal(&domain.extent, dim)),
        Index::Other => false,
    };
    let shape = &store.buffer.shape;
    let all = store.indices.len() == shape.len() && store.indices.iter().zip(shape).all(whole);
    all && store.is_plain() && store.axis_set() == *spatial
}

/// Notes the loads of an expression; nothing where it may have an effect.
fn read(expr: &Expr, axes: &Axes, loads: &mut Vec<Access>) -> Option<()> {
    let mut plain = true;
    walk(expr, |e: &Expr| match &e.kind {
        ExprKind::AddressOf { .. } => plain = false,
        ExprKind::Foreign { callee, .. } => plain &= callee.is_pure(),
        ExprKind::Load { buffer, indices, predicate } => {
            plain &= predicate.is_none() && indices.iter().all(|index| index.dtype.is_scalar());
            loads.push(axes.access(buffer, indices));
        }
        _ => {}
    });
    plain.then_some(())
}

fn mentions(expr: &Expr, vars: &Set<VarId>) -> bool {
    let mut found = false;
    walk(expr, |var: &Var| found |= vars.contains(&var.id()));
    found
}

fn of_load(load: &Access, store: &Access) -> OpPattern {
    if load.indices == store.indices && !load.indices.contains(&Index::Other) {
        return OpPattern::Elementwise;
    }
    let mut remaining = store.axes();
    let in_order = load.axes().all(|axis| remaining.any(|other| other == axis));
    match in_order && load.is_plain() {
        true => OpPattern::Broadcast,
        false => OpPattern::Injective,
    }
}

/// Whether several elements of one buffer are read for one value. Of a choice between values only one is read.
fn reads_several(value: &Expr) -> bool {
    let mut todo = vec![value.clone()];
    while let Some(value) = todo.pop() {
        match &value.kind {
            ExprKind::Cast(inner) => todo.push(inner.clone()),
            ExprKind::Call { intrinsic: Intrinsic::IfThenElse, args } => todo.extend(args.iter().cloned()),
            _ => {
                let mut first_indices: Map<Buffer, Vec<Expr>> = Map::default();
                let mut several = false;
                walk(&value, |e: &Expr| {
                    if let ExprKind::Load { buffer, indices, .. } = &e.kind {
                        let known = first_indices.entry(buffer.clone()).or_insert_with(|| indices.clone());
                        several |= known.len() != indices.len() || !known.iter().zip(indices).all(|(a, b)| a.equal(b));
                    }
                });
                if several {
                    return true;
                }
            }
        }
    }
    false
}

/// The other operand, if the value combines something with an element of the buffer.
fn combined_with<'v>(value: &'v Expr, buffer: &Buffer) -> Option<&'v Expr> {
    let ExprKind::Binary(op, a, b) = &value.kind else { return None };
    let commutes = match op {
        BinOp::Add | BinOp::Mul | BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or => true,
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => true,
        BinOp::Sub | BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod | BinOp::Shl | BinOp::Shr => false,
    };
    let own = |e: &Expr| matches!(&e.kind, ExprKind::Load { buffer: loaded, .. } if loaded == buffer);
    let rest = match (own(a), own(b)) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    let mut again = false;
    walk(rest, |e: &Expr| again |= own(e));
    (commutes && !again).then_some(rest)
}
