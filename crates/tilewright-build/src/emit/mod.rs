//! Relax functions in the machine-ready form → functions of the virtual machine.
//!
//! One pass over the bindings of a function: each variable gets a register, each symbolic dimension a slot, each call
//! an instruction. Reading order: here functions, bindings and values; then `number` (scalar expressions), `kind` (what
//! values have to be), `closure` (functions as values), `memory` (storage and allocation), `machine` (what else the
//! machine does itself), `device` (where values lie, and what is copied).

mod closure;
mod device;
mod kind;
mod machine;
mod memory;
mod number;
mod returned;

pub(crate) use number::{binary, comparison};

use std::sync::Arc;

use tilewright_expr as scalar;
use tilewright_ir::Attrs;
use tilewright_ir::calls::takes_context;
use tilewright_ir::op::{Legalize, MachineOp, Touches};
use tilewright_ir::relax::{
    Binding, BindingValue, Callee, Expr, ExprKind, Function, GlobalVar, SeqExpr, StructInfo, Var,
};
use tilewright_ir::tir::PrimFunc;
use tilewright_ops::shapes::dim_text;
use tilewright_support::{Diagnostic, Map, Origins, Set, with_stack};
use tilewright_vm_program::{DeviceIndex, DeviceKind, Dim, FunctionBuilder, Kind, Literal, ProgramBuilder, Reg};

use crate::kernels::KernelTable;
use device::Given;
use memory::Piece;

/// What the functions of a module refer to.
pub(crate) struct Tables<'a> {
    program: &'a mut ProgramBuilder,
    /// The kind of the program's first device.
    device: DeviceKind,
    /// The host's index in the list of devices: the first where the program is for it.
    host: DeviceIndex,
    kernels: &'a KernelTable,
    /// Relax functions by name.
    functions: Map<Arc<str>, u32>,
    /// Functions over PrimFuncs by the PrimFuncs' names.
    entries: Map<Arc<str>, u32>,
    /// Those of them that are not written yet.
    wanted: Vec<Arc<str>>,
    /// The names of all functions of the program.
    names: Set<String>,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(program: &'a mut ProgramBuilder, device: DeviceKind, kernels: &'a KernelTable) -> Self {
        let (functions, entries, names) = Default::default();
        let host = program.host();
        Self { program, device, host, kernels, functions, entries, wanted: Vec::new(), names }
    }

    /// Reserves an index for a Relax function of the module.
    pub(crate) fn declare(&mut self, name: &Arc<str>) {
        self.names.insert(name.to_string());
        let index = self.program.declare(name);
        self.functions.insert(name.clone(), index);
    }

    /// The function of the program that calls a PrimFunc on the caller's own tensors.
    pub(crate) fn entry(&mut self, name: &Arc<str>) -> u32 {
        if let Some(&index) = self.entries.get(name) {
            return index;
        }
        self.names.insert(name.to_string());
        let index = self.program.declare(name);
        self.entries.insert(name.clone(), index);
        self.wanted.push(name.clone());
        index
    }

    /// A PrimFunc whose function is referred to and not written yet.
    pub(crate) fn next_wanted(&mut self) -> Option<Arc<str>> {
        self.wanted.pop()
    }

    /// Writes a Relax function of the module.
    pub(crate) fn write(&mut self, name: &Arc<str>, function: &Function) -> Result<()> {
        let index = self.functions.get(name).copied().unwrap_or(u32::MAX);
        let mut emitter = Emitter::new(self, name);
        emitter.origin(&function.origins);
        emitter.declare(&function.params)?;
        emitter.body(function)?;
        let code = emitter.code;
        self.program.define(index, code);
        Ok(())
    }

    /// Writes the function that [`Tables::entry`] gives for a PrimFunc.
    pub(crate) fn write_entry(&mut self, name: &Arc<str>, function: &PrimFunc) -> Result<()> {
        let Some(entry) = self.kernels.get(name) else { return refuse(format!("function `{name}` has no kernel")) };
        let StructInfo::Func { params: Some(infos), .. } = function.signature() else {
            return refuse(format!("function `{name}` has no signature"));
        };
        let index = self.entry(name);
        let mut emitter = Emitter::new(self, name);
        emitter.origin(&function.origins);
        let params: Vec<Var> =
            function.params.iter().zip(infos).map(|(p, info)| Var::new(p.var.name.clone(), info)).collect();
        emitter.declare(&params)?;
        for (param, declared) in function.params.iter().zip(&params) {
            let var = &param.var;
            if param.buffer.is_none() && entry.in_shapes(var) && !emitter.scope.dims.contains_key(var) {
                let reg = emitter.scope.registers[declared];
                let dim = emitter.read_dim(var, reg);
                emitter.scope.dims.insert(var.clone(), dim);
            }
        }
        emitter.match_computed_dims(&params)?;
        let args: Vec<Expr> = params.iter().map(Expr::var).collect();
        match (emitter.call_kernel(name, entry, &args)?, entry.returned) {
            (Some(value), Some(returned)) => {
                emitter.code.result(if returned.maybe { Kind::Object } else { Kind::prim(returned.dtype) });
                emitter.code.ret(value);
            }
            _ => emitter.code.ret_none(),
        }
        let code = emitter.code;
        self.program.define(index, code);
        Ok(())
    }
}

pub(crate) type Result<T> = std::result::Result<T, Diagnostic>;

/// A construct that the machine cannot run, or a module that is not in the form that it promises.
pub(crate) fn refuse<T>(what: impl Into<String>) -> Result<T> {
    Err(Diagnostic::error("TW0601", what))
}

/// What is known at a point of a function. A branch begins with what stands before it, and what it adds ends with it.
#[derive(Clone, Default)]
struct Scope {
    registers: Map<Var, Reg>,
    /// How many variables are in a register.
    shares: Map<Reg, usize>,
    /// Variables whose value is the empty tuple: most of them are never read.
    units: Set<Var>,
    storages: Map<Var, Piece>,
    dims: Map<scalar::Var, Dim>,
}

impl Scope {
    fn bind(&mut self, var: &Var, reg: Reg) {
        self.registers.insert(var.clone(), reg);
        *self.shares.entry(reg).or_default() += 1;
    }
}

pub(crate) struct Emitter<'a, 'b> {
    tables: &'a mut Tables<'b>,
    pub(crate) code: FunctionBuilder,
    scope: Scope,
    /// The devices of registers whose tensors are not on the first one.
    devices: Map<Reg, DeviceIndex>,
    arena_bytes: u64,
}

impl<'a, 'b> Emitter<'a, 'b> {
    fn new(tables: &'a mut Tables<'b>, name: &str) -> Self {
        Self {
            tables,
            code: FunctionBuilder::new(name),
            scope: Scope::default(),
            devices: Map::default(),
            arena_bytes: 0,
        }
    }
}

impl Emitter<'_, '_> {
    /// Parameters. A dimension that is a bare variable gets its slot from the argument.
    fn declare(&mut self, params: &[Var]) -> Result<()> {
        for param in params {
            let kind = self.kind(&param.struct_info, true)?;
            let reg = self.code.param(&param.name, kind);
            self.set_device_of(reg, &param.struct_info)?;
            self.scope.bind(param, reg);
        }
        Ok(())
    }

    /// The registers after the parameters.
    fn body(&mut self, function: &Function) -> Result<()> {
        self.match_computed_dims(&function.params)?;
        self.blocks(&function.body)?;
        let result = self.value(&function.body.result)?;
        let result = self.moved_as(result, &function.ret)?;
        // Sizes in the result's kind are computed before the function ends.
        let kind = self.kind(&function.ret, false)?;
        self.code.result(kind);
        self.code.ret(result);
        self.code.arena_bytes(self.arena_bytes);
        Ok(())
    }

    /// What follows came from there.
    fn origin(&mut self, origins: &Origins) {
        if let Some(span) = origins.first() {
            let file = self.tables.program.file(&span.file.name);
            self.code.origin(file, u32::try_from(span.line_column().0).unwrap_or(u32::MAX));
        }
    }

    fn blocks(&mut self, seq: &SeqExpr) -> Result<()> {
        for binding in seq.blocks.iter().flat_map(|block| &block.bindings) {
            self.origin(&binding.origins);
            self.binding(binding).map_err(|error| locate(error, &binding.origins))?;
        }
        Ok(())
    }

    fn binding(&mut self, binding: &Binding) -> Result<()> {
        let var = &binding.var;
        match &binding.value {
            BindingValue::MatchCast { value, struct_info } => {
                let reg = self.value(value)?;
                let reg = self.moved_as(reg, struct_info)?;
                self.match_info(reg, struct_info, &matched_label(var, value, struct_info))?;
                self.scope.bind(var, reg);
            }
            BindingValue::Expr(value) => {
                if let Some(piece) = self.storage(value)? {
                    self.scope.storages.insert(var.clone(), piece);
                } else if self.effect(value)? {
                    self.scope.units.insert(var.clone());
                } else {
                    let reg = match &value.kind {
                        ExprKind::Function(function) => self.closure(function, Some(var))?,
                        _ => self.value(value)?,
                    };
                    self.scope.bind(var, reg);
                }
            }
        }
        Ok(())
    }

    /// Emits the expression if it is there for its effect: a call of a kernel, or the end of a value's life. Its value
    /// is the empty tuple.
    fn effect(&mut self, value: &Expr) -> Result<bool> {
        match &value.kind {
            ExprKind::Var(var) => Ok(self.scope.units.contains(var)),
            ExprKind::Call { callee: Callee::Value(function), args, .. } => {
                let ExprKind::GlobalVar(GlobalVar { name, .. }) = &function.kind else { return Ok(false) };
                let kernels = self.tables.kernels;
                let Some(entry) = kernels.get(name) else { return Ok(false) };
                if entry.returned.is_some() {
                    return Ok(false);
                }
                self.call_kernel(name, entry, args)?;
                Ok(true)
            }
            ExprKind::Call { callee: Callee::Op(op), args, .. } => match op.legalize {
                Legalize::Machine(MachineOp::Kill) => {
                    self.kill(args.first());
                    Ok(true)
                }
                Legalize::Machine(MachineOp::CallPrimFunc) => self.call_prim_func(args).map(|()| true),
                _ => Ok(false),
            },
            _ => Ok(false),
        }
    }

    /// Emits what computes the value and gives its register.
    pub(crate) fn value(&mut self, expr: &Expr) -> Result<Reg> {
        with_stack(|| {
            if self.effect(expr)? {
                return Ok(self.code.make_tuple(&[]));
            }
            match &expr.kind {
                ExprKind::Var(var) => match self.scope.registers.get(var) {
                    Some(reg) => Ok(*reg),
                    None => refuse(format!("variable `{}` has no value here", var.name)),
                },
                ExprKind::Constant(constant) => match self.tables.program.constant(&constant.0) {
                    Ok(index) => {
                        let reg = self.code.load_const(index);
                        self.moved_as(reg, &expr.struct_info)
                    }
                    Err(error) => refuse(format!("a constant cannot be stored: {error}")),
                },
                ExprKind::Tuple(fields) => {
                    let regs = self.values(fields)?;
                    Ok(self.code.make_tuple(&regs))
                }
                ExprKind::TupleGet { tuple, index } => {
                    let reg = self.value(tuple)?;
                    Ok(self.code.get_item(reg, *index as u32))
                }
                ExprKind::Shape(dims) => {
                    let dims = self.shape(dims)?;
                    Ok(self.code.make_shape(&dims))
                }
                ExprKind::Prim(value) => self.prim(value),
                ExprKind::Str(text) => Ok(self.code.load_literal(Literal::Str(text.to_string()))),
                ExprKind::DType(dtype) => Ok(self.code.load_literal(Literal::DataType(*dtype))),
                ExprKind::Call { callee, args, attrs, sinfo_args } => self.call(expr, callee, args, attrs, sinfo_args),
                ExprKind::If { condition, then, otherwise } => self.conditional(condition, then, otherwise),
                ExprKind::GlobalVar(global) => self.global(global),
                ExprKind::ExternFunc(name) => {
                    let name = self.tables.program.packed(name);
                    Ok(self.code.load_packed(name))
                }
                ExprKind::Function(function) => self.closure(function, None),
            }
        })
    }

    fn values(&mut self, exprs: &[Expr]) -> Result<Vec<Reg>> {
        exprs.iter().map(|expr| self.value(expr)).collect()
    }

    fn conditional(&mut self, condition: &Expr, then: &SeqExpr, otherwise: &SeqExpr) -> Result<Reg> {
        let condition = self.condition(condition)?;
        let dst = self.code.register();
        let to_else = self.code.branch(condition);
        // Bindings of a branch are unknown after it.
        let before = self.scope.clone();
        self.branch(then, dst)?;
        let to_end = self.code.goto();
        self.code.land(to_else);
        self.scope.clone_from(&before);
        self.branch(otherwise, dst)?;
        self.code.land(to_end);
        self.scope = before;
        Ok(dst)
    }

    fn branch(&mut self, seq: &SeqExpr, dst: Reg) -> Result<()> {
        self.blocks(seq)?;
        let value = self.value(&seq.result)?;
        let value = self.moved_to(value, DeviceIndex::FIRST);
        self.code.move_to(dst, value);
        Ok(())
    }

    fn call(
        &mut self,
        expr: &Expr,
        callee: &Callee,
        args: &[Expr],
        attrs: &Attrs,
        results: &[StructInfo],
    ) -> Result<Reg> {
        match callee {
            Callee::Op(op) => match op.legalize {
                Legalize::Machine(MachineOp::Same) => self.same(*op, args, attrs, &expr.struct_info),
                Legalize::Machine(MachineOp::Closure) => self.partial(args),
                Legalize::Machine(MachineOp::Builtin(builtin)) => {
                    self.builtin(builtin, *op, args, attrs, &expr.struct_info)
                }
                Legalize::Machine(machine_op) => self.machine_op(machine_op, args, attrs, &expr.struct_info),
                Legalize::PrimFunc(_) | Legalize::FirstOf(_) => {
                    refuse(format!("operator `{}` has not been legalised", op.name))
                }
            },
            Callee::Tir(global) => refuse(format!("the results of `{}` have not been allocated", global.name)),
            Callee::TirInplace { function, .. } => {
                refuse(format!("the call of `{}` in place has not been made explicit", function.name))
            }
            Callee::DpsPacked(name) => refuse(format!("the results of `{name}` have not been allocated")),
            Callee::Packed(name) => {
                let context = takes_context(attrs).then(|| self.context());
                self.call_packed(name, context, args, results)
            }
            Callee::Value(function) => self.call_value(function, args, results, &expr.struct_info),
        }
    }

    /// Calls a function of the process, `context` before its arguments.
    fn call_packed(&mut self, name: &str, context: Option<Reg>, args: &[Expr], results: &[StructInfo]) -> Result<Reg> {
        let index = self.tables.program.packed(name);
        let context = context.into_iter().map(Given::plain);
        let args: Vec<Given> = context.chain(self.given(args)?).collect();
        let reg = self.call_on_host(index, &args, Touches::Writes);
        let reg = self.result_to_device(reg, results)?;
        self.match_result(reg, results, &format!("the result of packed function \"{name}\""))?;
        Ok(reg)
    }
}

fn locate(error: Diagnostic, origins: &Origins) -> Diagnostic {
    match (&error.span, origins.first()) {
        (None, Some(span)) => error.at(span.clone()),
        _ => error,
    }
}

/// What a match is called in errors. Of sizes that are written out it says which have to be which.
fn matched_label(var: &Var, value: &Expr, info: &StructInfo) -> String {
    let text = |dims: &[scalar::Expr]| dims.iter().map(dim_text).collect::<Vec<_>>().join(", ");
    match (&value.kind, info.dims()) {
        (ExprKind::Shape(found), Some(wanted)) => {
            format!("\"{}\" ({} must be {})", var.name, text(found), text(wanted))
        }
        _ => format!("\"{}\"", var.name),
    }
}
