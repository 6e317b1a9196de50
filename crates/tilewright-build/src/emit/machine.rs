//! Operators that the machine does itself, but for those of memory.

use tilewright_ir::op::{Builtin, OpRef};
use tilewright_ir::relax::{Expr, ExprKind, StructInfo, VDevice};
use tilewright_ir::{Attr, Attrs};
use tilewright_vm_program::{FunctionBuilder, Literal, Reg};

use super::device::Given;
use super::{Emitter, Result, refuse};

impl Emitter<'_, '_> {
    /// The value itself, on the device that an attribute names.
    pub(super) fn same(&mut self, op: OpRef, args: &[Expr], attrs: &Attrs, info: &StructInfo) -> Result<Reg> {
        if let Some(device) = attrs.values().find_map(VDevice::of_attr)
            && self.tables.index_of(&device).is_none()
        {
            return refuse(format!(
                "`{}` names {device}, and the program is compiled for {}",
                op.name,
                self.tables.devices()
            ));
        }
        let [value] = args else { return refuse(format!("`{}` takes one argument", op.name)) };
        let reg = self.value(value)?;
        match attrs.values().any(|attr| VDevice::of_attr(attr).is_some()) {
            true => self.moved_as(reg, info),
            false => Ok(reg),
        }
    }

    /// A function of every runtime: it gets attributes, then arguments.
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        op: OpRef,
        args: &[Expr],
        attrs: &Attrs,
        info: &StructInfo,
    ) -> Result<Reg> {
        let mut regs = Vec::new();
        for def in op.attrs {
            let literal = match attrs.get(def.name) {
                Some(Attr::Int(value)) => Literal::Int(*value),
                Some(Attr::Bool(value)) => Literal::Bool(*value),
                Some(Attr::Str(text)) => Literal::Str(text.to_string()),
                Some(Attr::DType(dtype)) => Literal::DataType(*dtype),
                Some(Attr::None) => Literal::None,
                other => return refuse(format!("attribute `{}` of `{}` is {other:?}", def.name, op.name)),
            };
            regs.push(Given::plain(self.code.load_literal(literal)));
        }
        regs.extend(self.given(args)?);
        let name = self.tables.program.packed(builtin.name());
        let reg = self.call_on_host(name, &regs, builtin.touches());
        let reg = self.result_to_device(reg, std::slice::from_ref(info))?;
        // The process may have registered another function in its place.
        self.match_info(reg, info, &format!("the result of `{}`", op.name))?;
        Ok(reg)
    }

    /// What stands for the machine that runs the program.
    pub(super) fn context(&mut self) -> Reg {
        let name = self.tables.program.packed(Builtin::Context.name());
        self.code.call_packed(name, &[])
    }

    /// A function with its last arguments given: a function of its own gets them first, and hands them on last.
    pub(super) fn partial(&mut self, args: &[Expr]) -> Result<Reg> {
        let [function, given] = args else { return refuse("`make_closure` takes a function and a tuple") };
        let StructInfo::Tuple(fields) = &given.struct_info else {
            return refuse("the arguments of a closure are a tuple");
        };
        let StructInfo::Func { params: Some(params), .. } = &function.struct_info else {
            return refuse("a closure is made of a function whose parameters are known");
        };
        let Some(open) = params.len().checked_sub(fields.len()) else {
            return refuse("more arguments are given than the function takes");
        };
        let callee = self.value(function)?;
        let tuple = self.value(given)?;
        let mut captured = vec![callee];
        captured.extend((0..fields.len()).map(|index| self.code.get_item(tuple, index as u32)));

        let name = self.local_name("closure");
        let index = self.tables.program.declare(&name);
        let mut code = FunctionBuilder::new(&name);
        let mut param = |label: &str| code.param(label, tilewright_vm_program::Kind::Object);
        let callee = param("function");
        let last: Vec<Reg> = fields.iter().map(|_| param("given")).collect();
        let first: Vec<Reg> = (0..open).map(|_| param("argument")).collect();
        let all: Vec<Reg> = first.into_iter().chain(last).collect();
        let result = code.call_closure(callee, &all);
        code.ret(result);
        self.tables.program.define(index, code);
        Ok(self.code.make_closure(index, &captured))
    }

    /// A PrimFunc on the fields of a tuple, the dimensions of a shape that ends it as scalars.
    pub(super) fn call_prim_func(&mut self, args: &[Expr]) -> Result<()> {
        let [function, given] = args else { return refuse("`vm.call_tir_dyn` takes a PrimFunc and a tuple") };
        let ExprKind::GlobalVar(global) = &function.kind else {
            return refuse("`vm.call_tir_dyn` calls a PrimFunc of the module");
        };
        let kernels = self.tables.kernels;
        let Some(entry) = kernels.get(&global.name) else {
            return refuse(format!("the module has no PrimFunc `{}`", global.name));
        };
        let mut fields = match &given.kind {
            ExprKind::Tuple(fields) => fields.clone(),
            _ => return refuse("the arguments of `vm.call_tir_dyn` are a tuple that is written out"),
        };
        if let Some(StructInfo::Shape(_)) = fields.last().map(|last| &last.struct_info) {
            let dims = fields.pop().and_then(|shape| shape.struct_info.dims().map(<[_]>::to_vec));
            let Some(dims) = dims else { return refuse("the dimensions of a shape that is an argument must be known") };
            fields.extend(dims.into_iter().map(Expr::prim));
        }
        self.call_kernel(&global.name, entry, &fields)?;
        Ok(())
    }
}
