//! Analyses of both levels, as Python calls them.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tilewright::expr::{Expr as Scalar, Var as ScalarVar};
use tilewright::ir::analysis::tir::{self, walks};
use tilewright::ir::analysis::{self, BaseCheck};
use tilewright::ir::relax::{BindingBlock, Expr, Function, GlobalVar, StructInfo, Var};
use tilewright::ir::tir::{PrimFunc, Stmt};
use tilewright::{GlobalFunc, IRModule};

use super::convert::FromPython;
use super::{Field, Node, argument, node_of, relax, wrap};
use crate::error;
use crate::module::{PyModule, function_of};
use crate::pass::module_of;

/// Calls a generic function of the IR with what a Python object holds.
macro_rules! with_ir {
    ($object:expr, |$ir:ident| $body:expr) => {
        match (node_of($object), $object.cast::<PyModule>()) {
            (_, Ok(module)) => {
                let $ir = &*module.get().ir();
                $body
            }
            (Some(Node::Scalar($ir)), _) => $body,
            (Some(Node::Stmt($ir)), _) => $body,
            (Some(Node::Buffer($ir)), _) => $body,
            (Some(Node::Range($ir)), _) => $body,
            (Some(Node::Region($ir)), _) => $body,
            (Some(Node::Info($ir)), _) => $body,
            (Some(Node::Relax($ir)), _) => $body,
            (Some(Node::Block(block)), _) => {
                let $ir = &**block;
                $body
            }
            (Some(Node::PrimFunc(_, func)), _) => {
                let $ir = &**func;
                $body
            }
            (Some(Node::Function(_, func)), _) => {
                let $ir = &**func;
                $body
            }
            (Some(Node::Binding(binding)), _) => {
                let $ir = &**binding;
                $body
            }
            (Some(Node::BindingBlock(block)), _) => {
                let $ir = &**block;
                $body
            }
            (Some(Node::Seq(seq)), _) => {
                let $ir = &**seq;
                $body
            }
            _ => return Err(error::wrong_type("expected a part of the IR", $object)),
        }
    };
}

fn vars(vars: &[Var]) -> Field {
    Field::list(vars, Field::relax_var)
}

fn graph_function(object: &Bound<'_, PyAny>) -> PyResult<(Arc<str>, Arc<Function>)> {
    match node_of(object) {
        Some(Node::Function(name, function)) => Ok((name.clone(), function.clone())),
        _ => Err(error::wrong_type("expected a relax.Function", object)),
    }
}

fn prim_func(object: &Bound<'_, PyAny>) -> PyResult<(Arc<str>, Arc<PrimFunc>)> {
    match node_of(object) {
        Some(Node::PrimFunc(name, function)) => Ok((name.clone(), function.clone())),
        _ => Err(error::wrong_type("expected a tir.PrimFunc", object)),
    }
}

fn block(object: &Bound<'_, PyAny>) -> PyResult<Arc<BindingBlock>> {
    argument(object, "block")
}

/// The graph variables of a part of the IR: `which` is "free", "bound" or "all".
#[pyfunction]
pub(crate) fn graph_vars<'py>(which: &str, root: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let found = with_ir!(root, |ir| match which {
        "free" => analysis::free_vars(ir),
        "bound" => analysis::bound_vars(ir),
        "used" => analysis::used_vars(ir),
        _ => analysis::all_vars(ir),
    });
    vars(&found).view(root.py())
}

/// The functions of the module that a part of the IR mentions.
#[pyfunction]
pub(crate) fn all_global_vars<'py>(root: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let found = with_ir!(root, |ir| analysis::all_global_vars(ir));
    Field::list(&found, |global: &GlobalVar| Field::relax(&Expr::global(global))).view(root.py())
}

/// The value of every variable of a function.
#[pyfunction]
pub(crate) fn get_var2val<'py>(func: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let found = analysis::var_to_value(&graph_function(func)?.1);
    let pairs = found.iter().map(|(var, value)| (Field::relax_var(var), Field::relax(value)));
    Field::Dict(pairs.collect()).view(func.py())
}

/// The bindings of a function by the names of their variables.
#[pyfunction]
pub(crate) fn name_to_binding<'py>(func: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let found = analysis::name_to_binding(&graph_function(func)?.1);
    let pairs = found.iter().map(|(name, bindings)| {
        let bindings = Field::list(bindings, |binding| Field::Node(Node::Binding(Arc::new(binding.clone()))));
        (Field::text(name.clone()), bindings)
    });
    Field::Dict(pairs.collect()).view(func.py())
}

/// The users of every variable of a block.
#[pyfunction]
pub(crate) fn udchain<'py>(dfb: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let chain = analysis::udchain(&*block(dfb)?);
    let pairs = chain.users.iter().map(|(var, users)| (Field::relax_var(var), vars(users)));
    Field::Dict(pairs.collect()).view(dfb.py())
}

/// The function without unused bindings.
#[pyfunction]
pub(crate) fn remove_all_unused<'py>(func: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (name, function) = graph_function(func)?;
    wrap(func.py(), Node::Function(name, Arc::new(analysis::remove_all_unused(&function))))
}

/// Whether evaluating the expression or function has a side effect; calls of `own_name` itself do not count.
#[pyfunction]
#[pyo3(signature = (expr, own_name=None))]
pub(crate) fn contains_impure_call(expr: &Bound<'_, PyAny>, own_name: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
    let own: Option<Var> = match own_name {
        Some(name) if !name.is_none() => Var::from_python(name)?,
        _ => None,
    };
    Ok(with_ir!(expr, |ir| analysis::contains_impure_call(ir, own.as_ref())))
}

/// Whether a PrimFunc does nothing but reshape.
#[pyfunction]
pub(crate) fn has_reshape_pattern(func: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(analysis::has_reshape_pattern(&prim_func(func)?.1))
}

/// The groups of functions that call each other in a circle.
#[pyfunction]
pub(crate) fn detect_recursion<'py>(module: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let ir = module_of(module)?;
    let global = |name: Arc<str>| {
        Field::relax(&ir.global_var(&name).map_or_else(|| relax::global_var(name), |g| Expr::global(&g)))
    };
    Field::list(analysis::detect_recursion(&ir), |group| Field::list(group, global)).view(module.py())
}

/// The variables that can be computed before a function is called.
#[pyfunction]
pub(crate) fn computable_at_compile_time<'py>(func: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    vars(&analysis::computable_at_compile_time(&graph_function(func)?.1)).view(func.py())
}

/// The symbolic dimensions in a struct info; with `definable` only those that a value of it defines.
#[pyfunction]
pub(crate) fn dims_in_struct_info<'py>(info: &Bound<'py, PyAny>, definable: bool) -> PyResult<Bound<'py, PyAny>> {
    let known: StructInfo = argument(info, "sinfo")?;
    let found: Vec<ScalarVar> = match definable {
        true => analysis::definable_dims(&known).into_iter().cloned().collect(),
        false => analysis::dims_in_struct_info(&known),
    };
    Field::list(&found, Field::var).view(info.py())
}

/// The symbolic dimensions that a function uses without defining them; with `defined` those that it defines.
#[pyfunction]
pub(crate) fn symbolic_vars<'py>(func: &Bound<'py, PyAny>, defined: bool) -> PyResult<Bound<'py, PyAny>> {
    let Some(Node::Function(_, function)) = node_of(func) else {
        return Err(error::wrong_type("expected a relax.Function", func));
    };
    let found = match defined {
        true => analysis::defined_symbolic_vars(&**function),
        false => analysis::free_symbolic_vars(&**function),
    };
    Field::list(&found, Field::var).view(func.py())
}

/// The extents in a struct info that are no constants: none is negative.
#[pyfunction]
pub(crate) fn collect_non_negative_expressions<'py>(info: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let found = analysis::collect_non_negative_expressions(&argument::<StructInfo>(info, "sinfo")?);
    Field::scalars(&found).view(info.py())
}

/// Whether a value that is `derived` also is `base`: 0 never, 1 and 2 not known, 3 always.
#[pyfunction]
pub(crate) fn struct_info_base_check(base: &Bound<'_, PyAny>, derived: &Bound<'_, PyAny>) -> PyResult<i64> {
    let (base, derived): (StructInfo, StructInfo) = (argument(base, "base")?, argument(derived, "derived")?);
    Ok(match analysis::struct_info_base_check(&relax::infer(), &base, &derived) {
        BaseCheck::FailL0 => 0,
        BaseCheck::FailL1 => 1,
        BaseCheck::FailL2 => 2,
        BaseCheck::Pass => 3,
    })
}

/// The least upper bound of two struct infos.
#[pyfunction]
pub(crate) fn struct_info_lca<'py>(lhs: &Bound<'py, PyAny>, rhs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (a, b): (StructInfo, StructInfo) = (argument(lhs, "lhs")?, argument(rhs, "rhs")?);
    Field::info(&analysis::struct_info_lca(&relax::infer(), &a, &b)).view(lhs.py())
}

/// The struct info without the values of dimensions.
#[pyfunction]
pub(crate) fn static_type<'py>(info: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    Field::info(&analysis::static_type(&argument::<StructInfo>(info, "sinfo")?)).view(info.py())
}

/// The struct info in which symbolic dimensions are replaced, and those without a value are forgotten.
#[pyfunction]
pub(crate) fn erase_to_well_defined<'py>(
    info: &Bound<'py, PyAny>,
    dims: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut values = Vec::new();
    for (var, value) in dims {
        values.push((argument::<ScalarVar>(&var, "shape_var_map")?, argument::<Scalar>(&value, "shape_var_map")?));
    }
    let known: StructInfo = argument(info, "sinfo")?;
    let kept = analysis::erase_dims(&known, &|dim| values.iter().any(|(var, _)| var == dim));
    Field::info(&walks::substitute(&kept, &values)).view(info.py())
}

/// The result of a call of a function of this struct info.
#[pyfunction]
pub(crate) fn derive_call_ret_struct_info<'py>(
    func: &Bound<'py, PyAny>,
    args: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (known, args): (StructInfo, Vec<Expr>) = (argument(func, "func_sinfo")?, argument(args, "args")?);
    let infos: Vec<&StructInfo> = args.iter().map(|arg| &arg.struct_info).collect();
    let made = analysis::derive_call_ret_struct_info(&relax::infer(), &known, &infos);
    Field::info(&made.map_err(|reason| error::general(func.py(), reason))?).view(func.py())
}

/// The faults of a module or function, as the verifier words them.
#[pyfunction]
pub(crate) fn faults(object: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let found = match object.cast::<PyModule>() {
        Ok(module) => analysis::well_formed(&module.get().ir()),
        Err(_) => analysis::well_formed_function(&function_of(object)?.1, None),
    };
    Ok(found.iter().map(|fault| fault.render(false)).collect())
}

/// Of every variable of a dataflow block the first and last binding at which it lives.
#[pyfunction]
pub(crate) fn dataflow_liveness<'py>(dfb: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let found = analysis::dataflow::dataflow_liveness(&*block(dfb)?);
    let pairs = found
        .iter()
        .map(|(var, (first, last))| (Field::relax_var(var), Field::List(vec![Field::Int(*first), Field::Int(*last)])));
    Field::Dict(pairs.collect()).view(dfb.py())
}

/// Which memory each variable of a dataflow block may be: sets of numbers, and those of the fields of tuples.
#[pyfunction]
pub(crate) fn dataflow_alias<'py>(dfb: &Bound<'py, PyAny>, inputs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let found = analysis::dataflow::dataflow_alias(&*block(dfb)?, &argument::<Vec<Var>>(inputs, "inputs")?);
    let set = |numbers: &std::collections::BTreeSet<i64>| Field::list(numbers, |&number| Field::Int(number));
    let memory = found.memory.iter().map(|(var, numbers)| (Field::relax_var(var), set(numbers)));
    let tuples = found.tuples.iter().map(|(&number, fields)| (Field::Int(number), Field::list(fields, set)));
    Field::List(vec![Field::Dict(memory.collect()), Field::Dict(tuples.collect())]).view(dfb.py())
}

/// The calls that may be computed in place: those whose argument has the size, and those where it has the shape too.
#[pyfunction]
pub(crate) fn dataflow_inplace<'py>(
    dfb: &Bound<'py, PyAny>,
    inputs: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let found = analysis::dataflow::dataflow_inplace(&*block(dfb)?, &argument::<Vec<Var>>(inputs, "inputs")?);
    let calls = |calls: &[analysis::dataflow::InplaceCall]| {
        Field::list(calls, |call| {
            let numbers = std::iter::once(call.binding).chain(call.args.iter().copied());
            Field::list(numbers, |number| Field::Int(number as i64))
        })
    };
    Field::List(vec![calls(&found.fitting), calls(&found.exact)]).view(dfb.py())
}

/// A statement or expression of a walk.
fn walked(node: &walks::Node) -> Node {
    match node {
        walks::Node::Stmt(stmt) => Node::Stmt(stmt.clone()),
        walks::Node::Expr(expr) => Node::Scalar(expr.clone()),
    }
}

/// Calls `f` on every statement and expression, parts first.
#[pyfunction]
pub(crate) fn post_order_visit(root: &Bound<'_, PyAny>, f: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut failed = None;
    let mut visit = |node: &walks::Node| {
        if failed.is_none() {
            failed = wrap(f.py(), walked(node)).and_then(|object| f.call1((object,))).err();
        }
    };
    with_ir!(root, |ir| walks::post_order_visit(ir, &mut visit));
    failed.map_or(Ok(()), Err)
}

/// Calls `f` on every statement and expression, parents first; it says whether to go inside.
#[pyfunction]
pub(crate) fn pre_order_visit(root: &Bound<'_, PyAny>, f: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut failed = None;
    let mut visit = |node: &walks::Node| {
        if failed.is_some() {
            return false;
        }
        let inside = wrap(f.py(), walked(node)).and_then(|object| f.call1((object,))?.is_truthy());
        inside.unwrap_or_else(|error| {
            failed = Some(error);
            false
        })
    };
    with_ir!(root, |ir| walks::pre_order_visit(ir, &mut visit));
    failed.map_or(Ok(()), Err)
}

/// The node with scalar variables replaced by expressions.
#[pyfunction]
pub(crate) fn substitute<'py>(node: &Bound<'py, PyAny>, values: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
    let mut pairs: Vec<(ScalarVar, Scalar)> = Vec::new();
    for (var, value) in values {
        let (var, value): (ScalarVar, Scalar) = (argument(&var, "vmap")?, argument(&value, "vmap")?);
        let value = value.cast(var.dtype).map_err(|reason| error::general(node.py(), reason))?;
        pairs.push((var, value));
    }
    let changed = match node_of(node) {
        Some(Node::Scalar(expr)) => Node::Scalar(walks::substitute(expr, &pairs)),
        Some(Node::Stmt(stmt)) => Node::Stmt(walks::substitute(stmt, &pairs)),
        Some(Node::Range(range)) => Node::Range(walks::substitute(range, &pairs)),
        Some(Node::Region(region)) => Node::Region(walks::substitute(region, &pairs)),
        Some(Node::Info(info)) => Node::Info(walks::substitute(info, &pairs)),
        Some(Node::Relax(expr)) => Node::Relax(walks::substitute(expr, &pairs)),
        Some(Node::Block(block)) => Node::Block(Arc::new(walks::substitute(&**block, &pairs))),
        Some(Node::PrimFunc(name, func)) => Node::PrimFunc(name.clone(), Arc::new(walks::substitute(&**func, &pairs))),
        _ => return Err(error::wrong_type("expected an expression or a statement", node)),
    };
    wrap(node.py(), changed)
}

/// Rewrites a statement: `preorder` may replace a node before its parts are looked at, `postorder` after; either gives
/// None where the node stays. `only` says which nodes they are asked about, by the kinds of classes.
#[pyfunction]
pub(crate) fn ir_transform<'py>(
    stmt: &Bound<'py, PyAny>,
    preorder: &Bound<'py, PyAny>,
    postorder: &Bound<'py, PyAny>,
    only: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, body) = (stmt.py(), argument::<Stmt>(stmt, "stmt")?);
    let failed = std::cell::RefCell::new(None);
    let ask = |f: &Bound<'py, PyAny>, node: &walks::Node| {
        if failed.borrow().is_some() {
            return None;
        }
        let answer = wrap(py, walked(node)).and_then(|object| f.call1((object,)));
        let replaced = answer.and_then(|answer| match node_of(&answer) {
            Some(Node::Stmt(stmt)) => Ok(Some(walks::Node::Stmt(stmt.clone()))),
            Some(Node::Scalar(expr)) => Ok(Some(walks::Node::Expr(expr.clone()))),
            None if answer.is_none() => Ok(None),
            _ => Err(error::wrong_type("expected a statement, an expression or None", &answer)),
        });
        replaced.unwrap_or_else(|error| {
            *failed.borrow_mut() = Some(error);
            None
        })
    };
    let enabled =
        |node: &walks::Node| only.as_ref().is_none_or(|kinds| kinds.iter().any(|kind| kind == walked(node).kind()));
    let (mut before, mut after) = (|node: &walks::Node| ask(preorder, node), |node: &walks::Node| ask(postorder, node));
    let transform = walks::Transform {
        before: if preorder.is_none() { None } else { Some(&mut before) },
        after: if postorder.is_none() { None } else { Some(&mut after) },
        only: &enabled,
    };
    let changed = walks::ir_transform(&body, transform);
    match failed.into_inner() {
        Some(error) => Err(error),
        None => wrap(py, Node::Stmt(changed.map_err(|reason| error::general(py, reason))?)),
    }
}

/// Whether two scalar expressions are equal, variables by identity.
#[pyfunction]
pub(crate) fn expr_deep_equal(lhs: &Bound<'_, PyAny>, rhs: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(walks::expr_deep_equal(&argument::<Scalar>(lhs, "lhs")?, &argument::<Scalar>(rhs, "rhs")?))
}

/// Whether a PrimFunc only writes its own memory and calls nothing with effects; the reason where it does not.
#[pyfunction]
pub(crate) fn impurity(func: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    Ok(tir::assert_pure_function(&prim_func(func)?.1).err())
}

/// The number of floating-point operations of a PrimFunc or of those of a module.
#[pyfunction]
pub(crate) fn estimate_tir_flops(object: &Bound<'_, PyAny>) -> PyResult<f64> {
    let estimated = match object.cast::<PyModule>() {
        Ok(module) => {
            let ir = module.get().ir();
            let of = |function: &GlobalFunc| match function {
                GlobalFunc::Prim(function) => tir::estimate_tir_flops(function),
                GlobalFunc::Relax(_) => Ok(0.0),
            };
            ir.iter().map(|(_, function)| of(function)).sum()
        }
        Err(_) => tir::estimate_tir_flops(&prim_func(object)?.1),
    };
    estimated.map_err(|reason| error::general(object.py(), reason))
}

/// The block with most work, or None.
#[pyfunction]
pub(crate) fn find_anchor_block<'py>(module: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let ir = match module.cast::<PyModule>() {
        Ok(module) => module.get().ir(),
        Err(_) => {
            let mut one = IRModule::new();
            one.insert("main", GlobalFunc::Prim(prim_func(module)?.1));
            Arc::new(one)
        }
    };
    Field::optional(tir::find_anchor_block(&ir), |block| Field::Node(Node::Block(Arc::new(block)))).view(module.py())
}

/// The scalar variables that a statement or expression uses and does not define.
#[pyfunction]
pub(crate) fn undefined_vars<'py>(
    node: &Bound<'py, PyAny>,
    defined: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let found = tir::undefined_vars(&argument::<Stmt>(node, "node")?, &argument::<Vec<ScalarVar>>(defined, "defs")?);
    Field::list(&found, Field::var).view(node.py())
}

/// The regions that a block reads and writes, and those that a foreign function may touch.
#[pyfunction]
pub(crate) fn get_block_access_region<'py>(block: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let found = tir::get_block_access_region(&*argument::<Arc<tilewright::ir::tir::Block>>(block, "block")?);
    let regions = |regions: &[tilewright::ir::tir::BufferRegion]| {
        Field::list(regions, |region| Field::Node(Node::Region(region.clone())))
    };
    Field::List(vec![regions(&found.reads), regions(&found.writes), regions(&found.opaque)]).view(block.py())
}

/// Of each buffer the innermost statement around all of its uses.
#[pyfunction]
pub(crate) fn detect_buffer_access_lca<'py>(func: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let found = tir::detect_buffer_access_lca(&prim_func(func)?.1);
    let pairs = found
        .iter()
        .map(|(buffer, stmt)| (Field::Node(Node::Buffer(buffer.clone())), Field::optional(stmt.as_ref(), Field::stmt)));
    Field::Dict(pairs.collect()).view(func.py())
}

/// The bytes that a PrimFunc's temporaries take.
#[pyfunction]
pub(crate) fn calculate_workspace_bytes(func: &Bound<'_, PyAny>, align: i64) -> PyResult<i64> {
    tir::calculate_workspace_bytes(&prim_func(func)?.1, align).map_err(|reason| error::general(func.py(), reason))
}

/// Whether every variable of a PrimFunc is defined in one place.
#[pyfunction]
pub(crate) fn verify_ssa(func: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(tir::verify_ssa(&prim_func(func)?.1))
}

/// The names of the buffers of device memory that a PrimFunc touches outside of its threads.
#[pyfunction]
pub(crate) fn touched_by_host(func: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    Ok(tir::touched_by_host(&prim_func(func)?.1).iter().map(|buffer| buffer.name.to_string()).collect())
}

/// The most that a kernel of a PrimFunc needs, by the names of the limits.
#[pyfunction]
pub(crate) fn kernel_needs(func: &Bound<'_, PyAny>) -> PyResult<std::collections::BTreeMap<&'static str, i64>> {
    Ok(tir::kernel_needs(&prim_func(func)?.1))
}

/// The bytes of a PrimFunc's allocations, by the scope of their memory.
#[pyfunction]
pub(crate) fn allocated_bytes(func: &Bound<'_, PyAny>) -> PyResult<std::collections::BTreeMap<String, i64>> {
    Ok(tir::allocated_bytes(&prim_func(func)?.1))
}

/// The bytes of the constants of a PrimFunc, each rounded up to a multiple of `align`.
#[pyfunction]
pub(crate) fn constant_bytes(func: &Bound<'_, PyAny>, align: i64) -> PyResult<i64> {
    tir::constant_bytes(&prim_func(func)?.1, align).map_err(|reason| error::general(func.py(), reason))
}

/// Accesses of a PrimFunc that leave their buffer: what each is.
#[pyfunction]
pub(crate) fn out_of_bounds(func: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let print = tilewright::script::print::print_expr;
    let found = tir::out_of_bounds(&prim_func(func)?.1);
    let said = found.iter().map(|(buffer, dim, index)| {
        let extent = buffer.shape.get(*dim).map(print).unwrap_or_default();
        format!("index {dim} of buffer `{}` is {}, outside of its extent {extent}", buffer.name, print(index))
    });
    Ok(said.collect())
}

/// The PrimFunc for parameters of which values, or buffers like the arguments, are known.
#[pyfunction]
pub(crate) fn specialize<'py>(func: &Bound<'py, PyAny>, known: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
    let (py, (name, function)) = (func.py(), prim_func(func)?);
    let mut given: Vec<(ScalarVar, tir::Known)> = Vec::new();
    for (var, value) in known {
        let value = match node_of(&value) {
            Some(Node::Buffer(buffer)) => tir::Known::Buffer(buffer.clone()),
            _ => tir::Known::Value(argument(&value, "param_map")?),
        };
        given.push((argument(&var, "param_map")?, value));
    }
    let function = tir::specialize(&function, &given).map_err(|reason| error::general(py, reason))?;
    wrap(py, Node::PrimFunc(name, Arc::new(function)))
}

/// The PrimFunc after one step of the lowering, by the step's name.
#[pyfunction]
pub(crate) fn lowering_step<'py>(step: &str, func: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (py, (name, function)) = (func.py(), prim_func(func)?);
    let known = tilewright::tir_passes::lowering_passes().iter().find(|(known, _)| *known == step);
    let (_, pass) = known.ok_or_else(|| error::general(py, format_args!("the lowering has no step `{step}`")))?;
    let lowered = pass.run(&function).map_err(|found| error::diagnostics(py, &found))?;
    wrap(py, Node::PrimFunc(name, Arc::new(lowered)))
}

/// The PrimFunc after a loop pass, by the pass's name after `tir.`, with the pass's own options.
#[pyfunction]
pub(crate) fn tir_pass<'py>(
    name: &str,
    func: &Bound<'py, PyAny>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, (own, function)) = (func.py(), prim_func(func)?);
    let pass = tilewright::tir_passes::named::named_pass(name);
    let pass = pass.ok_or_else(|| error::general(py, format_args!("there is no loop pass `{name}`")))?;
    let options = super::attrs::attrs_of(options)?;
    let changed = (pass.run)(&options, &function).map_err(|found| error::diagnostics(py, &found))?;
    wrap(py, Node::PrimFunc(own, Arc::new(changed)))
}

/// The module after a loop pass over modules, by the pass's name after `tir.`, with the pass's own options.
#[pyfunction]
pub(crate) fn tir_module_pass(
    py: Python<'_>,
    name: &str,
    module: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
) -> PyResult<PyModule> {
    let pass = tilewright::tir_passes::named::named_module_pass(name);
    let pass = pass.ok_or_else(|| error::general(py, format_args!("there is no loop pass over modules `{name}`")))?;
    let options = super::attrs::attrs_of(options)?;
    let module = module_of(module)?;
    Ok(PyModule::of((pass.run)(&options, &module).map_err(|found| error::diagnostics(py, &found))?))
}

/// A copy of a function whose variables, buffers and symbolic dimensions are its own.
#[pyfunction]
pub(crate) fn renew_defs<'py>(func: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let node = match function_of(func)? {
        (name, GlobalFunc::Prim(function)) => Node::PrimFunc(name, Arc::new(walks::renew_defs(&function))),
        (name, GlobalFunc::Relax(function)) => Node::Function(name, Arc::new(analysis::renewed(&function))),
    };
    wrap(func.py(), node)
}
