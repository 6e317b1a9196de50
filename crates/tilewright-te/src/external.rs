//! Stages that are written as statements: calls of packed functions, loops, whole PrimFuncs.
//!
//! The statements refer to buffers of their own, one for each input and each output, which stand for the tensors: so
//! one text may serve several stages. A stage becomes one block, which reads its inputs and writes its outputs whole;
//! the stage of a PrimFunc in block form becomes that function's own blocks.

use tilewright_expr::node::{VarId, rewrite, walk};
use tilewright_expr::{Buffer, Expr, ExprKind, Range, Var};
use tilewright_ir::Attrs;
use tilewright_ir::tir::{Block, BufferRegion, PrimFunc, Stmt, StmtKind};
use tilewright_support::{Map, Origins};
use tilewright_tensor::DataType;

use crate::tensor::{Body, Compute, Operation, check_shape};
use crate::{TeError, Tensor};

/// Statements that make tensors.
#[derive(Clone, Debug)]
pub struct Extern {
    /// Buffers in the statements for the inputs, in order; an input that is given twice occurs twice.
    pub ins: Vec<Buffer>,
    /// The tensors of `ins`.
    pub given: Vec<Tensor>,
    /// Buffers in the statements for the outputs.
    pub outs: Vec<Buffer>,
    /// The values of variables in the statements: dimensions of `ins` and scalar parameters.
    vars: Vec<(Var, Expr)>,
    /// Temporaries of the statements.
    allocated: Vec<Buffer>,
    pub body: Stmt,
    form: Form,
}

/// The kinds of external statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// The body of a block.
    Opaque,
    /// Nests of blocks that say themselves what they read and write.
    Blocks,
}

/// The tensors of these shapes and types that statements fill. `statements` gets a buffer for each input and for each
/// output.
pub fn extern_op(
    outputs: &[(Vec<Expr>, DataType)],
    inputs: &[Tensor],
    name: &str,
    attrs: Attrs,
    statements: impl FnOnce(&[Buffer], &[Buffer]) -> Result<Stmt, TeError>,
) -> Result<Operation, TeError> {
    if outputs.is_empty() {
        return Err(TeError(format!("stage `{name}` makes no tensor")));
    }
    let named = |i: usize| if outputs.len() == 1 { name.to_owned() } else { format!("{name}_v{i}") };
    let mut outs = Vec::new();
    for (i, (shape, dtype)) in outputs.iter().enumerate() {
        check_shape(shape, &named(i))?;
        outs.push(Buffer::new(named(i), shape.clone(), *dtype));
    }
    let ins: Vec<Buffer> = inputs.iter().map(|t| Buffer::new(t.name(), t.shape().to_vec(), t.dtype())).collect();
    let body = statements(&ins, &outs)?;
    let made =
        Extern { ins, given: inputs.to_vec(), outs, vars: Vec::new(), allocated: Vec::new(), body, form: Form::Opaque };
    Ok(operation(name, made, attrs))
}

/// One tensor that statements fill; see [`extern_op`].
pub fn extern_stage(
    shape: &[Expr],
    dtype: DataType,
    inputs: &[Tensor],
    name: &str,
    statements: impl FnOnce(&[Buffer], &Buffer) -> Result<Stmt, TeError>,
) -> Result<Tensor, TeError> {
    let op = extern_op(&[(shape.to_vec(), dtype)], inputs, name, Attrs::new(), |ins, outs| match outs {
        [out] => statements(ins, out),
        _ => Err(TeError(format!("stage `{name}` has one output"))),
    })?;
    op.outputs().pop().ok_or_else(|| TeError(format!("stage `{name}` makes no tensor")))
}

/// The tensors that a PrimFunc writes, called on these inputs: its first buffer parameters are the inputs, the others
/// the outputs. Its symbolic dimensions follow from the inputs.
pub fn extern_prim_func(inputs: &[Tensor], function: &PrimFunc, name: &str) -> Result<Vec<Tensor>, TeError> {
    if let Some(scalar) = function.params.iter().find(|param| param.buffer.is_none()) {
        let scalar = &scalar.var.name;
        return Err(TeError(format!("`{name}`: a function with the scalar parameter `{scalar}` cannot be a stage")));
    }
    Ok(prim_func_op(inputs, function, name)?.outputs())
}

/// The operation that runs a PrimFunc on these inputs. Its scalar parameters stand for themselves: they are variables
/// of what the operation becomes part of.
pub fn prim_func_op(inputs: &[Tensor], function: &PrimFunc, name: &str) -> Result<Operation, TeError> {
    let mut function = function.clone();
    function.params.retain(|param| param.buffer.is_some());
    let function = tilewright_ir::analysis::tir::walks::renew_defs(&function);
    let fail = |what: String| Err(TeError(format!("`{name}`: {what}")));
    let buffers: Vec<&Buffer> = function.params.iter().filter_map(|param| param.buffer.as_ref()).collect();
    if buffers.len() <= inputs.len() {
        return fail(format!("{} inputs for a function of {} buffers leave no output", inputs.len(), buffers.len()));
    }
    let (ins, outs) = buffers.split_at(inputs.len());
    let mut vars: Vec<(Var, Expr)> = Vec::new();
    for (buffer, tensor) in ins.iter().zip(inputs) {
        fit(buffer, tensor, &mut vars).map_err(|error| TeError(format!("`{name}`: {error}")))?;
    }
    let shapes: Vec<Vec<Expr>> = outs.iter().map(|out| substituted(&out.shape, &vars)).collect();
    let plain = |block: &Block| {
        block.match_buffers.is_empty() && block.annotations.is_empty() && block.init.is_none() && block.iters.is_empty()
    };
    let (allocated, body, form) = match &function.body.kind {
        StmtKind::Block { block, .. } if plain(block) => {
            (block.alloc_buffers.clone(), block.body.clone(), Form::Blocks)
        }
        _ => (Vec::new(), function.body.clone(), Form::Opaque),
    };
    let outs: Vec<Buffer> = outs.iter().map(|&out| out.clone()).collect();
    let constants: Map<VarId, Expr> =
        ins.iter().zip(inputs).filter_map(|(buffer, tensor)| Some((buffer.id(), constant(tensor)?))).collect();
    let body = with_constants(body, &constants);
    let kept = ins.iter().zip(inputs).filter(|(buffer, _)| !constants.contains_key(&buffer.id()));
    let (ins, given) = kept.map(|(&buffer, tensor)| (buffer.clone(), tensor.clone())).unzip();
    let made = Extern { ins, given, vars, allocated, body, form, outs };
    Ok(operation_of(name, made, shapes, Attrs::new()))
}

/// The value of a tensor that is a single constant.
fn constant(tensor: &Tensor) -> Option<Expr> {
    match tensor.op().body() {
        Body::Compute(Compute { axes, values, reduction: None }) if axes.is_empty() => match values.as_slice() {
            [value] if matches!(value.kind, ExprKind::Int(_) | ExprKind::Float(_)) => Some(value.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The statements with loads from these buffers replaced by constants.
fn with_constants(body: Stmt, constants: &Map<VarId, Expr>) -> Stmt {
    if constants.is_empty() {
        return body;
    }
    let whole = vec![body];
    let whole = rewrite(&whole, |expr: &Expr| match &expr.kind {
        ExprKind::Load { buffer, .. } => constants.get(&buffer.id()).cloned(),
        _ => None,
    })
    .unwrap_or(whole);
    let whole = rewrite(&whole, |stmt: &Stmt| {
        let StmtKind::Block { values, predicate, block } = &stmt.kind else { return None };
        let mut block = block.clone();
        block.reads.retain(|read| !constants.contains_key(&read.buffer.id()));
        Some(StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
    })
    .unwrap_or(whole);
    Stmt::seq(whole)
}

/// That the tensor can be passed as the buffer, and what dimensions of the buffer are then.
fn fit(buffer: &Buffer, tensor: &Tensor, vars: &mut Vec<(Var, Expr)>) -> Result<(), TeError> {
    let wrong = |what: String| Err(TeError(format!("`{}` is given for `{}`: {what}", tensor.name(), buffer.name)));
    if buffer.dtype != tensor.dtype() {
        return wrong(format!("expected {}, found {}", buffer.dtype, tensor.dtype()));
    }
    if buffer.rank() != tensor.rank() {
        return wrong(format!("expected {} dimensions, found {}", buffer.rank(), tensor.rank()));
    }
    for (d, (said, found)) in buffer.shape.iter().zip(tensor.shape()).enumerate() {
        if let Some(var) = said.as_var()
            && !vars.iter().any(|(known, _)| known == var)
        {
            vars.push((var.clone(), found.cast(var.dtype)?));
            continue;
        }
        let said = substituted(std::slice::from_ref(said), vars).pop().unwrap_or_else(|| said.clone());
        if let (Some(said), Some(found)) = (said.as_int(), found.as_int())
            && said != found
        {
            return wrong(format!("expected the extent {said} of dimension {d}, found {found}"));
        }
        if said.as_int().is_none() != found.as_int().is_none() {
            return wrong(format!("whether dimension {d} has the expected extent is not known"));
        }
    }
    Ok(())
}

fn substituted(exprs: &[Expr], vars: &[(Var, Expr)]) -> Vec<Expr> {
    let exprs = exprs.to_vec();
    rewrite(&exprs, |expr: &Expr| {
        let var = expr.as_var()?;
        vars.iter().find(|(known, _)| known == var).map(|(_, value)| value.clone())
    })
    .unwrap_or(exprs)
}

fn operation(name: &str, made: Extern, attrs: Attrs) -> Operation {
    let shapes = made.outs.iter().map(|out| out.shape.clone()).collect();
    operation_of(name, made, shapes, attrs)
}

fn operation_of(name: &str, made: Extern, shapes: Vec<Vec<Expr>>, attrs: Attrs) -> Operation {
    let outputs = made.outs.iter().zip(shapes);
    let outputs = outputs.map(|(out, shape)| Buffer::new(out.name.clone(), shape, out.dtype)).collect();
    let mut inputs: Vec<Tensor> = Vec::new();
    for tensor in &made.given {
        if !inputs.contains(tensor) {
            inputs.push(tensor.clone());
        }
    }
    Operation::new(name, outputs, Body::Extern(made), inputs, attrs)
}

/// The statements on the tensors' buffers, and the temporaries that they need around them.
pub(crate) fn extern_stmt(op: &Operation, stage: &Extern) -> (Vec<Buffer>, Stmt) {
    let given: Vec<Buffer> = stage.given.iter().map(|tensor| tensor.buffer().clone()).collect();
    let made: Vec<Buffer> = op.outputs().iter().map(|tensor| tensor.buffer().clone()).collect();
    let block = opaque_block(op, stage, &given, &made);
    let stand_ins = stage.ins.iter().chain(&stage.outs).map(Buffer::id);
    let buffers: Map<VarId, Buffer> = stand_ins.zip(given.into_iter().chain(made)).collect();
    let block = rewrite(&block, |buffer: &Buffer| buffers.get(&buffer.id()).cloned()).unwrap_or(block);
    // Temporaries become others by this, in the list of them too.
    let block = rewrite(&block, |expr: &Expr| {
        let var = expr.as_var()?;
        stage.vars.iter().find(|(known, _)| known == var).map(|(_, value)| value.clone())
    })
    .unwrap_or(block);
    match stage.form {
        Form::Blocks => (block.alloc_buffers, block.body),
        Form::Opaque => {
            let run = StmtKind::Block { values: Vec::new(), predicate: Expr::bool(true), block };
            (Vec::new(), run.into())
        }
    }
}

/// Whether the statements read elements of the buffer: of an output, those that they have written before.
fn is_read(body: &Stmt, buffer: &Buffer) -> bool {
    let mut found = false;
    walk(&vec![body.clone()], |expr: &Expr| {
        found |= matches!(&expr.kind, ExprKind::Load { buffer: loaded, .. } if loaded == buffer);
    });
    found
}

fn opaque_block(op: &Operation, stage: &Extern, given: &[Buffer], made: &[Buffer]) -> Block {
    let whole = |buffer: &Buffer| BufferRegion {
        buffer: buffer.clone(),
        region: buffer.shape.iter().map(|extent| Range::up_to(extent.clone())).collect(),
    };
    let mut reads: Vec<BufferRegion> = Vec::new();
    for buffer in given {
        if !reads.iter().any(|read| read.buffer == *buffer) {
            reads.push(whole(buffer));
        }
    }
    reads.extend(stage.outs.iter().zip(made).filter(|(own, _)| is_read(&stage.body, own)).map(|(_, out)| whole(out)));
    Block {
        name: op.name().into(),
        iters: Vec::new(),
        alloc_buffers: stage.allocated.clone(),
        match_buffers: Vec::new(),
        reads,
        writes: made.iter().map(whole).collect(),
        annotations: op.attrs().clone(),
        init: None,
        body: stage.body.clone(),
        origins: Origins::default(),
    }
}
