//! `RealizeVDevice`: hints to devices become the devices of values.
//!
//! ```text
//! def main(x: Tensor((2,)), y: Tensor((2,))):         def main(x: Tensor((2,), "llvm"), y: Tensor((2,), "llvm")):
//!     x0 = hint_on_device(x, llvm)              ⇒         z: Tensor((2,), "llvm") = add(x, y)
//!     z = add(x0, y)
//! ```
//!
//! From any form to any form. A value lies where a hint, its annotation or `to_vdevice` says; what it is computed from
//! and what is computed of it lie there too, up to a `to_vdevice`. A hint to the device on which a value lies anyway is
//! left out, one to another device becomes `to_vdevice`. Of two hints to one value the first holds.

use tilewright_expr::node::VarId;
use tilewright_ir::builder::{BlockBuilder, map_exprs, mutate_module, with_params};
use tilewright_ir::op::{InferCx, OpRef};
use tilewright_ir::pass::{Pass, PassCx, PassError, PassInfo};
use tilewright_ir::relax::{
    Binding, BindingValue, Callee, Expr, ExprKind, Function, SeqExpr, StructInfo, VDevice, Var,
};
use tilewright_ir::verify::Form;
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_ops::system::{hint_on_device, to_vdevice};
use tilewright_support::{Diagnostic, Map};

/// Places values on the devices that hints name.
#[derive(Clone, Debug)]
pub struct RealizeVDevice;

const NAME: &str = "RealizeVDevice";
const HINT: OpRef = OpRef(&hint_on_device::OP);
const COPY: OpRef = OpRef(&to_vdevice::OP);
const DEVICE: &str = "dst_vdevice";

impl Pass for RealizeVDevice {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, _: &mut PassCx<'_>, module: IRModule) -> Result<IRModule, PassError> {
        let failed = |error: String| PassError::new(NAME, Diagnostic::error("TW0731", error));
        let mut placed = module.clone();
        for (name, function) in module.iter() {
            let GlobalFunc::Relax(function) = function else { continue };
            let devices = devices_of(function);
            if devices.is_empty() {
                continue;
            }
            let params = function.params.iter().map(|param| match devices.get(&param.id()) {
                Some(device) => param.with_struct_info(on_device(&param.struct_info, device)),
                None => param.clone(),
            });
            let mut bb = BlockBuilder::with_module(placed.clone());
            let typed = with_params(&mut bb, function, params.collect(), &mut map_exprs(|_, expr| Ok(realized(expr)?)));
            placed.insert(name.clone(), typed.map_err(|error| failed(error.to_string()))?);
        }
        mutate_module(&placed, &mut map_exprs(|_, _| Ok(None))).map_err(|error| failed(error.to_string()))
    }
}

/// The operand and the device of a call of this operator.
fn moved(expr: &Expr, wanted: OpRef) -> Option<(&Expr, VDevice)> {
    match &expr.kind {
        ExprKind::Call { callee: Callee::Op(op), args, attrs, .. } if *op == wanted => {
            Some((args.first()?, VDevice::of_attr(attrs.get(DEVICE)?)?))
        }
        _ => None,
    }
}

/// A hint as the value itself where that lies on the device, else as a copy.
fn realized(expr: &Expr) -> Result<Option<Expr>, tilewright_ir::op::InferError> {
    let Some((value, device)) = moved(expr, HINT) else { return Ok(None) };
    if value.struct_info.vdevice() == Some(&device) {
        return Ok(Some(value.clone()));
    }
    let attrs = [(DEVICE.into(), device.to_attr())].into_iter().collect();
    Expr::call_op(&InferCx::default(), COPY, vec![value.clone()], attrs).map(Some)
}

fn on_device(info: &StructInfo, device: &VDevice) -> StructInfo {
    match info {
        StructInfo::Tensor { shape, dtype, .. } => {
            StructInfo::Tensor { shape: shape.clone(), dtype: *dtype, vdevice: Some(device.clone()) }
        }
        other => other.clone(),
    }
}

/// The device of each variable of which one is known.
fn devices_of(function: &Function) -> Map<VarId, VDevice> {
    let mut devices: Map<VarId, VDevice> = Map::default();
    let bindings = bindings_of(&function.body);
    let annotated = function.params.iter().chain(bindings.iter().map(|binding| &binding.var));
    for var in annotated {
        if let Some(device) = var.struct_info.vdevice() {
            devices.insert(var.id(), device.clone());
        }
    }
    for binding in &bindings {
        if let BindingValue::Expr(value) = &binding.value
            && let Some((operand, device)) = moved(value, HINT)
        {
            devices.insert(binding.var.id(), device.clone());
            if let Some(var) = tensor_var(operand) {
                devices.entry(var.id()).or_insert(device);
            }
        }
    }
    loop {
        let before = devices.len();
        bindings.iter().for_each(|binding| forward(binding, &mut devices));
        bindings.iter().rev().for_each(|binding| backward(binding, &mut devices));
        if devices.len() == before {
            return devices;
        }
    }
}

/// The bindings of a body and of its branches, in their order.
fn bindings_of(body: &SeqExpr) -> Vec<Binding> {
    let mut found = Vec::new();
    for binding in body.blocks.iter().flat_map(|block| &block.bindings) {
        if let BindingValue::Expr(value) = &binding.value
            && let ExprKind::If { then, otherwise, .. } = &value.kind
        {
            found.extend(bindings_of(then));
            found.extend(bindings_of(otherwise));
        }
        found.push(binding.clone());
    }
    found
}

fn tensor_var(expr: &Expr) -> Option<&Var> {
    match &expr.kind {
        ExprKind::Var(var) if matches!(var.struct_info, StructInfo::Tensor { .. }) => Some(var),
        _ => None,
    }
}

/// The tensors that lie where the binding's variable does.
fn together(binding: &Binding) -> Vec<&Var> {
    let BindingValue::Expr(value) = &binding.value else { return Vec::new() };
    match &value.kind {
        _ if moved(value, HINT).is_some() || moved(value, COPY).is_some() => Vec::new(),
        ExprKind::Var(_) => tensor_var(value).into_iter().collect(),
        ExprKind::Call { args, .. } => args.iter().filter_map(tensor_var).collect(),
        _ => Vec::new(),
    }
}

fn forward(binding: &Binding, devices: &mut Map<VarId, VDevice>) {
    let found = together(binding).into_iter().find_map(|var| devices.get(&var.id()).cloned());
    if let Some(device) = found {
        devices.entry(binding.var.id()).or_insert(device);
    }
}

fn backward(binding: &Binding, devices: &mut Map<VarId, VDevice>) {
    let Some(device) = devices.get(&binding.var.id()).cloned() else { return };
    for var in together(binding) {
        devices.entry(var.id()).or_insert_with(|| device.clone());
    }
}
