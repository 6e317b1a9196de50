//! Formulas to loops: one nest for each operation that is no input.

use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_expr::{BinOp, Buffer, Expr, ExprKind, Range, Var};
use tilewright_ir::regions::block_regions;
use tilewright_ir::tir::{Block, ForKind, IterKind, IterVar, Param, PrimFunc, Stmt, StmtKind, attr_names};
use tilewright_ir::{Attr, Attrs};
use tilewright_support::{Map, Origins, Set};
use tilewright_tensor::DataType;

use crate::external::extern_stmt;
use crate::inlining::Weights;
use crate::reduce::Reduction;
use crate::tensor::{Body, Compute, Operation, free_vars};
use crate::widen::Widening;
use crate::{TeError, Tensor};

/// A parameter of a function that is made of tensors.
#[derive(Clone, Debug)]
pub enum TeParam {
    Tensor(Tensor),
    Scalar(Var),
}

impl From<Tensor> for TeParam {
    fn from(tensor: Tensor) -> Self {
        Self::Tensor(tensor)
    }
}

/// How a function is made of tensors.
#[derive(Clone, Debug, Default)]
pub struct CreateOptions {
    /// The type of all indices and extents; `None` leaves each as its tensor has it.
    pub index_dtype: Option<DataType>,
    /// Tensors that are inlined: their formulas replace their elements, so that they need no memory.
    pub inline: Vec<Tensor>,
}

/// The function whose parameters are these tensors, in this order: placeholders are read, the others are computed.
/// Tensors that they need and that are not listed become temporaries. The function has no global symbol; its buffers
/// do not overlap (`tir.noalias`).
pub fn create_prim_func(tensors: &[Tensor]) -> Result<PrimFunc, TeError> {
    let params: Vec<TeParam> = tensors.iter().cloned().map(TeParam::Tensor).collect();
    create_prim_func_with(&params, &CreateOptions::default())
}

/// As [`create_prim_func`], with scalars among the parameters, and as the options say.
pub fn create_prim_func_with(params: &[TeParam], options: &CreateOptions) -> Result<PrimFunc, TeError> {
    let tensors: Vec<Tensor> = params.iter().filter_map(|param| param.tensor().cloned()).collect();
    let scalars: Vec<Var> = params.iter().filter_map(|param| param.scalar().cloned()).collect();
    check_params(&tensors)?;
    let order = operations(&tensors);
    check_order(&order, &tensors, &scalars)?;
    let mut lowering = Lowering::new(&order, &tensors, options)?;
    let nests = order.iter().map(|op| lowering.nests(op)).collect::<Result<Vec<_>, _>>()?;
    let made = order.iter().flat_map(Operation::outputs);
    let temporaries = made.filter(|t| !tensors.contains(t) && !options.inline.contains(t));
    let mut temporaries: Vec<Buffer> = temporaries.map(|t| lowering.buffer(&t)).collect();
    temporaries.append(&mut lowering.temporaries);
    let params = params.iter().map(|param| match param {
        TeParam::Tensor(tensor) => Param::buffer(&lowering.buffer(tensor)),
        TeParam::Scalar(var) => Param::scalar(&lowering.var(var)),
    });
    let params = params.collect();
    let attrs = Attrs::from([(attr_names::NOALIAS.into(), Attr::Bool(true))]);
    Ok(PrimFunc::with_root(params, attrs, temporaries, Stmt::seq(nests.concat()), Origins::default()))
}

impl TeParam {
    fn tensor(&self) -> Option<&Tensor> {
        match self {
            Self::Tensor(tensor) => Some(tensor),
            Self::Scalar(_) => None,
        }
    }

    fn scalar(&self) -> Option<&Var> {
        match self {
            Self::Tensor(_) => None,
            Self::Scalar(var) => Some(var),
        }
    }
}

fn check_params(tensors: &[Tensor]) -> Result<(), TeError> {
    for (i, tensor) in tensors.iter().enumerate() {
        if tensors[..i].contains(tensor) {
            return Err(TeError(format!("tensor `{}` is listed twice as a parameter", tensor.name())));
        }
    }
    Ok(())
}

/// That every input is a parameter, and every variable a parameter or a dimension of one.
fn check_order(order: &[Operation], tensors: &[Tensor], scalars: &[Var]) -> Result<(), TeError> {
    let mut inputs = order.iter().flat_map(Operation::outputs).filter(Tensor::is_placeholder);
    if let Some(missing) = inputs.find(|t| !tensors.contains(t)) {
        return Err(TeError(format!("placeholder `{}` is read but is no parameter", missing.name())));
    }
    let mut known: Set<VarId> = scalars.iter().map(Var::id).collect();
    for dim in tensors.iter().flat_map(|t| t.shape()) {
        walk(&vec![dim.clone()], |var: &Var| {
            known.insert(var.id());
        });
    }
    for op in order {
        if let Some(var) = free_vars(op).iter().find(|var| !known.contains(&var.id())) {
            return Err(TeError(format!(
                "tensor `{}` refers to `{}`, which is neither a parameter, nor a dimension of one, nor an axis of its own",
                op.name(),
                var.name
            )));
        }
    }
    Ok(())
}

/// Variables of the type of a graph's dimensions that the formulas below `outputs` refer to and do not define.
pub(crate) fn dims_spoken_of(outputs: &[Tensor]) -> Vec<Var> {
    let all = operations(outputs).iter().flat_map(free_vars).collect::<Vec<Var>>();
    all.into_iter().filter(|var| var.dtype == DataType::I64).collect()
}

/// All operations below and among those of `outputs`, each after those that it reads.
fn operations(outputs: &[Tensor]) -> Vec<Operation> {
    let (mut order, mut seen) = (Vec::new(), Set::default());
    let mut pending: Vec<(Operation, bool)> = outputs.iter().rev().map(|t| (t.op().clone(), false)).collect();
    while let Some((op, inputs_done)) = pending.pop() {
        if inputs_done {
            order.push(op);
        } else if seen.insert(op.address()) {
            let below: Vec<_> = op.inputs().iter().rev().map(|t| (t.op().clone(), false)).collect();
            pending.push((op, true));
            pending.extend(below);
        }
    }
    order
}

/// The axes of a block under construction: the index that the formula refers to, its values, its kind.
type Axes = Vec<(Var, Range, IterKind)>;

/// The state of building one function: buffers of its own (tensors may be used in other functions too), inlined
/// formulas, indices of one type.
struct Lowering {
    buffers: Map<VarId, Buffer>,
    widening: Option<Widening>,
    /// Inlined formulas, by the buffers of their tensors.
    inlined: Map<VarId, (Vec<Var>, Expr)>,
    /// The number of expressions that inlining would write.
    weights: Weights,
    /// Temporaries of external stages.
    temporaries: Vec<Buffer>,
    /// The names of blocks, each of which only one has.
    names: Set<String>,
}

impl Lowering {
    fn new(order: &[Operation], params: &[Tensor], options: &CreateOptions) -> Result<Self, TeError> {
        let widening = options.index_dtype.map(Widening::new);
        let mut lowering = Self {
            buffers: Map::default(),
            widening,
            inlined: Map::default(),
            weights: Weights::default(),
            temporaries: Vec::new(),
            names: Set::default(),
        };
        for tensor in order.iter().flat_map(Operation::outputs) {
            let shape = tensor.shape().iter().map(|extent| Ok(folded(&lowering.index(extent)?)));
            let shape = shape.collect::<Result<Vec<_>, TeError>>()?;
            let own = tensor.buffer().derive(|node| {
                node.data = node.data.renewed();
                node.shape = shape;
            });
            lowering.buffers.insert(tensor.id(), own);
        }
        if let Some(tensor) = options.inline.iter().find(|tensor| !order.contains(tensor.op())) {
            let name = tensor.name();
            return Err(TeError(format!("tensor `{name}` cannot be inlined: no parameter is computed from it")));
        }
        for op in order {
            for tensor in op.outputs().iter().filter(|t| options.inline.contains(t)) {
                lowering.inline(tensor, params)?;
            }
        }
        Ok(lowering)
    }

    fn inline(&mut self, tensor: &Tensor, params: &[Tensor]) -> Result<(), TeError> {
        let fail = |what: &str| Err(TeError(format!("tensor `{}` cannot be inlined: {what}", tensor.name())));
        if params.contains(tensor) {
            return fail("it is a parameter");
        }
        match tensor.op().body() {
            Body::Compute(Compute { axes, values, reduction: None }) => {
                let Some(value) = values.get(tensor.index()) else { return fail("it has no formula") };
                if !self.weights.learn(tensor.id(), axes, value) {
                    return fail("with what is inlined into it, its formula would be too long; some stages must stay");
                }
                self.inlined.insert(tensor.id(), (axes.clone(), self.with_inlined(value)));
                Ok(())
            }
            Body::Compute(_) => fail("it is a reduction"),
            Body::Placeholder | Body::Extern(_) => fail("it has no formula"),
        }
    }

    fn with_inlined(&self, value: &Expr) -> Expr {
        if self.inlined.is_empty() {
            return value.clone();
        }
        rewrapped(value, |expr: &Expr| {
            let ExprKind::Load { buffer, indices, .. } = &expr.kind else { return None };
            let (axes, formula) = self.inlined.get(&buffer.id())?;
            Some(rewrapped(formula, |expr: &Expr| {
                let at = axes.iter().position(|axis| Some(axis) == expr.as_var())?;
                // An axis has the type of its extent, an index that of its writer.
                indices.get(at).and_then(|index| index.cast(expr.dtype).ok())
            }))
        })
    }

    fn var(&mut self, var: &Var) -> Var {
        match &mut self.widening {
            Some(widening) => widening.var(var),
            None => var.clone(),
        }
    }

    fn index(&mut self, expr: &Expr) -> Result<Expr, TeError> {
        match &mut self.widening {
            Some(widening) => widening.index(expr, &Set::default()),
            None => Ok(expr.clone()),
        }
    }

    fn range(&mut self, range: &Range) -> Result<Range, TeError> {
        Ok(Range::new(self.index(&range.min)?, self.index(&range.extent)?))
    }

    /// A formula as the function has it.
    fn value(&mut self, value: &Expr) -> Result<Expr, TeError> {
        // Buffers first: folding or widening a shape would make a buffer another one.
        let value = rewrapped(&self.with_inlined(value), |buffer: &Buffer| self.buffers.get(&buffer.id()).cloned());
        let value = folded(&value);
        match &mut self.widening {
            Some(widening) => widening.value(&value, &locals(&value)),
            None => Ok(value),
        }
    }

    fn buffer(&self, tensor: &Tensor) -> Buffer {
        self.buffers.get(&tensor.id()).unwrap_or_else(|| tensor.buffer()).clone()
    }

    /// The loops and blocks of one operation.
    fn nests(&mut self, op: &Operation) -> Result<Vec<Stmt>, TeError> {
        match op.body() {
            Body::Placeholder => Ok(Vec::new()),
            Body::Extern(stage) => {
                let (temporaries, stmt) = extern_stmt(op, stage);
                if op.inputs().iter().any(|input| self.inlined.contains_key(&input.id())) {
                    return Err(TeError(format!("stage `{}` reads a tensor that is inlined", op.name())));
                }
                self.temporaries.extend(temporaries);
                Ok(vec![rewrapped(&stmt, |buffer: &Buffer| self.buffers.get(&buffer.id()).cloned())])
            }
            Body::Compute(_) if op.outputs().iter().any(|t| self.inlined.contains_key(&t.id())) => Ok(Vec::new()),
            Body::Compute(compute) => self.compute(op, compute),
        }
    }

    /// The name itself, or the first of `name_1`, `name_2`, … that no block has.
    fn fresh(&mut self, name: &str) -> String {
        let numbered = (1..).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        let fresh = names.find(|name| !self.names.contains(name)).unwrap_or_else(|| name.to_owned());
        self.names.insert(fresh.clone());
        fresh
    }

    /// The loops and blocks that compute an operation's tensors.
    fn compute(&mut self, op: &Operation, compute: &Compute) -> Result<Vec<Stmt>, TeError> {
        let outs: Vec<Buffer> = op.outputs().iter().map(|tensor| self.buffer(tensor)).collect();
        let mut axes = Axes::new();
        for (axis, extent) in compute.axes.iter().zip(outs.first().map_or(&[][..], |out| &out.shape)) {
            axes.push((self.var(axis), Range::up_to(extent.clone()), IterKind::Spatial));
        }
        let values = compute.values.iter().map(|value| self.value(value)).collect::<Result<Vec<_>, _>>()?;
        let nest = |name: &str, axes: Axes| Nest { name: name.into(), axes, annotations: op.attrs().clone() };
        let Some(reduction) = &compute.reduction else {
            let stores = |out: &Buffer, value: &Expr, indices: &[Expr]| Stmt::store(out, indices.to_vec(), value);
            let mut blocks = Vec::new();
            for (out, value) in outs.iter().zip(&values) {
                let nest = nest(&self.fresh(&out.name), axes.clone());
                blocks.push(nest.block(None, |indices| Ok(stores(out, value, indices)?))?);
            }
            return Ok(vec![nest(op.name(), axes).around(Stmt::seq(blocks))]);
        };
        let init = reduction.init.iter().map(|init| self.value(init)).collect::<Result<Vec<_>, _>>()?;
        let start = |indices: &[Expr]| -> Result<Stmt, TeError> {
            let stores = outs.iter().zip(&init).map(|(out, init)| Stmt::store(out, indices.to_vec(), init));
            Ok(Stmt::seq(stores.collect::<Result<Vec<_>, _>>()?))
        };
        let update = |indices: &[Expr]| combined(reduction, &outs, &values, indices);
        for (axis, range) in &reduction.axes {
            axes.push((self.var(axis), self.range(range)?, IterKind::Reduce));
        }
        let nest = nest(&self.fresh(op.name()), axes);
        Ok(vec![nest.around(nest.block(Some(&start), update)?)])
    }
}

/// Variables that the formula itself binds.
fn locals(value: &Expr) -> Set<VarId> {
    let mut bound = Set::default();
    walk(&vec![value.clone()], |expr: &Expr| {
        if let ExprKind::Let { var, .. } = &expr.kind {
            bound.insert(var.id());
        }
    });
    bound
}

/// The formula with index arithmetic on constants worked out: `i * 1 + 0` is `i`.
fn folded(value: &Expr) -> Expr {
    let index = |expr: &Expr| {
        let ExprKind::Binary(op, a, b) = &expr.kind else { return None };
        if !expr.dtype.is_scalar() || !matches!(expr.dtype, DataType::I32 | DataType::I64) {
            return None;
        }
        match (op, a.as_int(), b.as_int()) {
            (BinOp::Add | BinOp::Sub, _, Some(0)) | (BinOp::Mul, _, Some(1)) => Some(a.clone()),
            (BinOp::Add, Some(0), _) | (BinOp::Mul, Some(1), _) => Some(b.clone()),
            (BinOp::Add | BinOp::Sub | BinOp::Mul, Some(a), Some(b)) => {
                let result = match op {
                    BinOp::Add => a.checked_add(b),
                    BinOp::Sub => a.checked_sub(b),
                    _ => a.checked_mul(b),
                };
                let fits = |result: &i64| expr.dtype == DataType::I64 || i32::try_from(*result).is_ok();
                result.filter(fits).map(|result| Expr::int(result, expr.dtype))
            }
            _ => None,
        }
    };
    rewrapped(value, index)
}

/// A rewriting that may change the root: the machinery of traversal looks below it.
fn rewrapped<H, N>(root: &N, f: impl FnMut(&H) -> Option<H>) -> N
where
    H: tilewright_expr::node::AnyHandle,
    N: tilewright_expr::node::IrNode + Clone,
{
    let whole = vec![root.clone()];
    rewrite(&whole, f).and_then(|mut result| result.pop()).unwrap_or_else(|| root.clone())
}

/// Combines the values into the tensors' elements at the indices. All results are computed before one is stored.
fn combined(reduction: &Reduction, outs: &[Buffer], values: &[Expr], indices: &[Expr]) -> Result<Stmt, TeError> {
    let reducer = &reduction.reducer;
    let mut operands: Map<VarId, Expr> = Map::default();
    for ((out, value), (x, y)) in outs.iter().zip(values).zip(reducer.lhs.iter().zip(&reducer.rhs)) {
        operands.insert(x.id(), Expr::load(out, indices.to_vec())?);
        operands.insert(y.id(), value.clone());
    }
    let of =
        |result: &Expr| rewrapped(result, |expr: &Expr| expr.as_var().and_then(|var| operands.get(&var.id()).cloned()));
    let results: Vec<Expr> = reducer.result.iter().map(of).collect();
    if let ([out], [result]) = (outs, results.as_slice()) {
        return Ok(Stmt::store(out, indices.to_vec(), result)?);
    }
    let vars: Vec<Var> = outs.iter().map(|out| Var::new(format!("v_{}", out.name), out.dtype)).collect();
    let stores = outs.iter().zip(&vars).map(|(out, var)| Stmt::store(out, indices.to_vec(), &Expr::var(var)));
    let stores = Stmt::seq(stores.collect::<Result<Vec<_>, _>>()?);
    Ok(vars.iter().zip(results).rev().fold(stores, |body, (var, value)| {
        StmtKind::Let { var: var.clone(), value, body }.into() //
    }))
}

/// Makes statements of the indices of an element.
type Stores<'a> = dyn Fn(&[Expr]) -> Result<Stmt, TeError> + 'a;

/// Loops around blocks over the same axes.
struct Nest {
    name: String,
    axes: Axes,
    annotations: Attrs,
}

impl Nest {
    /// A block over the axes whose body `body` makes of the indices of an element; `init` likewise. The values of its
    /// axes are the axes themselves, which [`Nest::around`] replaces by loop variables.
    fn block(
        &self,
        init: Option<&Stores<'_>>,
        body: impl FnOnce(&[Expr]) -> Result<Stmt, TeError>,
    ) -> Result<Stmt, TeError> {
        let iter = |(axis, domain, kind): &(Var, Range, IterKind)| IterVar {
            var: Var::new(format!("v_{}", axis.name), axis.dtype),
            domain: domain.clone(),
            kind: *kind,
        };
        let iters: Vec<IterVar> = self.axes.iter().map(iter).collect();
        let renaming: Map<_, _> =
            self.axes.iter().zip(&iters).map(|((axis, ..), iter)| (axis.id(), iter.var.clone())).collect();
        let renamed = |stmt: Stmt| rewrapped(&stmt, |var: &Var| renaming.get(&var.id()).cloned());
        let spatial = iters.iter().filter(|iter| iter.kind == IterKind::Spatial);
        let indices: Vec<Expr> = spatial.map(|iter| Expr::var(&iter.var)).collect();
        let mut block = Block {
            name: self.name.as_str().into(),
            iters,
            alloc_buffers: Vec::new(),
            match_buffers: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            annotations: self.annotations.clone(),
            init: init.map(|init| init(&indices)).transpose()?.map(renamed),
            body: renamed(body(&indices)?),
            origins: Origins::default(),
        };
        let regions = block_regions(&block);
        (block.reads, block.writes) = (regions.reads, regions.writes);
        let values = self.axes.iter().map(|(axis, ..)| Expr::var(axis)).collect();
        Ok(StmtKind::Block { values, predicate: Expr::bool(true), block }.into())
    }

    /// A loop for each axis around the blocks.
    fn around(&self, blocks: Stmt) -> Stmt {
        let loops: Vec<Var> = self.axes.iter().map(|(axis, ..)| axis.renewed()).collect();
        let renaming: Map<_, _> =
            self.axes.iter().zip(&loops).map(|((axis, ..), var)| (axis.id(), var.clone())).collect();
        let blocks = rewrapped(&blocks, |var: &Var| renaming.get(&var.id()).cloned());
        loops.iter().zip(&self.axes).rev().fold(blocks, |body, (var, (_, range, _))| {
            Stmt::for_loop(var, range.min.clone(), range.extent.clone(), ForKind::Serial, body)
        })
    }
}
