//! The calls of a program's functions, and which of them read the results of which.

use serde_json::{Value as Json, json};
use tilewright_runtime::Executable;
use tilewright_support::Map;
use tilewright_vm_program::{Access, Function, Instruction, Program, Reg};

/// Where the value of a register is from.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Origin {
    Call(usize),
    Other(String),
}

/// A call of a kernel, of a function of the process, or of another function.
struct Call {
    name: String,
    text: String,
    source: String,
    from: Vec<usize>,
    others: Vec<String>,
    is_returned: bool,
}

/// All functions with their calls; `numbers` are those of the kernels in the page.
pub(super) fn functions(executable: &Executable, numbers: &Map<&str, usize>) -> Vec<Json> {
    let program = executable.program();
    let function = |function: &Function| {
        let calls: Vec<Json> = calls_of(program, function)
            .into_iter()
            .map(|call| {
                json!({
                    "kernel": numbers.get(call.name.as_str()).map_or(-1, |at| *at as i64),
                    "name": call.name,
                    "text": call.text,
                    "source": call.source,
                    "from": call.from,
                    "others": call.others,
                    "returned": call.is_returned,
                })
            })
            .collect();
        let params: Vec<String> = function
            .params
            .iter()
            .map(|param| format!("{}: {}", param.name, param.kind.display(&function.slots)))
            .collect();
        let result = function.result.display(&function.slots);
        json!({
            "name": function.name,
            "signature": format!("{}({}) -> {result}", function.name, params.join(", ")),
            "calls": calls,
        })
    };
    program.functions.iter().map(function).collect()
}

/// The numbers, in the page, of the calls of kernels and of functions of the process that a function makes.
pub(super) fn numbers_of_calls(executable: &Executable, name: &str) -> Option<Vec<usize>> {
    let program = executable.program();
    let mut before = 0;
    for function in &program.functions {
        let calls = function.instructions.iter().filter(|step| is_call(step));
        if function.name == name {
            let own = calls
                .enumerate()
                .filter(|(_, step)| matches!(step, Instruction::CallKernel { .. } | Instruction::CallPacked { .. }));
            return Some(own.map(|(at, _)| before + at).collect());
        }
        before += calls.count();
    }
    None
}

fn is_call(step: &Instruction) -> bool {
    matches!(
        step,
        Instruction::CallKernel { .. }
            | Instruction::CallPacked { .. }
            | Instruction::CallFunction { .. }
            | Instruction::CallClosure { .. }
    )
}

/// The calls in the order of the instructions. Branches are read one after the other.
fn calls_of(program: &Program, function: &Function) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut origins: Map<Reg, Vec<Origin>> = Map::default();
    for (at, param) in function.params.iter().enumerate() {
        origins.insert(Reg(at as u32), vec![Origin::Other(param.name.clone())]);
    }
    let of = |origins: &Map<Reg, Vec<Origin>>, reg: &Reg| origins.get(reg).cloned().unwrap_or_default();
    for (at, step) in function.instructions.iter().enumerate() {
        let (name, args, results) = match step {
            Instruction::CallKernel { kernel, tensors, .. } => {
                let Some(kernel) = program.kernels.get(*kernel as usize) else { continue };
                let written = tensors.iter().zip(&kernel.tensors).filter(|(_, access)| **access == Access::Write);
                let written: Vec<Reg> = written.map(|(reg, _)| *reg).collect();
                (program.kernel_name(kernel).to_owned(), tensors.clone(), written)
            }
            Instruction::CallPacked { dst, name, args } => {
                let name = program.packed_names.get(*name as usize).cloned().unwrap_or_default();
                // In destination-passing style, the last argument is the result.
                let result = dst.or(args.last().copied());
                (name, args.clone(), result.into_iter().collect())
            }
            Instruction::CallFunction { dst, function, args } => {
                let callee = program.functions.get(*function as usize);
                (callee.map_or_else(String::new, |callee| callee.name.clone()), args.clone(), vec![*dst])
            }
            Instruction::CallClosure { dst, args, .. } => ("a function value".to_owned(), args.clone(), vec![*dst]),
            _ => {
                follow(program, step, &mut origins, &mut calls);
                continue;
            }
        };
        let (mut from, mut others) = (Vec::new(), Vec::new());
        for (reg, origin) in args.iter().flat_map(|reg| of(&origins, reg).into_iter().map(move |origin| (reg, origin)))
        {
            match origin {
                Origin::Call(call) if results.contains(reg) && is_overwritten(&calls, call, &name) => {}
                Origin::Call(call) if !from.contains(&call) => from.push(call),
                Origin::Other(text) if !others.contains(&text) => others.push(text),
                Origin::Call(_) | Origin::Other(_) => {}
            }
        }
        let source = function.origin(at).and_then(|origin| {
            let file = program.files.get(origin.file as usize)?;
            Some(format!("{file}:{}", origin.line))
        });
        let number = calls.len();
        for reg in &results {
            origins.insert(*reg, vec![Origin::Call(number)]);
        }
        let text = shapes(function, at, &args);
        calls.push(Call { name, text, source: source.unwrap_or_default(), from, others, is_returned: false });
    }
    calls
}

/// Whether the tensor that a kernel writes, the result of an earlier call, is just memory that it gets. A program does
/// not say whether a kernel reads what it writes: those of the passes that do have it in their names, and a value that
/// nobody has read yet is not overwritten.
fn is_overwritten(calls: &[Call], earlier: usize, name: &str) -> bool {
    !name.contains("inplace") && calls.iter().any(|call| call.from.contains(&earlier))
}

/// Carries origins on over an instruction that is no call.
fn follow(program: &Program, step: &Instruction, origins: &mut Map<Reg, Vec<Origin>>, calls: &mut [Call]) {
    let of = |origins: &Map<Reg, Vec<Origin>>, reg: &Reg| origins.get(reg).cloned().unwrap_or_default();
    match step {
        Instruction::Move { dst, src } | Instruction::Copy { dst, src, .. } => {
            let moved = of(origins, src);
            origins.insert(*dst, moved);
        }
        Instruction::GetItem { dst, tuple, .. } => {
            let moved = of(origins, tuple);
            origins.insert(*dst, moved);
        }
        Instruction::MakeTuple { dst, items } => {
            let all = items.iter().flat_map(|item| of(origins, item)).collect();
            origins.insert(*dst, all);
        }
        Instruction::LoadConst { dst, constant, .. } => {
            let tensor = program.constants.get(*constant as usize);
            let kind = tensor.map_or_else(String::new, |tensor| format!(" {}{:?}", tensor.dtype(), tensor.shape()));
            origins.insert(*dst, vec![Origin::Other(format!("constant {constant}{kind}"))]);
        }
        Instruction::AllocTensor { dst, .. } | Instruction::Kill { reg: dst } => {
            origins.remove(dst);
        }
        Instruction::Ret { value } => {
            for origin in of(origins, value) {
                if let Origin::Call(call) = origin
                    && let Some(call) = calls.get_mut(call)
                {
                    call.is_returned = true;
                }
            }
        }
        _ => {}
    }
}

/// The shapes of the arguments that were allocated with known sizes, by the instructions before the call.
fn shapes(function: &Function, call: usize, args: &[Reg]) -> String {
    let mut texts = Vec::new();
    for reg in args {
        let before = function.instructions.get(..call).unwrap_or_default();
        let found = before.iter().rev().take(WINDOW).find_map(|step| match step {
            Instruction::AllocTensor { dst, dtype, shape, .. } if dst == reg => {
                let sizes: Vec<String> = shape
                    .iter()
                    .map(|dim| match dim {
                        tilewright_vm_program::Dim::Const(size) => size.to_string(),
                        tilewright_vm_program::Dim::Slot(slot) => {
                            function.slots.get(*slot as usize).cloned().unwrap_or_else(|| "?".to_owned())
                        }
                    })
                    .collect();
                Some(format!("{dtype}[{}]", sizes.join(", ")))
            }
            _ => None,
        });
        texts.extend(found);
    }
    texts.join(", ")
}

/// How many instructions before a call are looked at for the tensors that it is given.
const WINDOW: usize = 64;
