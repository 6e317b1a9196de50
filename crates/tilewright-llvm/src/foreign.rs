//! The LLVM intrinsics that a program may call by name on a target, and the attribution of errors where LLVM refuses
//! one.
//!
//! LLVM checks names and types itself, and where the processor lacks the instruction, the job ends with an error
//! (`machine`). What it does not survive are intrinsics that are no operations: those of garbage collection,
//! exceptions, coroutines, debuggers and its own bookkeeping. They are left out by listing what is in.

use std::collections::BTreeSet;

use tilewright_expr::node::walk;
use tilewright_ir::tir::{Expr, ExprKind, ForeignCallee, PrimFunc};
use tilewright_target::{Arch, Target};

use crate::emit::{self, IntrinsicCall};
use crate::{CodegenError, OptLevel, Options, machine};

/// Intrinsics of every target, without their type suffixes.
const GENERIC: &[&str] = &[
    "abs",
    "bitreverse",
    "bswap",
    "canonicalize",
    "ceil",
    "copysign",
    "cos",
    "ctlz",
    "ctpop",
    "cttz",
    "exp",
    "exp10",
    "exp2",
    "fabs",
    "floor",
    "fma",
    "fmuladd",
    "fptosi.sat",
    "fptoui.sat",
    "fshl",
    "fshr",
    "ldexp",
    "llrint",
    "llround",
    "log",
    "log10",
    "log2",
    "lrint",
    "lround",
    "masked.compressstore",
    "masked.expandload",
    "masked.gather",
    "masked.load",
    "masked.scatter",
    "masked.store",
    "maximum",
    "maximumnum",
    "maxnum",
    "minimum",
    "minimumnum",
    "minnum",
    "nearbyint",
    "pow",
    "powi",
    "prefetch",
    "readcyclecounter",
    "rint",
    "round",
    "roundeven",
    "sadd.sat",
    "sin",
    "smax",
    "smin",
    "smul.fix",
    "sqrt",
    "sshl.sat",
    "ssub.sat",
    "tan",
    "tanh",
    "trunc",
    "uadd.sat",
    "umax",
    "umin",
    "umul.fix",
    "ushl.sat",
    "usub.sat",
    "vector.deinterleave2",
    "vector.extract",
    "vector.insert",
    "vector.interleave2",
    "vector.reduce.add",
    "vector.reduce.and",
    "vector.reduce.fadd",
    "vector.reduce.fmax",
    "vector.reduce.fmaximum",
    "vector.reduce.fmin",
    "vector.reduce.fminimum",
    "vector.reduce.fmul",
    "vector.reduce.mul",
    "vector.reduce.or",
    "vector.reduce.smax",
    "vector.reduce.smin",
    "vector.reduce.umax",
    "vector.reduce.umin",
    "vector.reduce.xor",
    "vector.reverse",
    "vector.splice",
];

/// Families of an architecture's intrinsics by their prefix after `llvm.x86.` or `llvm.aarch64.`, with the features
/// that they need; of prefixes of each other the longer one comes first.
const X86: &[(&str, &[&str])] = &[
    ("tdpbssd", &["amx-tile", "amx-int8"]),
    ("tdpbsud", &["amx-tile", "amx-int8"]),
    ("tdpbusd", &["amx-tile", "amx-int8"]),
    ("tdpbuud", &["amx-tile", "amx-int8"]),
    ("tdpbf16ps", &["amx-tile", "amx-bf16"]),
    ("ldtilecfg", &["amx-tile"]),
    ("tileloadd64", &["amx-tile"]),
    ("tilestored64", &["amx-tile"]),
    ("tilezero", &["amx-tile"]),
    ("tilerelease", &["amx-tile"]),
    ("avx512bf16.", &["avx512bf16"]),
    ("avx512fp16.", &["avx512fp16"]),
    ("avx512.vpdpbusd.", &["avx512vnni"]),
    ("avx512.vpdpbusds.", &["avx512vnni"]),
    ("avx512.vpdpwssd.", &["avx512vnni"]),
    ("avx512.vpdpwssds.", &["avx512vnni"]),
    ("avx512.", &["avx512f"]),
    ("avx2.", &["avx2"]),
    ("avx.", &["avx"]),
    ("fma.", &["fma"]),
    ("vfmadd", &["fma"]),
    ("vcvtps2ph.", &["f16c"]),
    ("sse42.", &["sse4.2"]),
    ("sse41.", &["sse4.1"]),
    ("ssse3.", &["ssse3"]),
    ("sse3.", &["sse3"]),
    ("sse2.", &["sse2"]),
    ("sse.", &["sse"]),
    ("bmi.", &["bmi", "bmi2"]),
];
const AARCH64: &[(&str, &[&str])] = &[
    ("neon.sdot", &["dotprod"]),
    ("neon.udot", &["dotprod"]),
    ("neon.bf", &["bf16"]),
    ("neon.smmla", &["i8mm"]),
    ("neon.ummla", &["i8mm"]),
    ("neon.usmmla", &["i8mm"]),
    ("neon.usdot", &["i8mm"]),
    ("neon.", &["neon"]),
];

/// What threads are, and arithmetic; what moves memory or waits is a builtin.
const NVVM: &[(&str, &[&str])] = &[
    ("read.ptx.sreg.", &[]),
    ("rsqrt.approx", &[]),
    ("ex2.approx", &[]),
    ("lg2.approx", &[]),
    ("sin.approx", &[]),
    ("cos.approx", &[]),
    ("mulhi", &[]),
    ("prmt", &[]),
];

/// The units of the processor that an intrinsic needs and that are no features of the target: matrix units, which
/// functions use on request.
pub(crate) fn units(name: &str, target: &Target) -> impl Iterator<Item = &'static str> {
    let family =
        name.strip_prefix("llvm.x86.").and_then(|word| X86.iter().find(|(family, _)| word.starts_with(family)));
    let needed = family.map_or(&[][..], |(_, needed)| needed);
    needed.iter().copied().filter(|unit| !target.has(unit) && target.has_unit(unit))
}

/// The same of all intrinsics that a function calls.
pub fn units_of(function: &PrimFunc, target: &Target) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    walk(&function.body, |e: &Expr| {
        if let ExprKind::Foreign { callee: ForeignCallee::Llvm(name), .. } = &e.kind {
            found.extend(units(name, target).map(str::to_owned));
        }
    });
    found
}

/// Whether a program may call the intrinsic on the target; else why not.
pub(crate) fn check(name: &str, target: &Target) -> Result<(), String> {
    let Some(word) = name.strip_prefix("llvm.").filter(|_| name.bytes().all(is_plain)) else {
        return Err(format!("`{name}` is not the name of an LLVM intrinsic, which begins with \"llvm.\""));
    };
    let (arch, families) = match target.arch {
        Arch::X86_64 => ("x86.", X86),
        Arch::AArch64 => ("aarch64.", AARCH64),
        Arch::Nvptx64 => ("nvvm.", NVVM),
    };
    if let Some(word) = word.strip_prefix(arch) {
        let family = families.iter().find(|(family, _)| word.starts_with(family));
        let Some((_, needed)) = family else {
            return Err(format!(
                "`{name}` is not one of the intrinsics for {arch_name} that may be called",
                arch_name = arch.trim_end_matches('.')
            ));
        };
        return match needed.iter().find(|feature| !target.has_unit(feature)) {
            Some(missing) => Err(format!("`{name}` needs the processor feature \"{missing}\", which {target} lacks")),
            None => Ok(()),
        };
    }
    if ["x86.", "aarch64.", "arm.", "nvvm.", "amdgcn.", "r600.", "riscv.", "ppc."].iter().any(|p| word.starts_with(p)) {
        return Err(format!("`{name}` is an intrinsic of another architecture than that of {target}"));
    }
    let known =
        |generic: &&&str| word.strip_prefix(**generic).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    match GENERIC.iter().find(known) {
        Some(_) => Ok(()),
        None => Err(format!("`{name}` is not an LLVM intrinsic that a kernel may call")),
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_')
}

/// The error that the user should see, if one of the intrinsics that they call is why LLVM refuses their module.
pub(crate) fn blame(calls: &[IntrinsicCall], target: &Target) -> Option<CodegenError> {
    let options = Options { level: OptLevel::None };
    calls.iter().find_map(|call| {
        let reason = match machine::run(emit::probe(call, target), target, &options, machine::Output::Object) {
            Err(CodegenError::Llvm(reason)) => reason,
            _ => return None,
        };
        let what = format!("LLVM does not take `{}` for ({}) -> {}: {reason}", call.name, call.operands, call.result);
        Some(CodegenError::Unsupported { symbol: call.symbol.clone(), what })
    })
}
