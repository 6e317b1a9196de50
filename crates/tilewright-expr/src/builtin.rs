//! Operations that some targets know and the IR does not interpret itself: the table of [`ForeignCallee::Builtin`].
//!
//! A row gives the name of a call after `T.`, the number of its operands, the type of its result and its effect. Only
//! what [`Builtin::effect`] calls a barrier, a fence, a hint or a prefetch has a meaning on every target: barriers
//! order the threads of a block, the others have no effect on results. Of the rest a target says which it has; lowering
//! for one that lacks it is an error that names the operation.
//!
//! [`ForeignCallee::Builtin`]: crate::ForeignCallee::Builtin

use tilewright_tensor::DataType;

/// The type of a builtin's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuiltinResult {
    /// Nothing.
    Nothing,
    /// Names the type in front of its operands: `T.ptx_mma("float32", …)`.
    Named,
    /// Names the type after its operands: `T.tvm_struct_get(tensor, 0, 1, "handle")`.
    NamedLast,
    /// The type of the operand of this number.
    Operand(usize),
    /// Always this one.
    Always(DataType),
}

/// The effect of a builtin besides its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuiltinEffect {
    /// Nothing: the result follows from the operands.
    Pure,
    /// Every thread of the scope that the first operand names waits here for the others.
    Barrier,
    /// Orders memory, which is in order anyway where statements run one after the other.
    Fence,
    /// Tells a compiler or a profiler something; a program means the same without it.
    Hint,
    /// Prefetches the memory at the address that is the first operand. Nothing is read or written, and the memory need
    /// not exist; a program means the same without it.
    Prefetch,
    /// Whatever the target says: it may read and write memory.
    Opaque,
}

/// An operation of a target.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// The name after `T.`.
    pub name: &'static str,
    /// The least number of operands.
    pub min: usize,
    /// The greatest number of operands.
    pub max: usize,
    pub result: BuiltinResult,
    pub effect: BuiltinEffect,
}

/// No limit on the number of operands.
const MANY: usize = usize::MAX;

macro_rules! builtins {
    ($($name:literal $min:literal .. $max:tt -> $result:expr, $effect:ident;)*) => {
        &[$(Builtin {
            name: $name, min: $min, max: $max, result: $result, effect: BuiltinEffect::$effect,
        }),*]
    };
}

use BuiltinResult::{Always, Named, NamedLast, Nothing, Operand};

const ADDRESS: BuiltinResult = Always(DataType::HANDLE);
const INT: BuiltinResult = Always(DataType::I32);
const TRUTH: BuiltinResult = Always(DataType::BOOL);

impl Builtin {
    /// Every builtin, in groups.
    pub const ALL: &[Self] = builtins! {
        // Threads.
        "tvm_storage_sync" 1..3 -> Nothing, Barrier;
        "tvm_thread_allreduce" 3..MANY -> Nothing, Opaque;
        "tvm_thread_invariant" 1..1 -> Operand(0), Pure;
        "tvm_warp_shuffle" 5..5 -> Operand(1), Opaque;
        "tvm_warp_shuffle_up" 5..5 -> Operand(1), Opaque;
        "tvm_warp_shuffle_down" 5..5 -> Operand(1), Opaque;
        "tvm_warp_activemask" 0..0 -> INT, Opaque;
        "tvm_global_barrier_kinit" 0..0 -> Nothing, Opaque;
        // Addresses and structures of the runtime.
        "tvm_access_ptr" 5..5 -> ADDRESS, Pure;
        "type_annotation" 0..0 -> Named, Pure;
        "isnullptr" 1..1 -> TRUTH, Pure;
        "tvm_tuple" 0..MANY -> ADDRESS, Pure;
        "tvm_stack_alloca" 2..2 -> ADDRESS, Opaque;
        "tvm_stack_make_shape" 0..MANY -> ADDRESS, Opaque;
        "tvm_stack_make_array" 6..6 -> ADDRESS, Opaque;
        "tvm_struct_get" 3..3 -> NamedLast, Opaque;
        "tvm_struct_set" 4..4 -> Nothing, Opaque;
        "tvm_throw_last_error" 0..0 -> Nothing, Opaque;
        "tvm_check_return" 3..3 -> INT, Opaque;
        "lookup_param" 1..1 -> ADDRESS, Opaque;
        "call_cpacked" 1..MANY -> INT, Opaque;
        "call_packed_lowered" 1..MANY -> INT, Opaque;
        "call_cpacked_lowered" 1..MANY -> INT, Opaque;
        "anylist_getitem" 2..2 -> ADDRESS, Opaque;
        "anylist_resetitem" 2..2 -> INT, Opaque;
        "anylist_setitem_call_packed" 3..MANY -> INT, Opaque;
        "anylist_setitem_call_cpacked" 3..MANY -> INT, Opaque;
        "TVMBackendAllocWorkspace" 5..5 -> ADDRESS, Opaque;
        "TVMBackendFreeWorkspace" 3..3 -> INT, Opaque;
        "ret" 1..1 -> Nothing, Opaque;
        "undef" 0..0 -> Named, Pure;
        // How values are combined: the identities, then for each result what it is of variables of its own, which lets
        // bind to nothing in particular.
        "comm_reducer" 2..MANY -> ADDRESS, Pure;
        // Tiles of matrices.
        "tvm_load_matrix_sync" 8..8 -> Nothing, Opaque;
        "tvm_store_matrix_sync" 8..8 -> Nothing, Opaque;
        "tvm_mma_sync" 8..8 -> Nothing, Opaque;
        "tvm_bmma_sync" 8..8 -> Nothing, Opaque;
        "tvm_fill_fragment" 6..6 -> Nothing, Opaque;
        "mma_store" 6..6 -> Named, Opaque;
        "mma_fill" 3..3 -> Named, Opaque;
        "ptx_mma" 12..15 -> Named, Opaque;
        "ptx_mma_sp" 14..17 -> Named, Opaque;
        "ptx_ldmatrix" 7..8 -> Named, Opaque;
        "tvm_mfma" 12..13 -> Named, Opaque;
        "tvm_mfma_store" 6..6 -> Named, Opaque;
        "tvm_rdna_wmma" 12..13 -> Named, Opaque;
        "tvm_rdna_wmma_store" 6..6 -> Named, Opaque;
        "make_filled_simdgroup_matrix" 3..5 -> Nothing, Opaque;
        "simdgroup_load" 4..7 -> Nothing, Opaque;
        "simdgroup_store" 4..7 -> Nothing, Opaque;
        "simdgroup_multiply_accumulate" 8..8 -> Nothing, Opaque;
        // Asynchronous copies and their barriers.
        "ptx_cp_async" 5..6 -> Named, Opaque;
        "ptx_cp_async_bulk" 6..6 -> Named, Opaque;
        "ptx_cp_async_barrier" 1..1 -> Nothing, Opaque;
        "ptx_commit_group" 0..0 -> Nothing, Fence;
        "ptx_wait_group" 1..1 -> Nothing, Fence;
        "ptx_init_barrier_thread_count" 2..2 -> Nothing, Opaque;
        "ptx_arrive_barrier" 1..1 -> Nothing, Opaque;
        "ptx_arrive_barrier_expect_tx" 2..2 -> Nothing, Opaque;
        "ptx_wait_barrier" 1..1 -> Nothing, Opaque;
        "create_barriers" 1..1 -> Nothing, Opaque;
        // Hints.
        "assume" 1..1 -> Nothing, Hint;
        "start_profile_intrinsic" 1..1 -> Nothing, Hint;
        "end_profile_intrinsic" 1..1 -> Nothing, Hint;
        "prefetch" 1..4 -> Nothing, Prefetch;
    };

    /// The row of a name that is in the table: for constants.
    const fn row(name: &str) -> &'static Self {
        let mut at = 0;
        while at < Self::ALL.len() {
            if is_same(Self::ALL[at].name.as_bytes(), name.as_bytes()) {
                return &Self::ALL[at];
            }
            at += 1;
        }
        panic!("no builtin has this name")
    }

    /// The builtin of this name after `T.`.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|builtin| builtin.name == name)
    }

    /// Whether it takes this number of operands.
    pub fn takes(&self, count: usize) -> bool {
        (self.min..=self.max).contains(&count)
    }

    /// The type of the result; `named` is what the call itself names.
    pub fn result_type(&self, named: DataType, operands: &[DataType]) -> DataType {
        match self.result {
            Nothing => DataType::VOID,
            Named | NamedLast => named,
            Operand(at) => operands.get(at).copied().unwrap_or(DataType::VOID),
            Always(dtype) => dtype,
        }
    }
}

/// Rows that passes know by themselves.
impl Builtin {
    pub const STORAGE_SYNC: &Self = Self::row("tvm_storage_sync");
    pub const THREAD_ALLREDUCE: &Self = Self::row("tvm_thread_allreduce");
    pub const WARP_SHUFFLE: &Self = Self::row("tvm_warp_shuffle");
    pub const WARP_SHUFFLE_DOWN: &Self = Self::row("tvm_warp_shuffle_down");
    pub const WARP_ACTIVEMASK: &Self = Self::row("tvm_warp_activemask");
    pub const ACCESS_PTR: &Self = Self::row("tvm_access_ptr");
    pub const TYPE_ANNOTATION: &Self = Self::row("type_annotation");
    pub const ISNULLPTR: &Self = Self::row("isnullptr");
    pub const STACK_ALLOCA: &Self = Self::row("tvm_stack_alloca");
    pub const STACK_MAKE_SHAPE: &Self = Self::row("tvm_stack_make_shape");
    pub const STACK_MAKE_ARRAY: &Self = Self::row("tvm_stack_make_array");
    pub const STRUCT_GET: &Self = Self::row("tvm_struct_get");
    pub const STRUCT_SET: &Self = Self::row("tvm_struct_set");
    pub const THROW_LAST_ERROR: &Self = Self::row("tvm_throw_last_error");
    pub const CALL_CPACKED: &Self = Self::row("call_cpacked");
    pub const CALL_PACKED_LOWERED: &Self = Self::row("call_packed_lowered");
    pub const CALL_CPACKED_LOWERED: &Self = Self::row("call_cpacked_lowered");
    pub const ALLOC_WORKSPACE: &Self = Self::row("TVMBackendAllocWorkspace");
    pub const FREE_WORKSPACE: &Self = Self::row("TVMBackendFreeWorkspace");
    pub const RET: &Self = Self::row("ret");
    pub const UNDEF: &Self = Self::row("undef");
    pub const COMM_REDUCER: &Self = Self::row("comm_reducer");
    pub const PTX_CP_ASYNC: &Self = Self::row("ptx_cp_async");
    pub const PTX_COMMIT_GROUP: &Self = Self::row("ptx_commit_group");
    pub const PTX_WAIT_GROUP: &Self = Self::row("ptx_wait_group");
    pub const ASSUME: &Self = Self::row("assume");
    pub const START_PROFILE: &Self = Self::row("start_profile_intrinsic");
    pub const END_PROFILE: &Self = Self::row("end_profile_intrinsic");
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let (mut at, mut same) = (0, a.len() == b.len());
    while same && at < a.len() {
        same = a[at] == b[at];
        at += 1;
    }
    same
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_stands_once_and_is_no_intrinsic() {
        for (at, builtin) in Builtin::ALL.iter().enumerate() {
            assert!(builtin.min <= builtin.max, "{}", builtin.name);
            assert!(Builtin::ALL[at + 1..].iter().all(|other| other.name != builtin.name), "{}", builtin.name);
            assert!(crate::Intrinsic::by_name(builtin.name).is_none(), "{}", builtin.name);
        }
    }

    #[test]
    fn results_follow_from_the_row() {
        let of =
            |name: &str, operands: &[DataType]| Builtin::by_name(name).unwrap().result_type(DataType::F16, operands);
        assert_eq!(of("tvm_storage_sync", &[DataType::HANDLE]), DataType::VOID);
        assert_eq!(of("ptx_mma", &[]), DataType::F16);
        assert_eq!(of("tvm_warp_shuffle", &[DataType::U32, DataType::F32]), DataType::F32);
        assert_eq!(of("isnullptr", &[DataType::HANDLE]), DataType::BOOL);
        assert!(Builtin::by_name("tvm_storage_sync").unwrap().takes(1));
        assert!(!Builtin::by_name("isnullptr").unwrap().takes(2));
    }
}
