//! `FuseTransposeMatmul`: a product with a transposed matrix reads the matrix without transposing it.
//!
//! ```text
//! t = permute_dims(w, [1, 0])
//! y = matmul(x, t)               ⇒    y = call_tir(NT_matmul, (x, w))
//! ```
//!
//! From any form to any form, in dataflow blocks, where the permutation exchanges the last two dimensions of the right
//! operand and keeps those before them. The product becomes a PrimFunc, that of `matmul` with the indices of the
//! operand exchanged: equal ones are shared, and the order of summation is unchanged. Other uses of the transposed
//! tensor keep it; else it is dead code. Shapes and data types have to be known.

use tilewright_expr::node::rewrite;
use tilewright_ir::op::{InferCx, InferError, OpCall, OpRef};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{Binding, BindingValue, Expr, StructInfo};
use tilewright_ir::tir::{self, Buffer, PrimFunc, Stmt, StmtKind};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, IRModule};
use tilewright_ops::linear_algebra::matmul;
use tilewright_ops::manipulate::permute_dims;

use crate::calls_in_dataflow::{Around, called};
use crate::legalize_ops::Library;
use crate::normalize::normalized;
use crate::sequence::{bound_value, defect, located, map_dataflow, map_functions};

/// Multiplies by transposed matrices in place.
#[derive(Clone, Copy, Debug)]
pub struct FuseTransposeMatmul;

const NAME: &str = "FuseTransposeMatmul";

impl Pass for FuseTransposeMatmul {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, cx: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let mut library = Library::of(&module, cx.legalize_cx());
        let graphs = map_functions(NAME, &module, |function, diagnostics| {
            let function = normalized(function);
            let body = map_dataflow(&function.body, &mut |mut bindings| {
                let around = Around::of(&bindings);
                for binding in &mut bindings {
                    match bound_value(binding).map(|value| fused(&around, &mut library, binding, value)) {
                        Some(Ok(Some(value))) => binding.value = BindingValue::Expr(value),
                        Some(Err(error)) => diagnostics.push(located(defect(&error), &binding.origins)),
                        Some(Ok(None)) | None => {}
                    }
                }
                bindings
            });
            tilewright_ir::relax::Function { body, ..function }
        })?;
        Ok(library.with_graphs(&graphs))
    }
}

/// The call that computes a product with a transposed operand.
fn fused(around: &Around, library: &mut Library, binding: &Binding, value: &Expr) -> Result<Option<Expr>, InferError> {
    let Some(([x, transposed], attrs)) = called(value, &matmul::OP) else { return Ok(None) };
    let Some(([w], order)) = around.called(transposed, &permute_dims::OP) else { return Ok(None) };
    let known = |info: &StructInfo| info.dims().is_some() && info.dtype().is_some();
    let Some(rank) = w.struct_info.rank().filter(|rank| exchanges_last(order.get("axes"), *rank)) else {
        return Ok(None);
    };
    let all = [x, transposed, w, value].map(|operand| known(&operand.struct_info));
    // An operand that is both transposed and not would be one buffer.
    if !all.into_iter().all(|known| known) || x.as_var() == transposed.as_var() {
        return Ok(None);
    }
    let op = OpRef(&matmul::OP);
    let operands = [x.clone(), transposed.clone()];
    let function = library.prim_func(&OpCall { op, args: &operands, attrs })?;
    let Some(function) = reading_as_it_lies(&function, rank) else { return Ok(None) };
    let scalars = function.params.iter().filter(|param| param.buffer.is_none());
    let scalars = scalars.map(|param| Expr::prim(tir::Expr::var(&param.var)));
    let args = [x.clone(), w.clone()].into_iter().chain(scalars).collect();
    let global = library.add("NT_matmul", function, &binding.origins);
    Expr::call_tir(&InferCx::default(), global, args, vec![value.struct_info.clone()]).map(Some)
}

/// Whether the permutation exchanges the last two of `rank` dimensions, and no others.
fn exchanges_last(axes: Option<&Attr>, rank: usize) -> bool {
    let Some(axes) = axes.and_then(Attr::as_ints) else { return rank == 2 };
    let from_start = |axis: &i64| if *axis < 0 { axis + rank as i64 } else { *axis };
    let mut expected: Vec<i64> = (0..rank as i64).collect();
    if rank < 2 {
        return false;
    }
    expected.swap(rank - 2, rank - 1);
    axes.iter().map(from_start).eq(expected)
}

/// The function whose second parameter, of this rank, is a tensor with the last two dimensions exchanged.
fn reading_as_it_lies(function: &PrimFunc, rank: usize) -> Option<PrimFunc> {
    let buffer = function.params.get(1)?.buffer.clone()?;
    let exchanged = |items: &[tir::Expr]| {
        let mut items = items.to_vec();
        items.swap(rank - 2, rank - 1);
        items
    };
    let lies = Buffer::new(buffer.name.clone(), exchanged(&buffer.shape), buffer.dtype);
    let body = rewrite(&function.body, |expr: &tir::Expr| match &expr.kind {
        tir::ExprKind::Load { buffer: read, indices, predicate: None } if *read == buffer => {
            tir::Expr::load(&lies, exchanged(indices)).ok()
        }
        _ => None,
    });
    let body = rewrite(&body?, |stmt: &Stmt| {
        let StmtKind::Block { values, predicate, block } = &stmt.kind else { return None };
        let mut block = block.clone();
        let mut changed = false;
        for read in block.reads.iter_mut().filter(|read| read.buffer == buffer) {
            read.buffer = lies.clone();
            read.region.swap(rank - 2, rank - 1);
            changed = true;
        }
        changed.then(|| StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into())
    })?;
    let mut params = function.params.clone();
    params[1].buffer = Some(lies);
    Some(PrimFunc { params, body, ..function.clone() })
}
