//! MC and NC, the rows and columns of a task of a GEMM, and what the GEMM costs with them.
//!
//! Of all ways to cut M and N into blocks the one that costs least is taken, in cycles of one core: register tiles cost
//! more the fewer accumulators they have, A is packed once for each N block, and B is read again by each M block. There
//! have to be tasks enough to share the work.

use tilewright_target::Machine;

use super::extents::{Extents, PLANNED_EXTENT};
use super::register_tile::tile_cycles;
use crate::plan::Cost;
use crate::plan::cpu::gemm::{GemmPlan, PackA, PackB};
use crate::units::{TASKS, ceil_div, signed};

/// Cost ratio of each task that is missing.
const MISSING_TASK: f64 = 0.01;
/// MC, at most.
const MAX_MC: i64 = 192;
/// MC, at most, where tasks pack B: the more rows use a packed panel, the better.
const MAX_MC_PACK_B: i64 = 512;
/// NC, at most; twice as much where B streams from memory.
const MAX_NC: i64 = 1024;
/// MC and NC, at most, of a matrix unit, which is done with a block of A before L2 has given the next one (measured as
/// its K block).
const MATRIX_MAX_MC: i64 = 256;
const MATRIX_MAX_NC: i64 = 512;
/// Multiply-adds of a matrix unit for each of a vector of float32: one instruction, in 16 cycles, does those of 16 rows
/// and of a vector of columns for 32 bfloat16 along K (AMX of Sapphire Rapids, by the maker's manual).
const MATRIX_UNIT_RATE: f64 = 32.0;
/// Cost ratio of M blocks of different sizes: more sizes of tiles.
const UNEVEN_BLOCKS: f64 = 1.01;

/// How B reaches the cores, in addition to what the plan says of packing.
#[derive(Clone, Copy, Default)]
pub(crate) struct Traffic {
    /// One register tile reads B in place from DRAM, a few steps of K at a time.
    pub(crate) b_streams: bool,
    /// Few register tiles wait for a packed B to come from DRAM.
    pub(crate) b_waits: bool,
}

/// What MC and NC are chosen by.
pub(crate) struct Blocks<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) e: &'a Extents,
    pub(crate) traffic: Traffic,
}

fn planned(extent: Option<i64>) -> i64 {
    extent.unwrap_or(PLANNED_EXTENT).max(1)
}

impl Blocks<'_> {
    /// Chooses MC and NC, and gives the cost.
    pub(crate) fn choose(&self, plan: &mut GemmPlan) -> Cost {
        let most = match plan.pack_b {
            _ if plan.matrix_tiles => MATRIX_MAX_MC,
            PackB::PerTask => MAX_MC_PACK_B,
            PackB::InPlace | PackB::Ahead => MAX_MC,
        };
        let panels = ceil_div(planned(self.e.n), plan.panel());
        let extents = [self.e.m, self.e.n, self.e.k].map(planned);
        let work = extents.iter().fold(self.least_batch(), |a: i64, b| a.saturating_mul(*b));
        let wanted = (work / signed(self.machine.tasks.gemm_task_operations).max(1)).clamp(1, TASKS);
        let widest = match self.traffic.b_streams {
            _ if plan.matrix_tiles => MATRIX_MAX_NC,
            true => 2 * MAX_NC,
            false => MAX_NC,
        };
        let (mut least, mut found) = (Cost::default(), None);
        for mc in m_blocks(self.e.m, plan.mr, most) {
            let mut per_task = (widest / plan.panel()).clamp(1, panels);
            loop {
                let even = ceil_div(panels, ceil_div(panels, per_task));
                let cost = self.cost(plan, mc, even, wanted);
                if found.is_none() || cost.total() < least.total() {
                    (least, found) = (cost, Some((mc, even)));
                }
                if per_task == 1 {
                    break;
                }
                per_task = ceil_div(per_task, 2);
            }
        }
        let (mc, per_task) = found.unwrap_or((plan.mr, 1));
        (plan.mc, plan.nc) = (mc, per_task * plan.panel());
        least
    }

    /// The cycles that all tasks of so many rows and panels take.
    fn cost(&self, plan: &GemmPlan, mc: i64, per_task: i64, wanted: i64) -> Cost {
        let (m, n, k, batch) = (planned(self.e.m), planned(self.e.n), planned(self.e.k) as f64, planned(self.e.batch));
        let numbers = &self.machine.plan;
        let panels = ceil_div(n, plan.panel());
        let (m_blocks, n_blocks) = (ceil_div(m, mc), ceil_div(panels, per_task));
        let tasks = self.least_batch() * m_blocks * n_blocks;
        let packed = match plan.pack_a {
            PackA::InPlace => 0.0,
            _ => (n_blocks * m) as f64 * k * numbers.pack_cycles,
        };
        let read = match plan.pack_b {
            PackB::PerTask => self.e.pack_b_cycles,
            PackB::InPlace if n as f64 * k * self.e.b_bytes as f64 > numbers.in_place_bytes as f64 => {
                numbers.reread_cycles
            }
            PackB::Ahead if self.traffic.b_waits => numbers.latency_bound_cycles,
            PackB::InPlace | PackB::Ahead => numbers.stream_cycles,
        };
        let run_start = match plan.pack_b {
            PackB::InPlace if self.traffic.b_streams => numbers.run_start_cycles,
            PackB::InPlace => numbers.page_start_cycles,
            PackB::PerTask | PackB::Ahead => 0.0,
        };
        let run_starts = (m_blocks * n_blocks) as f64 * k * run_start;
        let cores = signed(self.machine.tasks.min_cores).max(1);
        let idle = (ceil_div(tasks, cores) * cores) as f64 / tasks as f64;
        let missing = 1.0 + MISSING_TASK * (wanted - tasks).max(0) as f64;
        let batch = batch as f64;
        let cost = Cost::default()
            .with("multiply-add", batch * (self.m_tiles(plan, m, mc) * panels as f64 * k))
            .with("pack A", batch * packed)
            .with("start runs of B", batch * run_starts)
            .with("read B", batch * (m_blocks as f64 * n as f64 * k * read))
            .with("begin tasks", batch * (m_blocks * n_blocks) as f64 * self.machine.tasks.begin_cycles);
        cost.times(idle * missing)
    }

    /// The batch that has to share its work among the cores: a symbolic one may be 1 in a run.
    fn least_batch(&self) -> i64 {
        self.e.batch.unwrap_or(1).max(1)
    }

    /// Cycles of all register tiles along M, for each panel and step of K.
    fn m_tiles(&self, plan: &GemmPlan, m: i64, mc: i64) -> f64 {
        let (whole, rest) = (m / mc, m % mc);
        if rest == 0 {
            return whole as f64 * self.even_tiles(plan, mc);
        }
        // Where the last block has fewer rows than the others, all blocks have whole tiles and powers of two.
        let tiles = (whole * (mc / plan.mr) + rest / plan.mr) as f64 * self.tile(plan.mr, plan);
        let tails = whole as f64 * self.tail_tiles(plan, mc % plan.mr) + self.tail_tiles(plan, rest % plan.mr);
        (tiles + tails) * UNEVEN_BLOCKS
    }

    fn tile(&self, mr: i64, plan: &GemmPlan) -> f64 {
        if plan.matrix_tiles {
            return (mr * plan.nr_vectors) as f64 / MATRIX_UNIT_RATE;
        }
        tile_cycles(self.machine, mr, plan.nr_vectors)
    }

    /// Cycles of even register tiles of so many rows in all.
    fn even_tiles(&self, plan: &GemmPlan, rows: i64) -> f64 {
        if rows <= 0 {
            return 0.0;
        }
        let tiles = ceil_div(rows, plan.mr);
        let (small, larger) = (rows / tiles, rows % tiles);
        larger as f64 * self.tile(small + 1, plan) + (tiles - larger) as f64 * self.tile(small, plan)
    }

    /// The same, of tiles that have powers of two of rows.
    fn tail_tiles(&self, plan: &GemmPlan, rows: i64) -> f64 {
        let powers = (0..i64::BITS - 1).map(|power| 1_i64 << power).filter(|size| rows & size != 0);
        powers.map(|size| self.tile(size, plan)).sum()
    }
}

/// Candidates for MC, of about so many rows at most: even parts of M, and such of whole tiles.
fn m_blocks(m: Option<i64>, mr: i64, most: i64) -> Vec<i64> {
    let Some(m) = m.filter(|&m| m > 0) else {
        return vec![whole_tiles(most.min(MAX_MC) - mr + 1, mr)];
    };
    let mut found = Vec::new();
    let mut most = most;
    loop {
        if m <= most + most / 3 {
            found.push(m);
        } else {
            let least = ceil_div(m, most);
            found.push(whole_tiles(ceil_div(m, least), mr));
            found.extend((least..=least * 2).find(|blocks| m % blocks == 0).map(|blocks| m / blocks));
        }
        if most <= mr {
            return found;
        }
        most /= 2;
    }
}

fn whole_tiles(rows: i64, mr: i64) -> i64 {
    (ceil_div(rows, mr) * mr).clamp(1, 1 << 15)
}
