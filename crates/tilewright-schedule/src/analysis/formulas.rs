//! The statements of a function as formulas and reductions over named axes, temporaries that are formulas put in place.

use tilewright_arith::{Analyzer, IterMapLevel, detect_iter_map};
use tilewright_expr::node::rewrite;
use tilewright_ir::nest::{Nest, same_indices};
use tilewright_ir::tir::{
    BinOp, Block, Buffer, Expr, ExprKind, ForKind, IterKind, PrimFunc, Range, Stmt, StmtKind, Var,
};
use tilewright_tir_passes::analyzer_of;

use crate::analysis::axes::Axis;
use crate::analysis::dependence::has_effects;
use crate::analysis::size::{MAX_INLINED_NODES, size};
use crate::build::exprs::{loaded_buffers, reads_memory, substituted};
use crate::build::loops::check_own_loops;
use crate::fault::Fault;
use tilewright_tir_passes::reduction::update_of;

/// A nest that computes elements of a buffer, each once.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub(crate) buffer: Buffer,
    /// They read no memory, and are others for other values of the axes.
    pub(crate) indices: Vec<Expr>,
    pub(crate) spatial: Vec<Axis>,
    /// What is reduced, and from what on; `None`: the value is the element.
    pub(crate) reduced: Option<Reduced>,
    /// The element, or what is combined. It reads parameters, reductions before it, and nothing else.
    pub(crate) value: Expr,
}

#[derive(Clone, Debug)]
pub(crate) struct Reduced {
    pub(crate) op: BinOp,
    pub(crate) axis: Axis,
    /// Others that are reduced together with it.
    pub(crate) more: Vec<Axis>,
    pub(crate) from: Expr,
    /// Whether a stage of its own fills the buffer with that.
    pub(crate) filled: bool,
}

impl Stage {
    /// What the stage computes for its element at these places, its reduced axis at the place that `reduced` gives it;
    /// `None` where the element's indices are not axes. Axes that are no index have one place.
    pub(crate) fn at(&self, places: &[Expr], reduced: Option<&Expr>) -> Option<Expr> {
        let own = self.reduced.as_ref().zip(reduced).map(|(own, place)| (own.axis.var.clone(), place.clone()));
        self.at_places(places, own.into_iter().collect())
    }

    /// The same, for values of the reduced axes.
    pub(crate) fn at_places(&self, places: &[Expr], reduced: Vec<(Var, Expr)>) -> Option<Expr> {
        let mut values = reduced;
        for (index, place) in self.indices.iter().zip(places) {
            match index.as_var() {
                Some(var) => values.push((var.clone(), place.clone())),
                None if index.as_int() == Some(0) => {}
                None => return None,
            }
        }
        let units = self.spatial.iter().filter(|axis| values.iter().all(|(var, _)| *var != axis.var));
        let units: Vec<(Var, Expr)> = units.map(|axis| (axis.var.clone(), Expr::int(0, axis.var.dtype))).collect();
        Some(substituted(&self.value, &[values, units].concat()))
    }
}

/// The stages that are left: reductions along one axis, of which there are at least so many, and those that write
/// parameters.
pub(crate) fn of(function: &PrimFunc, least: usize) -> Result<Vec<Stage>, Fault> {
    let stages = of_any_axes(function, least)?;
    let is_wide = |stage: &&Stage| stage.reduced.as_ref().is_some_and(|reduced| !reduced.more.is_empty());
    match stages.iter().find(is_wide) {
        Some(wide) => Err(Fault::of_call(format!("`{}` is reduced along several axes", wide.buffer.name))),
        None => Ok(stages),
    }
}

/// The same, of reductions along any number of axes.
pub(crate) fn of_any_axes(function: &PrimFunc, least: usize) -> Result<Vec<Stage>, Fault> {
    let known = analyzer_of(function);
    let Some(root) = function.root_block() else { return Err(Fault::of_call("the function has no root block")) };
    let nests: Vec<&Stmt> = match &root.body.kind {
        StmtKind::Seq(stmts) => stmts.iter().collect(),
        _ => vec![&root.body],
    };
    let reduces = |stmt: &&&Stmt| {
        Nest::of(stmt).is_some_and(|nest| nest.block.iters.iter().any(|iter| iter.kind == IterKind::Reduce))
    };
    if nests.iter().filter(reduces).count() < least {
        return Err(Fault::of_call("the function has fewer reductions"));
    }
    let mut sorted = Sorted::default();
    for stmt in nests {
        let nest = Nest::of(stmt).ok_or_else(|| Fault::of_call("a statement is no nest around one block"))?;
        check_whole(&known, &nest)?;
        sorted.take(&known, &nest.block, |buffer| root.alloc_buffers.contains(buffer))?;
    }
    let Sorted { formulas, starts, left } = sorted;
    match starts.iter().find(|start| formulas.iter().all(|formula| formula.buffer != start.buffer)) {
        Some(start) => Err(Fault::of_call(format!("`{}` is filled with a constant", start.buffer.name))),
        None => Ok(left),
    }
}

/// Stages by what becomes of them: formulas that stand for elements of temporaries, constants that reductions start
/// from, and what is left.
#[derive(Default)]
struct Sorted {
    formulas: Vec<Stage>,
    starts: Vec<Stage>,
    left: Vec<Stage>,
}

impl Sorted {
    fn take(&mut self, known: &Analyzer, block: &Block, is_temporary: impl Fn(&Buffer) -> bool) -> Result<(), Fault> {
        let mut stage = stage(block, &mut self.starts)?;
        if stage.reduced.as_ref().is_some_and(|reduced| reduced.filled) {
            self.formulas.retain(|start| start.buffer != stage.buffer);
        }
        stage.value = with_formulas(&stage.value, &self.formulas);
        check_order(&stage, block, &self.starts)?;
        check_places(&stage, block)?;
        let mut others = self.formulas.iter().chain(&self.left);
        if let Some(twice) = others.find(|other| other.buffer.data == stage.buffer.data) {
            return Err(Fault::of_call(format!("`{}` is written twice", twice.buffer.name)));
        }
        let temporary = is_temporary(&stage.buffer);
        if let Some(reduced) = &stage.reduced {
            if reduced.filled && !temporary {
                // What is filled and not reduced would be a result, too.
                check_covers(known, &stage, block)?;
            }
            self.left.push(stage);
        } else if is_start(&stage) {
            // Until something is reduced into it, it is a constant.
            if temporary && check_covers(known, &stage, block).is_ok() {
                self.formulas.push(stage.clone());
            }
            self.starts.push(stage);
        } else if !temporary {
            self.left.push(stage);
        } else {
            check_covers(known, &stage, block)?;
            if size(&stage.value).0 > MAX_INLINED_NODES {
                return Err(Fault::of_call(format!("the formula of `{}` is long", stage.buffer.name)));
            }
            self.formulas.push(stage);
        }
        Ok(())
    }
}

/// Refuses reductions that are results of the function, too: what replaces them leaves nothing there.
pub(crate) fn check_temporary<'a>(
    function: &PrimFunc,
    reductions: impl IntoIterator<Item = &'a Stage>,
) -> Result<(), Fault> {
    let temporary = |buffer: &Buffer| function.root_block().is_some_and(|root| root.alloc_buffers.contains(buffer));
    match reductions.into_iter().find(|stage| !temporary(&stage.buffer)) {
        Some(needed) => Err(Fault::of_call(format!("`{}` is a result, too", needed.buffer.name))),
        None => Ok(()),
    }
}

/// A block's axes are the loops around it, whole, and it does nothing but compute.
fn check_whole(known: &Analyzer, nest: &Nest) -> Result<(), Fault> {
    let name = &nest.block.name;
    if let Some(l) = nest.loops.iter().find(|l| l.kind != ForKind::Serial) {
        return Err(Fault::of_call(format!("loop `{}` around block `{name}` is not serial", l.var.name)));
    }
    if has_effects(&nest.block) {
        return Err(Fault::of_call(format!("block `{name}` calls a function with effects of its own")));
    }
    check_own_loops(known, &nest.loops, &nest.block, (&nest.values, &nest.predicate)).map_err(Fault::of_call)
}

fn stage(block: &Block, starts: &mut Vec<Stage>) -> Result<Stage, Fault> {
    let fault = |what: &str| Fault::of_call(format!("block `{}` {what}", block.name));
    let plain = block.alloc_buffers.is_empty() && block.match_buffers.is_empty();
    let StmtKind::Store { buffer, indices, value, predicate: None } = &block.body.kind else {
        return Err(fault("is no single store"));
    };
    if !plain {
        return Err(fault("has buffers of its own"));
    }
    let axis = |iter: &tilewright_ir::tir::IterVar| Axis { var: iter.var.clone(), extent: iter.domain.extent.clone() };
    let of_kind = |kind: IterKind| block.iters.iter().filter(move |iter| iter.kind == kind).map(axis).collect();
    let (spatial, reduce): (Vec<Axis>, Vec<Axis>) = (of_kind(IterKind::Spatial), of_kind(IterKind::Reduce));
    if spatial.len() + reduce.len() != block.iters.len() {
        return Err(fault("has an opaque axis"));
    }
    let mut made =
        Stage { buffer: buffer.clone(), indices: indices.clone(), spatial, reduced: None, value: value.clone() };
    let Some((axis, more)) = reduce.split_first() else {
        return Ok(made);
    };
    let (from, filled) = match &block.init {
        Some(init) => match &init.kind {
            StmtKind::Store { buffer: started, indices: at, value, predicate: None }
                if started == buffer && same_indices(at, indices) =>
            {
                (value.clone(), false)
            }
            _ => return Err(fault("starts with something else than a store")),
        },
        None => {
            let at = starts.iter().position(|start| start.buffer == *buffer);
            (starts.remove(at.ok_or_else(|| fault("has no start"))?).value, true)
        }
    };
    let update = update_of(buffer, indices, value).ok_or_else(|| fault("does not go on from its own element"))?;
    made.value = update.1;
    made.reduced = Some(Reduced { op: update.0, axis: axis.clone(), more: more.to_vec(), from, filled });
    Ok(made)
}

/// Whether the stage fills a buffer with a constant, for a reduction that follows.
fn is_start(stage: &Stage) -> bool {
    matches!(stage.value.kind, ExprKind::Int(_) | ExprKind::Float(_))
}

/// Refuses a stage that reads what a buffer is filled with for a reduction that follows: it may come after that.
fn check_order(stage: &Stage, block: &Block, starts: &[Stage]) -> Result<(), Fault> {
    let read = loaded_buffers(&stage.value);
    match starts.iter().find(|start| read.contains(&start.buffer)) {
        Some(Stage { buffer, .. }) => {
            Err(Fault::of_call(format!("block `{}` reads `{}` before it is reduced", block.name, buffer.name)))
        }
        None => Ok(()),
    }
}

/// Every element of the buffer is computed, at indices that are the axes.
fn check_covers(known: &Analyzer, stage: &Stage, block: &Block) -> Result<(), Fault> {
    let mut seen: Vec<&Var> = Vec::new();
    for (index, extent) in stage.indices.iter().zip(&stage.buffer.shape) {
        let axis = index.as_var().and_then(|var| stage.spatial.iter().find(|axis| axis.var == *var));
        let covers = match axis {
            Some(axis) if !seen.contains(&&axis.var) => {
                seen.push(&axis.var);
                known.prove_equal(&axis.extent, extent)
            }
            Some(_) => false,
            None => index.as_int() == Some(0) && extent.as_int() == Some(1),
        };
        if !covers {
            let (block, buffer) = (&block.name, &stage.buffer.name);
            return Err(Fault::of_call(format!("block `{block}` does not compute every element of `{buffer}`")));
        }
    }
    Ok(())
}

/// Refuses a block whose elements' places are data, or the same for several values of its axes.
fn check_places(stage: &Stage, block: &Block) -> Result<(), Fault> {
    if stage.indices.iter().any(reads_memory) {
        return Err(Fault::of_call(format!("block `{}` writes at places that are data", block.name)));
    }
    let long = stage.spatial.iter().filter(|axis| axis.extent.as_int() != Some(1));
    let iters: Vec<(Var, Range)> = long.map(|axis| (axis.var.clone(), Range::up_to(axis.extent.clone()))).collect();
    let apart = detect_iter_map(
        &mut Analyzer::new(),
        &stage.indices,
        &iters,
        &Expr::bool(true),
        IterMapLevel::Bijective,
        false,
    );
    if !iters.is_empty() && apart.indices.is_empty() {
        return Err(Fault::of_call(format!("block `{}` may write an element more than once", block.name)));
    }
    Ok(())
}

/// The expression with what formulas compute in the place of their elements.
fn with_formulas(value: &Expr, formulas: &[Stage]) -> Expr {
    let placed = rewrite(value, |e: &Expr| match &e.kind {
        ExprKind::Load { buffer, indices, predicate: None } => {
            let formula = formulas.iter().find(|formula| formula.buffer == *buffer)?;
            formula.at(indices, None)
        }
        _ => None,
    });
    placed.unwrap_or_else(|| value.clone())
}
