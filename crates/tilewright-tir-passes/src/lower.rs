//! Lowering: a named list of steps for each kind of machine. The lists share their steps.
//!
//! A step is declared once, with the name by which tests and `explain` know it; a list says which steps a kind of
//! machine takes, in order.

use tilewright_ir::Attr;
use tilewright_ir::low::LowTir;
use tilewright_ir::tir::{PrimFunc, attr_names};
use tilewright_support::Diagnostics;
use tilewright_target::Target;

use crate::{math, named};

/// A pass over one PrimFunc.
pub type PrimFuncPass = fn(&PrimFunc) -> Result<PrimFunc, Diagnostics>;

/// A step of the lowering.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// The same for every machine.
    Plain(PrimFuncPass),
    /// A pass that has less to do after another one, which knows a machine's own instructions.
    OnTarget(fn(&Target, &PrimFunc) -> PrimFunc, PrimFuncPass),
}

impl Step {
    /// What the step makes of a function on any machine.
    ///
    /// # Errors
    /// Those of [`lower`].
    pub fn run(self, function: &PrimFunc) -> Result<PrimFunc, Diagnostics> {
        match self {
            Self::Plain(pass) | Self::OnTarget(_, pass) => pass(function),
        }
    }

    /// The same with the instructions of a machine.
    ///
    /// # Errors
    /// Those of [`lower`].
    pub fn run_for(self, target: &Target, function: &PrimFunc) -> Result<PrimFunc, Diagnostics> {
        match self {
            Self::Plain(pass) => pass(function),
            Self::OnTarget(own, pass) => pass(&own(target, function)),
        }
    }
}

/// A step and its name.
pub type NamedStep = (&'static str, Step);

/// The steps for a kind of machine.
#[derive(Clone, Copy, Debug)]
pub struct Lowering {
    pub name: &'static str,
    pub steps: &'static [NamedStep],
}

const COLLECT_IMPORTS: NamedStep = ("collect_imports", Step::Plain(crate::collect_imports));
const STRUCTURE_RETURNS: NamedStep = ("structure_returns", Step::Plain(crate::structure_returns));
const LOWER_BUILTINS: NamedStep = ("lower_builtins", Step::Plain(crate::lower_builtins));
const LOWER_DEVICE_BUILTINS: NamedStep = ("lower_device_builtins", Step::Plain(crate::lower_device_builtins));
const COMPACT_PARAMETERS: NamedStep = ("compact_parameters", Step::Plain(crate::compact_parameters));
const LOWER_CROSS_THREAD_REDUCTION: NamedStep =
    ("lower_cross_thread_reduction", Step::Plain(named::lower_cross_thread_reduction));
const LOWER_INIT: NamedStep = ("lower_init", Step::Plain(crate::lower_init));
const LOWER_BLOCKS: NamedStep = ("lower_blocks", Step::Plain(crate::lower_blocks));
const FORM_KERNELS: NamedStep = ("form_kernels", Step::Plain(crate::form_kernels));
const ENTER_KERNELS: NamedStep = ("enter_kernels", Step::Plain(crate::enter_kernels));
const PLACE_KERNEL_MEMORY: NamedStep = ("place_kernel_memory", Step::Plain(crate::place_kernel_memory));
const PLAN_ALLOCATIONS: NamedStep = ("plan_allocations", Step::Plain(named::plan_allocations));
const CONVERT_BLOCKS_TO_OPAQUE: NamedStep = ("convert_blocks_to_opaque", Step::Plain(named::convert_blocks_to_opaque));
const LIFT_THREADS: NamedStep = ("lift_threads", Step::Plain(named::lift_threads));
const COMPACT_ALLOCATIONS: NamedStep = ("compact_allocations", Step::Plain(named::compact_allocations));
const INJECT_SOFTWARE_PIPELINE: NamedStep = ("inject_software_pipeline", Step::Plain(named::inject_software_pipeline));
const UNIFY_THREADS: NamedStep = ("unify_threads", Step::Plain(named::unify_threads));
const INJECT_VIRTUAL_THREADS: NamedStep = ("inject_virtual_threads", Step::Plain(named::inject_virtual_threads));
const SYNCHRONISE_THREADS: NamedStep = ("synchronise_threads", Step::Plain(named::synchronise_threads));
const LOWER_THREAD_ALLREDUCE: NamedStep = ("lower_thread_allreduce", Step::Plain(named::lower_thread_allreduce));
const JOIN_THREADS: NamedStep = ("join_threads", Step::Plain(crate::join_threads));
const SERIALISE_THREADS: NamedStep = ("serialise_threads", Step::Plain(crate::serialise_threads));
const NORMALIZE_PARALLEL: NamedStep = ("normalize_parallel", Step::Plain(crate::normalize_parallel));
const LEGALIZE_FOREIGN: NamedStep = ("legalize_foreign", Step::Plain(crate::legalize_foreign));
const WIDEN_INDICES: NamedStep = ("widen_indices", Step::Plain(crate::widen_indices));
const SIMPLIFY: NamedStep = ("simplify", Step::Plain(crate::simplify));
const SHORT_CIRCUIT: NamedStep = ("short_circuit", Step::Plain(crate::short_circuit));
const PLACE_ALLOCATIONS: NamedStep = ("place_allocations", Step::Plain(crate::place_allocations));
const GUARD_SELECTS: NamedStep = ("guard_selects", Step::Plain(crate::guard_selects));
const GUARD_INDICES: NamedStep = ("guard_indices", Step::Plain(crate::guard_indices));
const HOIST_GUARDS: NamedStep = ("hoist_guards", Step::Plain(crate::hoist_guards));
const PARTITION_LOOPS: NamedStep = ("partition_loops", Step::Plain(crate::partition_loops));
const REMOVE_NO_OP: NamedStep = ("remove_no_op", Step::Plain(crate::remove_no_op));
const FLATTEN_BUFFERS: NamedStep = ("flatten_buffers", Step::Plain(crate::flatten_buffers));
const FLATTEN_DEVICE_BUFFERS: NamedStep = ("flatten_device_buffers", Step::Plain(crate::flatten_device_buffers));
const VECTORIZE: NamedStep = ("vectorize", Step::Plain(crate::vectorize));
const UNROLL: NamedStep = ("unroll", Step::Plain(crate::unroll));
const TRUNCATE_DIVISIONS: NamedStep = ("truncate_divisions", Step::Plain(crate::truncate_divisions));
const LEGALIZE_FLOATS: NamedStep = ("legalize_floats", Step::Plain(crate::legalize_floats));
const EXPAND_MATH: NamedStep = ("expand_math", Step::OnTarget(math::expand_math_on, crate::expand_math));

/// From the block form to the flat form, for a processor: loops that run in parallel are tasks, vectors are its
/// registers.
pub const CPU: Lowering = Lowering {
    name: "cpu",
    steps: &[
        COLLECT_IMPORTS,
        STRUCTURE_RETURNS,
        LOWER_BUILTINS,
        COMPACT_PARAMETERS,
        LOWER_INIT,
        JOIN_THREADS,
        LOWER_BLOCKS,
        SERIALISE_THREADS,
        NORMALIZE_PARALLEL,
        LEGALIZE_FOREIGN,
        WIDEN_INDICES,
        SIMPLIFY,
        SHORT_CIRCUIT,
        PLACE_ALLOCATIONS,
        GUARD_SELECTS,
        GUARD_INDICES,
        HOIST_GUARDS,
        PARTITION_LOOPS,
        SIMPLIFY,
        REMOVE_NO_OP,
        FLATTEN_BUFFERS,
        SIMPLIFY,
        VECTORIZE,
        UNROLL,
        SIMPLIFY,
        TRUNCATE_DIVISIONS,
        EXPAND_MATH,
        LEGALIZE_FLOATS,
    ],
};

/// From the block form to the flat form, for a GPU: kernels are nests of loops that are bound to blocks and threads,
/// with barriers; what is around them is the host's.
pub const GPU: Lowering = Lowering {
    name: "gpu",
    steps: &[
        STRUCTURE_RETURNS,
        LOWER_DEVICE_BUILTINS,
        COMPACT_PARAMETERS,
        LOWER_CROSS_THREAD_REDUCTION,
        LOWER_INIT,
        PLAN_ALLOCATIONS,
        CONVERT_BLOCKS_TO_OPAQUE,
        LIFT_THREADS,
        UNIFY_THREADS,
        COMPACT_ALLOCATIONS,
        INJECT_SOFTWARE_PIPELINE,
        LOWER_BLOCKS,
        FORM_KERNELS,
        PLACE_KERNEL_MEMORY,
        INJECT_VIRTUAL_THREADS,
        SYNCHRONISE_THREADS,
        LOWER_THREAD_ALLREDUCE,
        LOWER_DEVICE_BUILTINS,
        ENTER_KERNELS,
        WIDEN_INDICES,
        SIMPLIFY,
        SHORT_CIRCUIT,
        PLACE_ALLOCATIONS,
        PLACE_KERNEL_MEMORY,
        GUARD_SELECTS,
        GUARD_INDICES,
        HOIST_GUARDS,
        PARTITION_LOOPS,
        SIMPLIFY,
        REMOVE_NO_OP,
        FLATTEN_DEVICE_BUFFERS,
        SIMPLIFY,
        VECTORIZE,
        UNROLL,
        SIMPLIFY,
        TRUNCATE_DIVISIONS,
        EXPAND_MATH,
        LEGALIZE_FLOATS,
        FORM_KERNELS,
    ],
};

impl Lowering {
    /// The function after all steps, on any machine of the kind.
    ///
    /// # Errors
    /// Those of [`lower`].
    pub fn steps(&self, function: &PrimFunc) -> Result<PrimFunc, Diagnostics> {
        self.steps.iter().try_fold(function.clone(), |current, (_, step)| step.run(&current))
    }

    /// The same with the target's own instructions for mathematical functions. The interpreter does not know these.
    ///
    /// # Errors
    /// Those of [`lower`].
    pub fn steps_for(&self, target: &Target, function: &PrimFunc) -> Result<PrimFunc, Diagnostics> {
        self.steps.iter().try_fold(function.clone(), |current, (_, step)| step.run_for(target, &current))
    }
}

/// The steps of [`CPU`].
pub fn lowering_passes() -> &'static [NamedStep] {
    CPU.steps
}

/// Lowers a PrimFunc for a processor. `symbol` is the kernel's name; the parameters become those of
/// [`KernelInterface`](tilewright_ir::interface::KernelInterface).
///
/// # Errors
/// What a CPU cannot run (`TW0561`), indices that are certainly outside of their buffer (`TW0562`), views that have no
/// flat form (`TW0563`).
pub fn lower(symbol: &str, function: &PrimFunc) -> Result<LowTir, Diagnostics> {
    LowTir::new(symbol, CPU.steps(function)?)
}

/// The same with the target's own instructions for mathematical functions.
///
/// # Errors
/// Those of [`lower`].
pub fn lower_for(target: &Target, symbol: &str, function: &PrimFunc) -> Result<LowTir, Diagnostics> {
    LowTir::new(symbol, CPU.steps_for(target, function)?)
}

/// Lowers a PrimFunc for a GPU: the flat form in which loops may be bound to blocks and threads, and temporaries are in
/// shared memory.
///
/// # Errors
/// Those of [`lower`], for a GPU.
pub fn lower_for_device(target: &Target, symbol: &str, function: &PrimFunc) -> Result<LowTir, Diagnostics> {
    let mut function = function.clone();
    // Reductions over threads depend on what warps are.
    function.attrs.insert(attr_names::TARGET.into(), Attr::str(target.to_string()));
    LowTir::of_device(symbol, GPU.steps_for(target, &function)?)
}
