//! Functions as values.
//!
//! A function inside a function becomes a function of the program. What it mentions of its surroundings are its first
//! parameters: the symbolic dimensions as scalars that give slots their values, then the variables. Where it stands, a
//! closure is made of it and of their values. Where it mentions the variable that it is bound to, it makes the same
//! closure again.

use tilewright_expr as scalar;
use tilewright_expr::node::walk;
use tilewright_ir::relax::{Expr, ExprKind, Function, GlobalVar, StructInfo, Var};
use tilewright_support::Set;
use tilewright_vm_program::{DimPattern, Kind, Reg};

use super::{Emitter, Result, refuse};

/// What a function mentions of its surroundings, in the order of first mention.
struct Captured {
    dims: Vec<scalar::Var>,
    vars: Vec<Var>,
    itself: bool,
}

impl Emitter<'_, '_> {
    /// A function of the module as a value.
    pub(super) fn global(&mut self, global: &GlobalVar) -> Result<Reg> {
        if let Some(&index) = self.tables.functions.get(&global.name) {
            return Ok(self.code.make_closure(index, &[]));
        }
        if self.tables.kernels.contains_key(&global.name) {
            let index = self.tables.entry(&global.name);
            return Ok(self.code.make_closure(index, &[]));
        }
        refuse(format!("the module has no function `{}`", global.name))
    }

    /// A function inside this one as a value; `itself` is the variable that it is bound to.
    pub(super) fn closure(&mut self, function: &Function, itself: Option<&Var>) -> Result<Reg> {
        let captured = self.captured(function, itself);
        let mut regs = Vec::new();
        for dim in &captured.dims {
            let number = self.scope.dims[dim];
            regs.push(self.code.make_scalar(dim.dtype, number));
        }
        for var in &captured.vars {
            let reg = self.value(&Expr::var(var))?;
            regs.push(self.moved_as(reg, &var.struct_info)?);
        }
        let name = self.local_name(itself.map_or("closure", |var| &var.name));
        let index = self.tables.program.declare(&name);
        let mut inner = Emitter::new(self.tables, &name);
        inner.origin(&function.origins);
        let itself = itself.filter(|_| captured.itself);
        inner.local_function(function, &captured, itself, index)?;
        let code = inner.code;
        self.tables.program.define(index, code);
        Ok(self.code.make_closure(index, &regs))
    }

    fn captured(&self, function: &Function, itself: Option<&Var>) -> Captured {
        let mut captured = Captured { dims: Vec::new(), vars: Vec::new(), itself: false };
        let (mut seen_dims, mut seen_vars) = (Set::default(), Set::default());
        walk(function, |var: &scalar::Var| {
            if self.scope.dims.contains_key(var) && seen_dims.insert(var.clone()) {
                captured.dims.push(var.clone());
            }
        });
        walk(function, |var: &Var| {
            let known = self.scope.registers.contains_key(var) || self.scope.units.contains(var);
            if known && seen_vars.insert(var.clone()) {
                captured.vars.push(var.clone());
            }
            captured.itself |= itself == Some(var);
        });
        captured
    }

    /// A name for a function inside this one that no other function has.
    pub(super) fn local_name(&mut self, name: &str) -> String {
        let wish = format!("{}.{name}", self.code.name());
        let free = (0u32..).map(|n| if n == 0 { wish.clone() } else { format!("{wish}.{n}") });
        let name = free.into_iter().find(|name| !self.tables.names.contains(name)).unwrap_or(wish);
        self.tables.names.insert(name.clone());
        name
    }

    fn local_function(
        &mut self,
        function: &Function,
        captured: &Captured,
        itself: Option<&Var>,
        index: u32,
    ) -> Result<()> {
        let mut regs = Vec::new();
        for var in &captured.dims {
            let slot = self.code.slot(&var.name);
            let kind = Kind::Prim { dtype: var.dtype, value: DimPattern::Slot(slot) };
            regs.push(self.code.param(&var.name, kind));
            self.scope.dims.insert(var.clone(), tilewright_vm_program::Dim::Slot(slot));
        }
        for var in &captured.vars {
            let kind = self.kind(&var.struct_info, true)?;
            let reg = self.code.param(&var.name, kind);
            self.set_device_of(reg, &var.struct_info)?;
            self.scope.bind(var, reg);
            regs.push(reg);
        }
        self.declare(&function.params)?;
        if let Some(itself) = itself {
            let reg = self.code.make_closure(index, &regs);
            self.scope.bind(itself, reg);
        }
        self.body(function)
    }

    /// A call of a function of the module, of the process, or of a value.
    pub(super) fn call_value(
        &mut self,
        function: &Expr,
        args: &[Expr],
        results: &[StructInfo],
        info: &StructInfo,
    ) -> Result<Reg> {
        match &function.kind {
            ExprKind::GlobalVar(global) => {
                let kernels = self.tables.kernels;
                if let Some(entry) = kernels.get(&global.name)
                    && let Some(value) = self.call_kernel(&global.name, entry, args)?
                {
                    return Ok(value);
                }
                let Some(&index) = self.tables.functions.get(&global.name) else {
                    return refuse(format!("the module has no function `{}`", global.name));
                };
                let args = self.arguments_of(function, args)?;
                let reg = self.code.call_function(index, &args);
                self.set_device_of_result(reg, results)?;
                self.match_result(reg, results, &format!("the result of `{}`", global.name))?;
                Ok(reg)
            }
            ExprKind::ExternFunc(name) => self.call_packed(name, None, args, std::slice::from_ref(info)),
            _ => {
                let callee = self.value(function)?;
                let args = self.arguments_of(function, args)?;
                let reg = self.code.call_closure(callee, &args);
                self.set_device_of_result(reg, std::slice::from_ref(info))?;
                let name = function.as_var().map_or("a function value", |var| &*var.name);
                // Two functions of one type may differ in what their results are: nobody compared that.
                self.match_result(reg, std::slice::from_ref(info), &format!("the result of `{name}`"))?;
                Ok(reg)
            }
        }
    }
}
