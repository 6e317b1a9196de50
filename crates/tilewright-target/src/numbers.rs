//! The numbers of a machine, in groups: each field is declared once, with its unit and its meaning.
//!
//! [`Limits`] and [`Core`] are facts of a processor. [`Plan`], [`Prefetch`], [`Estimate`] and [`Tasks`] are what rules
//! and code generators decide by: costs and sizes that were fitted to measurements. Cycles are those of one core.

use std::hash::{Hash, Hasher};

/// A number as preset files have it.
pub(crate) trait Number: Copy {
    /// The value in the field's own type; none if it does not fit.
    fn of(value: f64) -> Option<Self>;
    fn as_f64(self) -> f64;
}

impl Number for f64 {
    fn of(value: f64) -> Option<Self> {
        (value.is_finite() && value >= 0.0).then_some(value)
    }

    fn as_f64(self) -> f64 {
        self
    }
}

/// The largest integer up to which all are numbers of type `f64`.
const MAX_INTEGER: f64 = (1u64 << 53) as f64;

impl Number for u64 {
    fn of(value: f64) -> Option<Self> {
        (value.fract() == 0.0 && (0.0..=MAX_INTEGER).contains(&value)).then_some(value as Self)
    }

    fn as_f64(self) -> f64 {
        self as f64
    }
}

impl Number for u32 {
    fn of(value: f64) -> Option<Self> {
        u64::of(value).and_then(|value| value.try_into().ok())
    }

    fn as_f64(self) -> f64 {
        f64::from(self)
    }
}

/// The declaration of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// The section of a preset file in which it stands.
    pub section: &'static str,
    pub name: &'static str,
    pub unit: &'static str,
    pub doc: &'static str,
}

/// A group of numbers.
pub(crate) trait Group {
    const FIELDS: &'static [Field];

    /// The values in the order of the fields.
    fn values(&self) -> Vec<f64>;

    /// Gives a field another value; false where there is no such field or the value does not fit.
    fn set(&mut self, name: &str, value: f64) -> bool;
}

/// Declares a group: its section, and of each field the unit.
macro_rules! group {
    (
        $(#[doc = $about:literal])+
        $group:ident [$section:literal] {
            $($(#[doc = $doc:literal])+ $field:ident: $type:ty [$unit:literal],)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $group {
            $($(#[doc = $doc])+ pub $field: $type,)+
        }

        impl Group for $group {
            const FIELDS: &'static [Field] = &[$(Field {
                section: $section,
                name: stringify!($field),
                unit: $unit,
                doc: concat!($($doc),+),
            }),+];

            fn values(&self) -> Vec<f64> {
                vec![$(self.$field.as_f64()),+]
            }

            fn set(&mut self, name: &str, value: f64) -> bool {
                match name {
                    $(stringify!($field) => <$type as Number>::of(value).map(|value| self.$field = value).is_some(),)+
                    _ => false,
                }
            }
        }

        /// The values are finite: equal ones have equal bits, but for a zero's sign, which no file has.
        impl PartialEq for $group {
            fn eq(&self, other: &Self) -> bool {
                self.values() == other.values()
            }
        }

        impl Eq for $group {}

        impl Hash for $group {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.values().iter().for_each(|value| value.to_bits().hash(state));
            }
        }
    };
}

group! {
    /// Resources of kernels. They shape the code but never its meaning.
    Limits ["limits"] {
        /// Vector registers that a kernel may use: by the instruction set of the target, whatever the file says.
        vector_registers: u32 ["registers"],
        /// First-level data cache of a core.
        l1_bytes: u64 ["bytes"],
        /// Lines of a set of the first-level data cache.
        l1_ways: u32 ["lines"],
        /// Second-level cache of a core.
        l2_bytes: u64 ["bytes"],
        /// Lines of a set of the second-level cache.
        l2_ways: u32 ["lines"],
        /// Last-level cache: what the cores of this machine may count on.
        l3_bytes: u64 ["bytes"],
        /// Bytes of recently used data that the caches of a core are assumed to hold.
        core_cache_bytes: u64 ["bytes"],
        /// The reciprocal of the share of the last-level cache that is reserved for other data.
        l3_reserve: u64 ["parts"],
        /// A line of the caches, as kernels assume it.
        line_bytes: u64 ["bytes"],
        /// A page of memory.
        page_bytes: u64 ["bytes"],
        /// Cores that share the work: a hint. Task boundaries never depend on it.
        cores: u32 ["cores"],
    }
}

group! {
    /// What a core does in a cycle.
    Core ["core"] {
        /// Width of the narrowest vectors whose arithmetic is as fast for each element as that of the widest ones: of
        /// wider ones the core computes a part at a time.
        vector_pipe_bits: u32 ["bits"],
        /// Vectors of that width whose fused multiply-adds begin in a cycle.
        fma_pipes: u32 ["instructions per cycle"],
        /// Cycles from a fused multiply-add to one that needs its result.
        fma_latency_cycles: f64 ["cycles"],
        /// Multiply-adds of a dot product of bfloat16 pairs (AVX512_BF16) in the time of one of float32.
        bf16_dot_rate: f64 ["multiply-adds per multiply-add"],
        /// Elements that a gather instruction reads in the time of one scalar load with its insertion.
        gather_rate: f64 ["elements per load"],
        /// Cache level into which a kernel that waits for memory best prefetches what it reads once.
        stream_prefetch_level: u32 ["cache level"],
        /// Bytes that one core reads from its second-level cache in a cycle.
        l2_bytes_per_cycle: f64 ["bytes per cycle"],
        /// Bytes that one core reads from the last-level cache in a cycle.
        l3_bytes_per_cycle: f64 ["bytes per cycle"],
        /// Bytes that one core reads from memory in a cycle.
        memory_bytes_per_cycle: f64 ["bytes per cycle"],
    }
}

group! {
    /// Costs and sizes by which rules choose tiles, steps and copies. A vector has 512 bits where nothing else is
    /// said.
    Plan ["plan"] {
        /// Cycles until a vector has come from the second-level cache, where a panel is read again and again.
        l2_load_cycles: f64 ["cycles per vector"],
        /// Cycles until a vector has come from the second-level cache, where it is the next one of a run that is read
        /// once.
        l2_stream_cycles: f64 ["cycles per vector"],
        /// Cycles of a register tile's own that loads may take without being waited for.
        hidden_load_cycles: f64 ["cycles per row of the tile"],
        /// Cycles until a sum is there that the next one waits for.
        sum_latency_cycles: f64 ["cycles"],
        /// Independent sums that hide this latency.
        independent_sums: f64 ["sums"],
        /// Cycles of each row and of each vector that a register tile loads for a step of K.
        tile_load_cycles: f64 ["cycles"],
        /// Cost of a vector that is narrower than a register, to that part of what a whole one costs.
        narrow_vector_cost: f64 ["ratio"],
        /// Fixed cost of an instruction, independent of its lanes, relative to the cost of a whole vector.
        instruction_cost: f64 ["ratio"],
        /// Cycles to copy an element into a panel.
        pack_cycles: f64 ["cycles per element"],
        /// Cycles to copy an element of an im2col panel whose elements are neighbours in memory.
        pack_line_cycles: f64 ["cycles per element"],
        /// Cycles to copy an element of an im2col panel whose elements are apart in memory.
        pack_strided_cycles: f64 ["cycles per element"],
        /// Cycles to reread a single element that the caches of a core do not hold.
        reread_cycles: f64 ["cycles per element"],
        /// Cycles to read an element among its neighbours.
        stream_cycles: f64 ["cycles per element"],
        /// Cycles to read an element of B from memory in a GEMM of few rows.
        latency_bound_cycles: f64 ["cycles per element"],
        /// Cycles from the beginning of a sequential run until memory is read at full bandwidth.
        run_start_cycles: f64 ["cycles"],
        /// The same for sequential runs in a cache, most of which begin in a page of their own.
        page_start_cycles: f64 ["cycles"],
        /// Bytes that a core moves in a cycle in loops of elementwise operations.
        elementwise_bytes_per_cycle: f64 ["bytes per cycle"],
        /// Distance of addresses that share a set of the first-level cache, as rules assume it.
        l1_set_stride_bytes: u64 ["bytes"],
        /// Distance of addresses that share a set of the second-level cache, as rules assume it.
        l2_set_stride_bytes: u64 ["bytes"],
        /// Bytes of a GEMM's B operand that may be read in place, however its panels lie.
        in_place_bytes: u64 ["bytes"],
        /// Elements of a GEMM's B operand at most that are packed before it runs, for all tasks.
        shared_pack_elements: u64 ["elements"],
        /// Bytes of a padded image that stays in the first-level cache.
        l1_image_bytes: u64 ["bytes"],
        /// Bytes of a padded image that stays in the second-level cache.
        l2_image_bytes: u64 ["bytes"],
        /// Elements of the longest row of a softmax whose exponentials stay in the caches of a core.
        softmax_row_elements: u64 ["elements"],
        /// The reciprocal of the share of the rest from which on a result is written by non-temporal stores.
        nontemporal_part: u64 ["parts"],
        /// Bytes of the smallest vector whose elements are gathered by one instruction.
        min_gather_bytes: u64 ["bytes"],
    }
}

group! {
    /// Prefetch distances.
    Prefetch ["prefetch"] {
        /// For a tensor that parallel tasks read once and vectors at a time.
        stream_bytes: u64 ["bytes"],
        /// For a scan along columns: iterations from the row that is read to the one that is prefetched.
        scan_rows: u64 ["rows"],
        /// For the panel of B that is being read, into the second-level cache.
        panel_bytes: u64 ["bytes"],
        /// The same into the first-level cache, of which it takes a part.
        panel_l1_bytes: u64 ["bytes"],
    }
}

group! {
    /// The estimated time of a loop, within a factor of a few, by which work is shared among threads.
    Estimate ["estimate"] {
        /// Time of a cycle, by which estimates in cycles become times.
        cycle_ns: f64 ["nanoseconds"],
        /// Bytes of a register in estimates of a loop's time.
        register_bytes: u64 ["bytes"],
        /// Bytes of a local buffer at most that counts as held in registers.
        register_file_bytes: u64 ["bytes"],
        /// Bytes that a core moves in a cycle between cache and registers, in the same estimates.
        move_bytes_per_cycle: f64 ["bytes per cycle"],
        /// Cycles of a call of an unknown function.
        unknown_call_cycles: f64 ["cycles"],
        /// Cycles of an instruction that computes, a register of results.
        operation_cycles: f64 ["cycles per register"],
        /// Cycles of a load or a store in addition to those for its bytes.
        access_cycles: f64 ["cycles"],
        /// Cycles of a lane that is read from an address of its own.
        gather_lane_cycles: f64 ["cycles per lane"],
        /// Cycles of a function, or of an intrinsic, a register of results.
        function_cycles: f64 ["cycles per register"],
        /// Cycles of a division of floats, a register of results.
        float_division_cycles: f64 ["cycles per register"],
        /// Cycles of a division of integers by a constant, a register of results.
        constant_division_cycles: f64 ["cycles per register"],
        /// Cycles of a division of integers by a variable.
        integer_division_cycles: f64 ["cycles per lane"],
        /// Overhead in cycles of an iteration of a loop, and of a statement that computes nothing.
        step_cycles: f64 ["cycles"],
    }
}

group! {
    /// Thresholds of sharing work among threads, and task granularities.
    Tasks ["tasks"] {
        /// A parallel loop whose whole work takes less runs on the calling thread alone.
        min_loop_ns: f64 ["nanoseconds"],
        /// Least time of a task, where the loop has iterations enough.
        min_task_ns: f64 ["nanoseconds"],
        /// Tasks of a region at most.
        max_tasks: u64 ["tasks"],
        /// Cycles under which the work of a loop is not shared.
        serial_cycles: u64 ["cycles"],
        /// Cycles of a task of elementwise work.
        task_cycles: u64 ["cycles"],
        /// Cycles of the smallest such task, where larger ones would be too few to share.
        min_task_cycles: u64 ["cycles"],
        /// Cycles of a part of a reduction that several tasks share.
        part_cycles: u64 ["cycles"],
        /// Cycles to begin a task.
        begin_cycles: f64 ["cycles"],
        /// Multiply-adds of a GEMM that are worth a task.
        gemm_task_operations: u64 ["multiply-adds"],
        /// Elements of a task of row reductions.
        row_task_elements: u64 ["elements"],
        /// Cores that are assumed at least: with fewer tasks in the last round, some are idle.
        min_cores: u64 ["cores"],
    }
}

group! {
    /// What a GPU has and does, beyond the limits of its programming interface.
    Gpu ["gpu"] {
        /// Multiprocessors: groups of cores that a block of threads runs on.
        multiprocessors: u32 ["multiprocessors"],
        /// Threads that a multiprocessor holds at most.
        threads_per_multiprocessor: u32 ["threads"],
        /// Registers of 32 bits, which the threads of a multiprocessor share.
        registers_per_multiprocessor: u32 ["registers"],
        /// Shared memory of all blocks on a multiprocessor.
        shared_bytes_per_multiprocessor: u64 ["bytes"],
        /// Second-level cache, of all multiprocessors.
        l2_bytes: u64 ["bytes"],
        /// Bandwidth of the device's memory.
        memory_bytes_per_ns: f64 ["bytes per nanosecond"],
        /// Frequency of the multiprocessors.
        clock_ghz: f64 ["cycles per nanosecond"],
        /// Fused multiply-adds of float32 that a multiprocessor does in a cycle.
        f32_fma_per_cycle: f64 ["multiply-adds per cycle"],
        /// Multiply-adds of float16 with sums of float32 that the matrix units of a multiprocessor do in a cycle.
        matrix_fma_per_cycle: f64 ["multiply-adds per cycle"],
        /// Time of a launch in which no other work is done.
        launch_ns: f64 ["nanoseconds"],
    }
}

impl Gpu {
    /// Fused multiply-adds of float32 that all multiprocessors do in a nanosecond.
    pub fn f32_fma_per_ns(&self) -> f64 {
        self.f32_fma_per_cycle * self.clock_ghz * f64::from(self.multiprocessors)
    }
}

impl Limits {
    /// Bytes of tensors that fill the last-level cache, a part of which is left to what else is used: larger results
    /// are written past it.
    pub fn filling_bytes(&self) -> u64 {
        let cache = self.l3_bytes.max(self.core_cache_bytes);
        cache - cache / self.l3_reserve.max(1)
    }
}

/// All numbers of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Numbers {
    pub(crate) limits: Limits,
    pub(crate) core: Core,
    pub(crate) plan: Plan,
    pub(crate) prefetch: Prefetch,
    pub(crate) estimate: Estimate,
    pub(crate) tasks: Tasks,
}

impl Numbers {
    /// Gives a number another value; false where there is none of this name or the value does not fit.
    pub(crate) fn set(&mut self, field: &Field, value: f64) -> bool {
        let Self { limits, core, plan, prefetch, estimate, tasks } = self;
        match field.section {
            "limits" => limits.set(field.name, value),
            "core" => core.set(field.name, value),
            "plan" => plan.set(field.name, value),
            "prefetch" => prefetch.set(field.name, value),
            "estimate" => estimate.set(field.name, value),
            "tasks" => tasks.set(field.name, value),
            _ => false,
        }
    }

    /// The values in the order of [`fields`].
    pub(crate) fn values(&self) -> Vec<f64> {
        let Self { limits, core, plan, prefetch, estimate, tasks } = self;
        [limits.values(), core.values(), plan.values(), prefetch.values(), estimate.values(), tasks.values()].concat()
    }
}

/// Every number that a GPU has, in the order of its preset files.
pub fn gpu_fields() -> impl Iterator<Item = &'static Field> {
    Gpu::FIELDS.iter()
}

/// Every number that a machine has, in the order of the preset files.
pub fn fields() -> impl Iterator<Item = &'static Field> {
    [Limits::FIELDS, Core::FIELDS, Plan::FIELDS, Prefetch::FIELDS, Estimate::FIELDS, Tasks::FIELDS]
        .into_iter()
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_can_be_set_and_read() {
        let mut numbers = Numbers::default();
        for (place, field) in fields().enumerate() {
            assert!(numbers.set(field, place as f64 + 1.0), "{field:?}");
        }
        let expected: Vec<f64> = (1..=fields().count()).map(|value| value as f64).collect();
        assert_eq!(numbers.values(), expected);
        assert!(fields().all(|field| field.doc.trim().ends_with('.') && !field.unit.is_empty()));
    }

    #[test]
    fn values_have_to_fit_the_type_of_their_field() {
        let mut limits = Limits::default();
        for value in [1.5, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert!(!limits.set("l1_bytes", value) && !limits.set("cores", value), "{value}");
        }
        assert!(!limits.set("cores", 1e10) && limits.set("l1_bytes", 1e10) && !limits.set("l4_bytes", 1.0));
        let mut core = Core::default();
        assert!(core.set("fma_latency_cycles", 4.5) && !core.set("fma_latency_cycles", f64::NAN));
    }
}
