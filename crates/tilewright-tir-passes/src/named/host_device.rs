//! `SplitHostDevice`: regions that are marked with a target become functions of that target, which the host calls.
//! `LowerDeviceKernelLaunch`: calls of functions of another target become launches, or calls of foreign functions.
//!
//! A kernel's parameters are the values and the memory that its region takes from outside: first the memory, each in
//! the order of its first use. Its attribute `tir.kernel_launch_params` names what a launch says after them: the
//! extents of its blocks and threads, each in terms of the parameters.

use std::sync::Arc;

use tilewright_expr::node::{VarId, walk, walk_some};
use tilewright_ir::tir::{
    Buffer, Builtin, CmpOp, Expr, ExprKind, ForKind, ForeignCallee, Param, PrimFunc, Stmt, StmtKind, Var, attr_names,
};
use tilewright_ir::{Attr, Attrs, GlobalFunc, IRModule};
use tilewright_support::{Diagnostics, Map, Origins, Set, with_stack};
use tilewright_tensor::DataType;

use super::{Options, below, refuse, with};
use crate::calls::start_of_memory;
use crate::stmt::{Result, analyzer_of, reads, typed};
use crate::substitute::Substitute;

/// The attribute that says how a function is called.
const CALLING_CONVENTION: &str = "calling_conv";
/// Its value for kernels that a launch starts.
const DEVICE_KERNEL_LAUNCH: i64 = 2;
const IS_GLOBAL: &str = "tir.is_global_func";
const LAUNCH_PARAMS: &str = "tir.kernel_launch_params";

fn target_of(function: &PrimFunc) -> Option<&str> {
    function.attrs.get(attr_names::TARGET).and_then(Attr::as_str)
}

/// Where a function of the target runs: on its host, if it names one, as kernels are functions of the device alone.
fn host_of(target: &str) -> String {
    let (device, host) = tilewright_target::split_host(target);
    host.unwrap_or(device)
}

fn kind_of(target: &str) -> &str {
    target.split_whitespace().next().unwrap_or_default()
}

/// Whether functions of the target run where their caller runs, and can say that they failed.
fn runs_on_the_host(target: &str) -> bool {
    matches!(kind_of(target), "llvm" | "c" | "stackvm" | "ext_dev")
}

pub(super) fn split_host_device(_: &Options, module: &IRModule) -> Result<IRModule> {
    let mut made = module.clone();
    for (name, function) in module.iter() {
        let GlobalFunc::Prim(function) = function else { continue };
        let mut cx = Split { module: &mut made, prefix: function.global_symbol().unwrap_or(name).to_owned() };
        let body = cx.stmt(&function.body)?;
        if !body.same(&function.body) {
            made.insert(name.clone(), GlobalFunc::Prim(Arc::new(with(function, body))));
        }
    }
    Ok(made)
}

struct Split<'a> {
    module: &'a mut IRModule,
    prefix: String,
}

impl Split<'_> {
    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        match &stmt.kind {
            StmtKind::Attr { node, key, body, .. } if &**key == "target" => match &node.kind {
                ExprKind::Str(target) => self.kernel(target, body),
                _ => below(stmt, &mut |s| self.stmt(s)),
            },
            StmtKind::Store { .. } | StmtKind::Evaluate(_) | StmtKind::Assert { .. } => Ok(stmt.clone()),
            _ => self.inside(stmt),
        }
    }

    /// The statement itself where nothing inside changes.
    fn inside(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let mut marked = false;
        walk(stmt, |inside: &Stmt| {
            marked |= matches!(&inside.kind, StmtKind::Attr { key, .. } if &**key == "target");
        });
        if marked { below(stmt, &mut |s| self.stmt(s)) } else { Ok(stmt.clone()) }
    }

    fn kernel(&mut self, target: &Arc<str>, body: &Stmt) -> Result<Stmt> {
        let outside = Outside::of(body);
        let params: Vec<Var> = outside.memory.iter().chain(&outside.values).cloned().collect();
        let mut body = outside
            .views
            .iter()
            .rev()
            .fold(body.clone(), |body, view| StmtKind::Allocate { buffer: view.clone(), body }.into());
        let fails = runs_on_the_host(target);
        if fails {
            let done = StmtKind::Evaluate(Expr::builtin(Builtin::RET, vec![Expr::i32(0)]));
            body = Stmt::seq([body, done.into()]);
        }
        // The kernel has variables of its own.
        let mut renewed = Substitute::default();
        let own: Vec<Var> = params.iter().map(Var::renewed).collect();
        for (var, own) in params.iter().zip(&own) {
            renewed.values.insert(var.id(), Expr::var(own));
            renewed.binders.insert(var.id(), own.clone());
        }
        let body = renewed.apply(&body);
        let mut attrs = Attrs::new();
        attrs.insert(attr_names::TARGET.into(), Attr::Str(target.clone()));
        attrs.insert(attr_names::NOALIAS.into(), Attr::Bool(true));
        attrs.insert(IS_GLOBAL.into(), Attr::Bool(true));
        let function =
            PrimFunc { params: own.iter().map(Param::scalar).collect(), attrs, body, origins: Origins::default() };
        let wish = format!("{}_kernel", self.prefix);
        let var = self.module.insert_unique(&wish, GlobalFunc::Prim(Arc::new(function)));
        let args = params.iter().map(Expr::var).collect();
        let callee = ForeignCallee::Function(var.name.clone());
        if !fails {
            return Ok(StmtKind::Evaluate(Expr::foreign(DataType::VOID, callee, args)).into());
        }
        let code = Var::new("kernel_error_code", DataType::I32);
        let condition = typed(Expr::compare(CmpOp::Eq, &Expr::var(&code), &Expr::i32(0)))?;
        let message = Arc::from("Error executing compute kernel");
        let body = StmtKind::Assert { condition, message }.into();
        let value = Expr::foreign(DataType::I32, callee, args);
        Ok(StmtKind::Let { var: code, value, body }.into())
    }
}

/// What a region takes from outside.
#[derive(Default)]
struct Outside {
    memory: Vec<Var>,
    values: Vec<Var>,
    /// The buffers of the memory.
    views: Vec<Buffer>,
    bound: Set<VarId>,
    seen: Set<VarId>,
}

impl Outside {
    fn of(body: &Stmt) -> Self {
        let mut found = Self::default();
        walk(body, |stmt: &Stmt| match &stmt.kind {
            StmtKind::For { var, .. } | StmtKind::Let { var, .. } => {
                found.bound.insert(var.id());
            }
            StmtKind::Allocate { buffer, .. } | StmtKind::AllocateConst { buffer, .. } => {
                found.bound.insert(buffer.id());
                // The declaration of a view binds no memory.
                found.bound.insert(buffer.data.id());
            }
            StmtKind::Block { block, .. } => {
                let matched = block.match_buffers.iter().map(|matched| &matched.buffer);
                for buffer in block.alloc_buffers.iter().chain(matched) {
                    found.bound.extend([buffer.id(), buffer.data.id()]);
                }
                found.bound.extend(block.iters.iter().map(|iter| iter.var.id()));
            }
            _ => {}
        });
        walk(body, |expr: &Expr| {
            if let ExprKind::Let { var, .. } = &expr.kind {
                found.bound.insert(var.id());
            }
        });
        found.views_of_memory(body);
        walk_some(body, |node| {
            if let Some(buffer) = node.downcast::<Buffer>() {
                found.buffer(buffer);
            } else if let Some(expr) = node.downcast::<Expr>()
                && let Some(var) = expr.as_var()
            {
                found.var(var);
            }
            true
        });
        found
    }

    /// A view that is declared inside, of memory from outside, binds none.
    fn views_of_memory(&mut self, body: &Stmt) {
        let mut owners: Map<VarId, bool> = Map::default();
        walk(body, |buffer: &Buffer| {
            let declared = self.bound.contains(&buffer.id());
            *owners.entry(buffer.data.id()).or_insert(declared) &= declared;
        });
        for (memory, inside) in owners {
            if !inside {
                self.bound.remove(&memory);
            }
        }
    }

    fn buffer(&mut self, buffer: &Buffer) {
        self.var(&buffer.data);
        if !self.bound.contains(&buffer.id())
            && !self.bound.contains(&buffer.data.id())
            && self.seen.insert(buffer.id())
        {
            self.views.push(buffer.clone());
        }
    }

    fn var(&mut self, var: &Var) {
        if self.bound.contains(&var.id()) || !self.seen.insert(var.id()) {
            return;
        }
        if var.dtype.is_handle() { self.memory.push(var.clone()) } else { self.values.push(var.clone()) }
    }
}

/// What a launch says of a kernel.
struct Kernel {
    params: Vec<Var>,
    /// Tags of blocks and threads, and their extents in terms of the parameters; or why there are none.
    threads: std::result::Result<Vec<(Arc<str>, Expr)>, String>,
    target: Option<String>,
    symbol: Arc<str>,
}

pub(super) fn lower_device_kernel_launch(_: &Options, module: &IRModule) -> Result<IRModule> {
    let mut kernels: Map<Arc<str>, Kernel> = Map::default();
    for (name, function) in module.iter() {
        if let GlobalFunc::Prim(function) = function {
            kernels.insert(name.clone(), kernel_of(name, function));
        }
    }
    let mut launched: Map<Arc<str>, bool> = Map::default();
    let mut made = module.clone();
    for (name, function) in module.iter() {
        let GlobalFunc::Prim(function) = function else { continue };
        let own = target_of(function).map(host_of);
        let mut failed: Option<Diagnostics> = None;
        let body = tilewright_expr::node::rewrite(&function.body, |expr: &Expr| {
            match call(&kernels, own.as_deref(), expr, &mut launched) {
                Ok(made) => made,
                Err(found) => {
                    failed.get_or_insert(found);
                    None
                }
            }
        });
        if let Some(found) = failed {
            return Err(found);
        }
        if let Some(body) = body {
            made.insert(name.clone(), GlobalFunc::Prim(Arc::new(with(function, body))));
        }
    }
    for (name, as_kernel) in launched {
        let (Some(function), Some(kernel)) = (made.prim(&name), kernels.get(&name)) else { continue };
        let mut function = PrimFunc::clone(function);
        function.attrs.insert(attr_names::GLOBAL_SYMBOL.into(), Attr::Str(kernel.symbol.clone()));
        function.attrs.insert(IS_GLOBAL.into(), Attr::Bool(true));
        if as_kernel {
            let tags = kernel.threads.iter().flatten().map(|(tag, _)| Attr::Str(tag.clone())).collect();
            function.attrs.insert(CALLING_CONVENTION.into(), Attr::Int(DEVICE_KERNEL_LAUNCH));
            function.attrs.insert(LAUNCH_PARAMS.into(), Attr::Array(tags));
        }
        made.insert(name, GlobalFunc::Prim(Arc::new(function)));
    }
    Ok(made)
}

fn kernel_of(name: &Arc<str>, function: &PrimFunc) -> Kernel {
    let params: Vec<Var> = function.params.iter().map(|param| param.var.clone()).collect();
    let threads = extents(function, &params);
    Kernel {
        params,
        threads,
        target: target_of(function).map(host_of),
        symbol: function.global_symbol().map_or_else(|| name.clone(), Arc::from),
    }
}

/// The extents of the blocks and threads. Values of lets in the kernel are written out, as the host knows the
/// parameters alone.
fn extents(function: &PrimFunc, params: &[Var]) -> std::result::Result<Vec<(Arc<str>, Expr)>, String> {
    let mut lets: Map<VarId, Expr> = Map::default();
    let mut all: Vec<(Arc<str>, Expr)> = Vec::new();
    let written_out = |lets: &Map<VarId, Expr>, expr: &Expr| {
        let mut values = Substitute::default();
        values.values.clone_from(lets);
        values.apply(expr)
    };
    walk(&function.body, |stmt: &Stmt| match &stmt.kind {
        StmtKind::Let { var, value, .. } => {
            let value = written_out(&lets, value);
            lets.insert(var.id(), value);
        }
        StmtKind::For { kind: ForKind::ThreadBinding(tag), extent, .. } if !tag.starts_with("vthread") => {
            all.push((tag.clone(), written_out(&lets, extent)));
        }
        _ => {}
    });
    let mut threads: Vec<(Arc<str>, Expr)> = Vec::new();
    let analyzer = analyzer_of(function);
    for (tag, extent) in all {
        let mut known = !reads(&extent);
        walk(&extent, |var: &Var| known &= params.contains(var));
        if !known {
            return Err(format!("the extent of `{tag}` is computed within the kernel, where a launch cannot know it"));
        }
        match threads.iter().find(|(known, _)| *known == tag) {
            Some((_, own)) if analyzer.prove_equal(own, &extent) => {}
            Some((_, own)) => {
                let number = |e: &Expr| e.as_int().map_or_else(|| "a symbolic extent".to_owned(), |n| n.to_string());
                let (own, other) = (number(own), number(&extent));
                return Err(format!(
                    "all loops that are bound to `{tag}` have the same extent, found {own} and {other}"
                ));
            }
            None => threads.push((tag, extent)),
        }
    }
    Ok(threads)
}

/// The call as it reaches a function of another target; `None` where nothing changes.
fn call(
    kernels: &Map<Arc<str>, Kernel>,
    own: Option<&str>,
    expr: &Expr,
    launched: &mut Map<Arc<str>, bool>,
) -> Result<Option<Expr>> {
    let ExprKind::Foreign { callee: ForeignCallee::Function(name), args } = &expr.kind else { return Ok(None) };
    let Some(kernel) = kernels.get(name) else { return Ok(None) };
    let (Some(own), Some(target)) = (own, kernel.target.as_deref()) else { return Ok(None) };
    if own == target {
        return Ok(None);
    }
    let same_device = kind_of(own) == kind_of(target) || (runs_on_the_host(own) && runs_on_the_host(target));
    if same_device {
        launched.entry(name.clone()).or_insert(false);
        let callee = ForeignCallee::Extern(kernel.symbol.clone());
        return Ok(Some(Expr::foreign(expr.dtype, callee, args.clone())));
    }
    if args.len() != kernel.params.len() {
        return refuse(format!("`{name}` has {} parameters, the launch gives {}", kernel.params.len(), args.len()));
    }
    launched.insert(name.clone(), true);
    let mut values = Substitute::default();
    for (param, arg) in kernel.params.iter().zip(args) {
        values.values.insert(param.id(), arg.clone());
    }
    let threads = match &kernel.threads {
        Ok(threads) => threads,
        Err(reason) => return refuse(format!("`{name}` cannot be launched: {reason}")),
    };
    let extents = threads.iter().map(|(_, extent)| values.apply(extent));
    let all = args.iter().cloned().chain(extents).collect();
    let callee = ForeignCallee::Packed(kernel.symbol.clone());
    Ok(Some(Expr::foreign(DataType::I32, callee, all)))
}

/// `InlinePrivateFunctions`: calls of functions that nobody outside of the module sees become their statements.
///
/// A function is inlined where it is called as a statement, has no buffers of its own among its parameters, gives no
/// result and does not call itself, also not through others. Functions that are called no longer leave the module.
pub(super) fn inline_private_functions(_: &Options, module: &IRModule) -> Result<IRModule> {
    let mut calls: Map<Arc<str>, Set<Arc<str>>> = Map::default();
    for (name, function) in module.iter() {
        let mut called = Set::default();
        if let GlobalFunc::Prim(function) = function {
            walk(&function.body, |expr: &Expr| {
                if let ExprKind::Foreign { callee: ForeignCallee::Function(name), .. } = &expr.kind {
                    called.insert(name.clone());
                }
            });
        }
        calls.insert(name.clone(), called);
    }
    let mut inlined: Map<Arc<str>, Arc<PrimFunc>> = Map::default();
    for (name, function) in module.iter() {
        if let GlobalFunc::Prim(function) = function
            && is_inlined(name, function, &calls)
        {
            inlined.insert(name.clone(), function.clone());
        }
    }
    if inlined.is_empty() {
        return Ok(module.clone());
    }
    let mut made = module.clone();
    for (name, function) in module.iter() {
        if let GlobalFunc::Prim(function) = function {
            let body = written_out(&inlined, &function.body)?;
            made.insert(name.clone(), GlobalFunc::Prim(Arc::new(with(function, body))));
        }
    }
    loop {
        let mut used: Set<Arc<str>> = Set::default();
        for (_, function) in made.iter() {
            if let GlobalFunc::Prim(function) = function {
                walk(&function.body, |expr: &Expr| {
                    if let ExprKind::Foreign { callee: ForeignCallee::Function(name), .. } = &expr.kind {
                        used.insert(name.clone());
                    }
                });
            }
        }
        let unused = inlined.keys().find(|name| !used.contains(*name) && made.get(name).is_some()).cloned();
        match unused {
            Some(name) => drop(made.remove(&name)),
            None => return Ok(made),
        }
    }
}

fn is_inlined(name: &Arc<str>, function: &PrimFunc, calls: &Map<Arc<str>, Set<Arc<str>>>) -> bool {
    let mut reached: Set<Arc<str>> = Set::default();
    let mut open: Vec<Arc<str>> = calls.get(name).into_iter().flatten().cloned().collect();
    while let Some(next) = open.pop() {
        if reached.insert(next.clone()) {
            open.extend(calls.get(&next).into_iter().flatten().cloned());
        }
    }
    let mut plain = true;
    walk(&function.body, |expr: &Expr| plain &= expr.builtin_args(Builtin::RET).is_none());
    // A block may stand once only.
    walk(&function.body, |stmt: &Stmt| plain &= !matches!(stmt.kind, StmtKind::Block { .. }));
    let called = calls.values().any(|called| called.contains(name));
    function.global_symbol().is_none()
        && called
        && plain
        && !reached.contains(name)
        && function.params.iter().all(|param| param.buffer.is_none())
}

fn written_out(inlined: &Map<Arc<str>, Arc<PrimFunc>>, stmt: &Stmt) -> Result<Stmt> {
    let StmtKind::Evaluate(value) = &stmt.kind else {
        return below(stmt, &mut |s| written_out(inlined, s));
    };
    let ExprKind::Foreign { callee: ForeignCallee::Function(name), args } = &value.kind else {
        return Ok(stmt.clone());
    };
    let Some(function) = inlined.get(name).filter(|function| function.params.len() == args.len()) else {
        return Ok(stmt.clone());
    };
    let mut own = Substitute::default();
    let mut lets = Vec::new();
    for (param, arg) in function.params.iter().zip(args) {
        match arg.as_var().or_else(|| start_of_memory(arg)) {
            Some(var) => {
                own.binders.insert(param.var.id(), var.clone());
                own.values.insert(param.var.id(), Expr::var(var));
            }
            None if arg.as_int().is_some() => drop(own.values.insert(param.var.id(), arg.clone())),
            None => {
                let var = param.var.renewed();
                own.values.insert(param.var.id(), Expr::var(&var));
                own.binders.insert(param.var.id(), var.clone());
                lets.push((var, arg.clone()));
            }
        }
    }
    let body = own.apply(&crate::substitute::Owners::of(function).copy_with(&function.body, []));
    let body = with_stack(|| written_out(inlined, &body))?;
    Ok(lets.into_iter().rev().fold(body, |body, (var, value)| StmtKind::Let { var, value, body }.into()))
}
