//! `DefaultGPUSchedule`: every PrimFunc runs on the threads of a GPU.
//!
//! The statements of a root block run one after the other, each as a kernel of its own. In each that is a nest around
//! one block, the loops that drive spatial axes are brought to the front, fused, split and bound: as many threads in a
//! block as the target has at most, as many blocks as are needed. Where more than [`MOST_BLOCKS`] blocks were needed,
//! and the number of iterations is a constant, each thread does several of them in a loop inside. Loops of reductions
//! stay inside. What is no such nest, or whose iterations may depend on each other, runs on one thread.
//!
//! Functions that have loops over threads, that say that they are scheduled (`tir.is_scheduled`), or that have no root
//! block (they are lowered already) stay as they are.

use std::sync::Arc;

use tilewright_ir::op::AttrDefault;
use tilewright_ir::pass::{ParamDef, ParamKind, Pass, PassCx, PassDef, PassError, PassInfo};
use tilewright_ir::tir::{Expr, PrimFunc, StmtKind};
use tilewright_ir::verify::Form;
use tilewright_ir::{Attr, GlobalFunc, IRModule};
use tilewright_support::Diagnostic;
use tilewright_target::{DeviceLimits, Target};

use crate::analysis::dependence::{has_threads, is_global};
use crate::build::unique::with_unique_keys;
use crate::kernels::gpu::map::{nested, spread_by};
use crate::kernels::gpu::statement::on_one_thread;
use crate::primitive::{Fault, bind_independent, fuse, site_of, split};
use crate::site::{Key, follow, loop_of};

const NAME: &str = "DefaultGPUSchedule";
/// Threads of more blocks than this do several iterations each.
pub const MOST_BLOCKS: i64 = 256;
/// The attribute of functions whose loops are as they should be.
pub const IS_SCHEDULED: &str = "tir.is_scheduled";

/// Binds every PrimFunc that has no schedule to blocks and threads.
#[derive(Clone, Debug)]
pub struct DefaultGPUSchedule {
    /// Threads of a block; none are those of the context's device, or else of any.
    threads: Option<i64>,
}

impl DefaultGPUSchedule {
    pub(crate) const DEF: PassDef = PassDef {
        name: NAME,
        doc: "Binds every PrimFunc that has no schedule to blocks and threads of a GPU.",
        params: &[ParamDef {
            name: "target",
            kind: ParamKind::OptionalStr,
            default: AttrDefault::None,
            doc: "The target that says how many threads a block may have; by default the context's device, or any.",
        }],
        make: |args| {
            let target = args.text("target").map(Target::parse).transpose().map_err(|error| error.to_string())?;
            Ok(Arc::new(target.map_or(Ok(Self { threads: None }), |target| Self::new(&target))?))
        },
    };

    /// For the threads of a target; the error says that it has none.
    pub fn new(target: &Target) -> Result<Self, String> {
        match threads_of(target) {
            None => Err(format!("{NAME} needs a target with threads, such as \"cuda\", found \"{target}\"")),
            threads => Ok(Self { threads }),
        }
    }
}

/// Threads that a block of the target's device may have.
fn threads_of(target: &Target) -> Option<i64> {
    target.device.as_ref()?.limits.map(|limits| i64::from(limits.max_threads_per_block))
}

impl Pass for DefaultGPUSchedule {
    fn info(&self) -> PassInfo {
        PassInfo { name: NAME, opt_level: 0, from: Form::Any, to: Form::Any }
    }

    fn run(&self, cx: &mut PassCx<'_>, mut module: IRModule) -> Result<IRModule, PassError> {
        let of_context = || cx.target.as_ref().and_then(threads_of);
        let threads = self.threads.or_else(of_context).unwrap_or(i64::from(DeviceLimits::CUDA.max_threads_per_block));
        let functions: Vec<(Arc<str>, Arc<PrimFunc>)> = module
            .iter()
            .filter_map(|(name, function)| match function {
                GlobalFunc::Prim(function) => Some((name.clone(), function.clone())),
                GlobalFunc::Relax(_) => None,
            })
            .collect();
        for (name, function) in functions {
            let scheduled = schedule(&function, threads).map_err(|fault| {
                PassError::new(NAME, Diagnostic::error("", format!("function `{name}`: {}", fault.message)))
            })?;
            if let Some(scheduled) = scheduled {
                module.insert(name, scheduled);
            }
        }
        Ok(module)
    }
}

/// The function with threads; `None` where it stays as it is.
fn schedule(function: &PrimFunc, threads: i64) -> Result<Option<PrimFunc>, Fault> {
    let scheduled = function.attrs.get(IS_SCHEDULED).is_some_and(Attr::is_true);
    let Some(root) = function.root_block().filter(|_| !scheduled && !has_threads(&function.body)) else {
        return Ok(None);
    };
    let mut current = with_unique_keys(function);
    let apart = root.alloc_buffers.iter().all(is_global) && root.init.is_none() && root.match_buffers.is_empty();
    let count = match &root.body.kind {
        StmtKind::Seq(stmts) if apart => stmts.len(),
        _ => 1,
    };
    for at in 0..count {
        let way: &[usize] = if count == 1 && !is_seq(&current) { &[0] } else { &[0, at] };
        let way = if apart { way } else { &[0] };
        let Some(site) = follow(&current.body, way) else { continue };
        let spread = |site| spread_by(&current, site, |function, loops, _| bound(function, loops, threads)).ok();
        let parallel = if apart { spread(&site) } else { None };
        current = match parallel {
            Some(function) => function,
            None => PrimFunc { body: site.replaced(on_one_thread(&site.stmt)), ..current },
        };
    }
    current.attrs.insert(IS_SCHEDULED.into(), Attr::Bool(true));
    Ok(Some(current))
}

fn is_seq(function: &PrimFunc) -> bool {
    function.root_block().is_some_and(|root| matches!(root.body.kind, StmtKind::Seq(_)))
}

/// The function with these loops, one directly inside the other, fused, split and bound.
fn bound(function: &PrimFunc, loops: &[Key], threads: i64) -> Result<PrimFunc, Fault> {
    let (function, fused) = fuse(function, loops)?;
    let site = site_of(&function, &fused)?;
    let extent = loop_of(&site.stmt).and_then(|l| l.extent.as_int());
    let size = |size: i64| Some(Expr::i64(size));
    let huge = extent.is_some_and(|extent| extent > MOST_BLOCKS.saturating_mul(threads));
    let factors = match extent {
        _ if huge => vec![None, size(MOST_BLOCKS), size(threads)],
        Some(extent) => vec![None, size(extent.clamp(1, threads))],
        None => vec![None, size(threads)],
    };
    // Independent are the loops as they were, and so are the parts of what they are fused to.
    let (function, parts) = split(&function, &fused, &factors)?;
    match parts.as_slice() {
        [blocks, lanes] => bind_independent(&bind_independent(&function, blocks, "blockIdx.x")?, lanes, "threadIdx.x"),
        [several, blocks, lanes] => {
            let function = nested(&function, &[blocks.clone(), lanes.clone(), several.clone()])?;
            bind_independent(&bind_independent(&function, blocks, "blockIdx.x")?, lanes, "threadIdx.x")
        }
        _ => Err(Fault::of_call("expected two or three loops")),
    }
}
