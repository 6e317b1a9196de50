//! A pass on a random module.

use tilewright::ir::node::walk;
use tilewright::ir::pass::{Pass, PassCx};
use tilewright::ir::relax::Expr;
use tilewright::ir::verify::Form;
use tilewright::{DataType, IRModule, Target, pipelines};
use tilewright_interp::InterpCx;

use super::Sampled;
use crate::faults::Fault;

/// Floats may differ by so much of the largest: some passes add in another order.
const TOLERANCE: f64 = 1e-5;

/// Runs the pass, verifies the result, and compares its meaning with that of the module. A fault may be planted
/// after the pass.
pub fn keeps_meaning(pass: &dyn Pass, sampled: &Sampled, fault: Option<&Fault>) -> Result<(), String> {
    let changed = prepared(pass, &sampled.module).and_then(|module| run(pass, module))?;
    let changed = fault.map_or_else(|| changed.clone(), |fault| (fault.corrupt)(&changed));
    tilewright::ir::verify::verify(&changed, pass.info().to).map_err(|found| found.to_string())?;
    let compared = match sampled.is_meant_by(&changed, TOLERANCE) {
        Err(_) if rounds(&changed) && !rounds(&sampled.module) => sampled.is_rounded_by(&changed, TOLERANCE),
        compared => compared,
    };
    compared.map_err(|why| {
        let [before, after] = [&sampled.module, &changed].map(tilewright::print_module);
        format!("{why}\n{before}\n{after}")
    })
}

/// Whether something is computed in float16.
fn rounds(module: &IRModule) -> bool {
    let mut found = false;
    walk(module, |expr: &Expr| found |= expr.struct_info.dtype() == Some(DataType::F16));
    found
}

fn run(pass: &dyn Pass, module: IRModule) -> Result<IRModule, String> {
    let interpreter = InterpCx::new(5);
    let mut cx = PassCx { evaluator: Some(&interpreter), ..PassCx::default() };
    cx.run(pass, module).map_err(|error| error.to_string())
}

/// The module in a form that the pass takes: the build's passes before the pass, or before its first input form.
fn prepared(pass: &dyn Pass, module: &IRModule) -> Result<IRModule, String> {
    let build = pipelines::default_build(&Target::host()).passes;
    let info = pass.info();
    let position = |wanted: &str| build.iter().position(|step| step.info().name == wanted);
    let before = match position(info.name) {
        _ if info.from == Form::Any => Some(0),
        Some(position) => Some(position),
        None => build.iter().position(|step| step.info().from as u8 >= info.from as u8),
    };
    let before = &build[..before.unwrap_or(build.len())];
    before.iter().try_fold(module.clone(), |module, step| run(step.as_ref(), module))
}
