//! Which warp goes on: blocks in a random order, some of them at a time, and their warps by chance.

use super::bulk;
use super::context::Context;
use super::control::BARRIERS;
use super::together::sink;
use super::traffic::{Count, Report};
use super::units::{self, Units};
use super::warp::{State, Warp};
use super::{Arrival, Block, Env, Flow, first, slice};
use crate::decode::BarrierKind;
use crate::fault::{Fault, FaultKind, Place};
use crate::lanes::WARP;
use crate::memory::clocks::{Clocks, View};
use crate::memory::global::Global;
use crate::memory::shared::Shared;
use crate::memory::{Checked, Trouble, trouble};
use crate::timing::Rng;

/// A block that has begun.
#[derive(Debug)]
struct Running {
    block: Block,
    warps: Vec<Warp>,
    gates: Vec<Gate>,
}

/// A barrier of the block.
#[derive(Debug, Default)]
struct Gate {
    waiting: Vec<(usize, Arrival)>,
    /// Threads that have arrived, also those that do not wait.
    threads: u32,
    count: Option<u32>,
    /// What those know that do not wait.
    arrived: View,
    holds: u32,
}

/// Runs all blocks of a launch.
pub(crate) fn run(cx: &Context<'_>, memory: &mut Global, rng: Rng) -> Result<Report, Fault> {
    let none = Count::default();
    let mut env = Env { memory, rng, published: Default::default(), executed: 0, sectors: none, passes: none };
    let blocks = cx.grid.iter().map(|extent| u64::from(*extent)).product::<u64>();
    let mut order: Vec<u32> = (0..blocks as u32).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, env.rng.below(at + 1));
    }
    let mut running: Vec<Running> = Vec::new();
    loop {
        while running.len() < cx.options.resident_blocks.max(1)
            && let Some(number) = order.pop()
        {
            running.push(begin(cx, number));
        }
        if running.is_empty() {
            return Ok(Report { instructions: env.executed, sectors: env.sectors, passes: env.passes });
        }
        let chosen = env.rng.below(running.len());
        let Some(index) = (0..running.len())
            .map(|ahead| (chosen + ahead) % running.len())
            .find(|index| running[*index].warps.iter().any(|warp| warp.state == State::Ready))
        else {
            return Err(stuck(cx, &running));
        };
        if turn(cx, &mut env, &mut running[index])? {
            running.swap_remove(index);
        }
    }
}

fn begin(cx: &Context<'_>, number: u32) -> Running {
    let [x, y, _] = cx.grid;
    let id = [number % x, number / x % y, number / x / y];
    let block = Block {
        id,
        number: number + 1,
        shared: Shared::new(cx.shared_bytes, cx.agents(), cx.options.check_races),
        clocks: Clocks::new(cx.agents()),
        known: Default::default(),
        units: Units::new(cx.warps),
    };
    let warps = (0..cx.warps).map(|index| Warp::new(cx, id, index)).collect();
    Running { block, warps, gates: (0..BARRIERS).map(|_| Gate::default()).collect() }
}

/// A warp of the block runs for a while; true when the block has ended.
fn turn(cx: &Context<'_>, env: &mut Env<'_>, running: &mut Running) -> Result<bool, Fault> {
    let count = running.warps.len();
    let chosen = env.rng.below(count);
    let Some(index) =
        (0..count).map(|ahead| (chosen + ahead) % count).find(|index| running.warps[*index].state == State::Ready)
    else {
        return Ok(false);
    };
    let length = [1, 8, 40, 40, 200, 200, 200, 1000][env.rng.below(8)];
    let Running { block, warps, gates } = running;
    let warp = &mut warps[index];
    if env.rng.one_in(16)
        && let Err(trouble) = units::complete_one(cx, env, block)
    {
        return Err(place(cx, block, warp, *trouble));
    }
    let outcome = slice(cx, env, block, warp, length).and_then(|flow| match flow {
        Flow::Barrier(arrival) => arrive(&mut block.clocks, gates, warp, arrival).map(|()| flow),
        flow => Ok(flow),
    });
    let flow = match outcome {
        Ok(flow) => flow,
        Err(trouble) => return Err(place(cx, block, warp, *trouble)),
    };
    if env.executed > cx.options.instruction_limit {
        let message = format!("more than {} instructions of warps", cx.options.instruction_limit);
        let trouble = Trouble { kind: FaultKind::InstructionLimit, message, address: None, lane: None };
        return Err(place(cx, block, warp, trouble));
    }
    if matches!(flow, Flow::Done) {
        warp.state = State::Done;
    }
    if matches!(flow, Flow::Done | Flow::Barrier(_)) {
        for gate in gates.iter_mut() {
            open(&mut block.clocks, gate, warps);
        }
        let ended = warps.iter().all(|warp| warp.state == State::Done);
        if ended && let Err(trouble) = bulk::drain(env, block) {
            return Err(place(cx, block, &warps[index], *trouble));
        }
        return Ok(ended);
    }
    Ok(false)
}

fn place(cx: &Context<'_>, block: &Block, warp: &Warp, trouble: Trouble) -> Fault {
    let mask = warp.stack.last().map_or(warp.live, |split| split.mask & warp.live);
    let lane = trouble.lane.unwrap_or(first(mask));
    Fault {
        kind: trouble.kind,
        message: trouble.message,
        address: trouble.address,
        place: Some(Place {
            kernel: cx.module.functions[cx.function].kernel.name.clone(),
            line: warp.line,
            block: block.id,
            thread: cx.thread(warp.index, lane),
        }),
    }
}

fn arrive(clocks: &mut Clocks, gates: &mut [Gate], warp: &mut Warp, arrival: Arrival) -> Checked<()> {
    let gate = &mut gates[arrival.id];
    if gate.threads == 0 {
        gate.count = arrival.count;
    } else if gate.count != arrival.count {
        let message = format!("barrier {} is used with different numbers of threads at a time", arrival.id);
        return trouble(FaultKind::Undefined, message);
    }
    gate.threads += WARP as u32;
    gate.holds += (arrival.input & arrival.mask).count_ones();
    if arrival.kind == BarrierKind::Arrive {
        gate.arrived.join(&clocks.release(warp.index));
    } else {
        warp.state = State::Barrier(arrival.id);
        gate.waiting.push((warp.index, arrival));
    }
    match gate.count {
        Some(count) if gate.threads > count => {
            trouble(FaultKind::Undefined, format!("more than {count} threads arrive at barrier {}", arrival.id))
        }
        _ => Ok(()),
    }
}

/// Lets the waiting warps go on when all are here.
fn open(clocks: &mut Clocks, gate: &mut Gate, warps: &mut [Warp]) {
    let full = match gate.count {
        _ if gate.threads == 0 => false,
        Some(count) => gate.threads >= count,
        None => {
            let live = warps.iter().filter(|warp| warp.state != State::Done).count();
            gate.waiting.len() >= live
        }
    };
    if !full {
        return;
    }
    let gate = std::mem::take(gate);
    let agents: Vec<usize> = gate.waiting.iter().map(|(index, _)| *index).collect();
    for &agent in &agents {
        clocks.acquire(agent, &gate.arrived);
    }
    clocks.barrier(&agents);
    let threads: u32 = gate.waiting.iter().map(|(_, arrival)| arrival.mask.count_ones()).sum();
    for (index, arrival) in gate.waiting {
        let holds = match arrival.kind {
            BarrierKind::And => gate.holds == threads,
            _ => gate.holds != 0,
        };
        warps[index].state = State::Ready;
        sink(&mut warps[index], arrival.result, arrival.mask, gate.holds.into(), holds);
    }
}

/// No warp can go on.
fn stuck(cx: &Context<'_>, running: &[Running]) -> Fault {
    for Running { block, warps, .. } in running {
        let waiting = warps.iter().find(|warp| matches!(warp.state, State::Barrier(_)));
        if let Some(warp) = waiting
            && let State::Barrier(id) = warp.state
        {
            let others = warps.iter().filter(|other| !matches!(other.state, State::Barrier(at) if at == id)).count();
            let message = format!("threads wait at barrier {id}, which {others} warps of the block do not reach");
            let trouble = Trouble { kind: FaultKind::Divergence, message, address: None, lane: None };
            return place(cx, block, warp, trouble);
        }
    }
    Fault::new(FaultKind::Deadlock, "all warps wait")
}
