//! Why something cannot be shown by a test.
//!
//! A reason is given for a cell of the table, and the trial fails if a test shows the thing there after all: a
//! reason that no longer holds does not stay.

use tilewright::expr::{Builtin, BuiltinEffect};

use super::{Column, Thing, forms};

const OTHER_NAME: &str = "another name: printed by the first name of the node, or as an operator of Python";
const EXPANDED: &str = "has no node of its own: printed in its expanded form";
const COMPILED_ALONE: &str = "a function of the process or of LLVM: only compiled code can call it";
const OTHER_THREADS: &str = "another way to write `T.thread_binding`, which is compiled";
const OF_TARGETS: &str = "what it does only the target says that has it, and no processor has it";
const ONE_DEVICE: &str = "the machine of the tests has one device, whose number is the default";
const WRITTEN_OUT: &str =
    "calls between PrimFuncs are written out where machine code is made: a PrimFunc is interpreted alone";
const NO_VALUE: &str = "a list of operands for calls that are lowered by hand; nothing evaluates it";

/// Names that are read and never printed, because the printer has another one.
const OTHER_NAMES: [&str; 56] = [
    "T.Assert",
    "T.FloorDiv",
    "T.FloorMod",
    "T.Max",
    "T.Min",
    "T.Mod",
    "T.Ptr",
    "T.SizeVar",
    "T.Var",
    "T.While",
    "T.add",
    "T.allocate",
    "T.axis.O",
    "T.axis.R",
    "T.axis.S",
    "T.bitwise_not",
    "T.broadcast",
    "T.buffer_decl",
    "T.buffer_load",
    "T.buffer_store",
    "T.buffer_var",
    "T.call_intrin",
    "T.call_llvm_pure_intrin",
    "T.cast",
    "T.div",
    "T.env_thread",
    "T.fabs",
    "T.fmod",
    "T.indexdiv",
    "T.indexmod",
    "T.iter_var",
    "T.launch_thread",
    "T.let",
    "T.logical_and",
    "T.logical_not",
    "T.logical_or",
    "T.multiply",
    "T.nearbyint",
    "T.Not",
    "T.power",
    "T.ramp",
    "T.range",
    "T.rint",
    "T.sblock",
    "T.sblock_alloc_buffer",
    "T.sblock_attr",
    "T.size_var",
    "T.subtract",
    "T.sync",
    "T.truncdiv",
    "T.var",
    "R.ShapeExpr",
    "R.TupleGetItem",
    "R.is_impure",
    "R.tir_vars",
    "T.tvm_call_packed",
];

/// Names that are read and never printed, because nothing of them stays.
const WITHOUT_NODE: [&str; 19] = [
    "R.emit",
    "R.emit_with_sinfo",
    "R.macro",
    "T.ceildiv",
    "T.dp4a",
    "T.get_active_lane_mask",
    "T.infinity",
    "T.ldexp",
    "T.likely",
    "T.macro",
    "T.max_value",
    "T.meta_var",
    "T.min_value",
    "T.q_multiply_shift",
    "T.q_multiply_shift_per_axis",
    "T.target",
    "T.vectorcombine",
    "T.vectorhigh",
    "T.vectorlow",
];

/// The reason, if there is one.
pub(super) fn why_not(thing: &Thing, column: Column) -> Option<&'static str> {
    match thing {
        Thing::Kind(kind) => of_kind(kind, column),
        Thing::Name(name) => of_name(name, column),
        Thing::Form(title) => match column {
            Column::Prints => forms::ALL.iter().find(|form| form.title == *title)?.printed,
            _ => None,
        },
        Thing::OperatorAttr("vm.alloc_storage", "runtime_device_index") if column == Column::Compiles => {
            Some(ONE_DEVICE)
        }
        Thing::Operator(_)
        | Thing::OperatorAttr(..)
        | Thing::FunctionAttr(_)
        | Thing::StatementAttr(_)
        | Thing::Element(_) => None,
    }
}

fn of_kind(kind: &str, column: Column) -> Option<&'static str> {
    match (kind.split_once(' ')?, column) {
        (("builtin", "comm_reducer"), Column::Interprets) | (("builtin", "ret"), Column::Compiles) => None,
        (("builtin", "tvm_tuple" | "comm_reducer"), Column::Interprets | Column::Compiles) => Some(NO_VALUE),
        (("builtin", name), Column::Interprets | Column::Compiles) => match Builtin::by_name(name)?.effect {
            BuiltinEffect::Opaque => Some(OF_TARGETS),
            BuiltinEffect::Pure
            | BuiltinEffect::Barrier
            | BuiltinEffect::Fence
            | BuiltinEffect::Hint
            | BuiltinEffect::Prefetch => None,
        },
        (("foreign", "Extern" | "PureExtern" | "Llvm"), Column::Interprets) => Some(COMPILED_ALONE),
        (("foreign", "Function"), Column::Interprets) => Some(WRITTEN_OUT),
        _ => None,
    }
}

fn of_name(name: &str, column: Column) -> Option<&'static str> {
    match column {
        Column::Prints if OTHER_NAMES.contains(&name) => Some(OTHER_NAME),
        Column::Prints if WITHOUT_NODE.contains(&name) => Some(EXPANDED),
        Column::Interprets => match name {
            "T.call_extern" | "T.call_pure_extern" | "T.call_llvm_intrin" | "T.call_llvm_pure_intrin" => {
                Some(COMPILED_ALONE)
            }
            _ => None,
        },
        Column::Compiles => match name {
            "T.env_thread" | "T.iter_var" | "T.launch_thread" => Some(OTHER_THREADS),
            _ => None,
        },
        _ => None,
    }
}
