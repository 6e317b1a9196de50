//! What an operator's legalisation is told of the machine that its loops are for.
//!
//! No operator knows a target. An algorithm that is written differently for different machines states what it needs of
//! one ([`Needs`]), and is told what there is ([`Capabilities`]). An operator with several algorithms lists them as
//! [`Candidate`]s, the best first: its legalisation is the first one whose needs are met.

use tilewright_tensor::DataType;

use crate::op::{InferError, OpCall};
use crate::tir::{ForKind, PrimFunc};

/// What a machine offers to algorithms. It names no target: whoever has one says what it offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capabilities {
    /// Bytes of the vectors that algorithms compute in: a power of two, or 0 where they go element by element. A code
    /// generator splits vectors that are wider than its registers.
    pub vector_bytes: usize,
    /// Whether the iterations of a loop may be tasks that run at the same time, [`ForKind::Parallel`].
    pub parallel_tasks: bool,
    /// How a kernel asks for memory before it reads it; `None` where it cannot.
    pub prefetch: Option<Prefetch>,
}

/// How memory that a loop will read is prefetched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prefetch {
    /// Bytes that one prefetch brings: those of a cache line.
    pub line_bytes: usize,
    /// Iterations between the one that runs and the one whose elements are prefetched, of a loop that goes from row to
    /// row of a tensor.
    pub distance_rows: i64,
}

impl Default for Capabilities {
    /// A CPU with AVX-512: vectors of 64 bytes, of which narrower registers hold parts, and cache lines of 64 bytes.
    fn default() -> Self {
        Self { vector_bytes: 64, parallel_tasks: true, prefetch: Some(Prefetch { line_bytes: 64, distance_rows: 4 }) }
    }
}

impl Capabilities {
    /// How many elements of the data type a vector holds: 1 where it holds no two.
    pub fn lanes(&self, dtype: DataType) -> u16 {
        let lanes = self.vector_bytes / dtype.element_bytes().max(1);
        u16::try_from(lanes).unwrap_or(u16::MAX).max(1)
    }

    /// The kind of a loop whose iterations are independent of each other and worth a task each.
    pub fn task_loop(&self) -> ForKind {
        if self.parallel_tasks { ForKind::Parallel } else { ForKind::Serial }
    }
}

/// What an algorithm needs of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// Vectors of at least so many bytes.
    pub vector_bytes: usize,
    pub parallel_tasks: bool,
    pub prefetch: bool,
}

impl Needs {
    pub const NOTHING: Self = Self { vector_bytes: 0, parallel_tasks: false, prefetch: false };

    /// Whether the machine has all of it.
    pub fn are_met_by(&self, capabilities: &Capabilities) -> bool {
        self.vector_bytes <= capabilities.vector_bytes
            && (capabilities.parallel_tasks || !self.parallel_tasks)
            && (capabilities.prefetch.is_some() || !self.prefetch)
    }
}

/// The context of legalisations.
#[derive(Clone, Debug, Default)]
pub struct LegalizeCx {
    /// Those of the machine that the loops are for.
    pub capabilities: Capabilities,
}

/// A PrimFunc that computes the call on a machine with the context's capabilities.
pub type LegalizeFn = fn(&LegalizeCx, &OpCall<'_>) -> Result<PrimFunc, InferError>;

/// One way of several to compute an operator.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub needs: Needs,
    pub legalize: LegalizeFn,
}

impl Candidate {
    /// One for any machine, which asks itself what there is.
    pub const fn for_any(legalize: LegalizeFn) -> Self {
        Self { needs: Needs::NOTHING, legalize }
    }

    /// One for machines that meet its needs.
    pub const fn for_those_with(needs: Needs, legalize: LegalizeFn) -> Self {
        Self { needs, legalize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_are_met_where_all_of_them_are_there() {
        let all = Needs { vector_bytes: 64, parallel_tasks: true, prefetch: true };
        let default = Capabilities::default();
        assert!(all.are_met_by(&default) && Needs::NOTHING.are_met_by(&default));
        for lacking in [
            Capabilities { vector_bytes: 32, ..default },
            Capabilities { parallel_tasks: false, ..default },
            Capabilities { prefetch: None, ..default },
        ] {
            assert!(!all.are_met_by(&lacking) && Needs::NOTHING.are_met_by(&lacking), "{lacking:?}");
        }
    }

    #[test]
    fn a_vector_has_one_lane_at_least() {
        let vectors = |vector_bytes| Capabilities { vector_bytes, ..Capabilities::default() };
        let lanes = |bytes, dtype| vectors(bytes).lanes(dtype);
        assert_eq!([lanes(64, DataType::F32), lanes(64, DataType::U64), lanes(16, DataType::I8)], [16, 8, 16]);
        assert_eq!([lanes(0, DataType::F32), lanes(4, DataType::F64)], [1, 1]);
    }
}
