//! Lowering: a named list of steps for each kind of machine. The lists share their steps.
//!
//! A step is declared once, with the name by which tests and `explain` know it; a list says which steps a kind of
//! machine takes, in order.

use tilewright_ir::low::LowTir;
use tilewright_ir::tir::PrimFunc;
use tilewright_support::Diagnostics;
use tilewright_target::Target;

use crate::math;

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
const COMPACT_PARAMETERS: NamedStep = ("compact_parameters", Step::Plain(crate::compact_parameters));
const LOWER_INIT: NamedStep = ("lower_init", Step::Plain(crate::lower_init));
const LOWER_BLOCKS: NamedStep = ("lower_blocks", Step::Plain(crate::lower_blocks));
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
        LOWER_BLOCKS,
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

/// From the block form to loops that are bound to blocks and threads of a GPU, with barriers, and with a kernel's
/// allocations in the scopes that they have. It ends where the split into a function of the host, which computes the
/// launch, and one of the device has to stand: that comes with the first backend that has launches. `lower_builtins` is
/// a step of processors, on which a task is one thread and waits for nobody: it drops barriers.
pub const GPU: Lowering = Lowering {
    name: "gpu",
    steps: &[COMPACT_PARAMETERS, LOWER_INIT, LOWER_BLOCKS, WIDEN_INDICES, SIMPLIFY, SHORT_CIRCUIT, REMOVE_NO_OP],
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
