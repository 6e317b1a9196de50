//! The pool's protocol, as a model that is small enough to try every order of its steps.
//!
//! Each step is one atomic operation of `pool.rs`, or what happens under one lock. Callers claim a slot, publish a
//! region of two tasks, work, close, wait and free the slot; a caller that finds no free slot does nothing. Workers
//! look for regions, help, leave and sleep. All steps are in one order, as on a machine that is sequentially
//! consistent: what orderings weaker than that allow is not tried.
//!
//! In every reachable state: no task runs twice or after its region has ended; a region ends with all of its tasks
//! done; nobody waits for ever; and no worker sleeps uncalled while a task waits for a thread. The same search finds
//! the violation for each of some planted faults.

use std::collections::HashSet;

const TASKS: u8 = 2;
const CLAIMED: u8 = 1;
const OPEN: u8 = 2;
const WAITING: u8 = 4;
const VISITOR: u8 = 16;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    None,
    /// A region is open without being claimed: with its last visitor gone it looks free before its owner is done.
    OpenIsNotClaimed,
    /// A worker does not look again after it has counted itself among the sleepers.
    NoLastLook,
    /// A caller looks for sleepers before it publishes.
    SleepersFirst,
    /// A caller that decides that nobody is to be woken counts its own region only.
    OwnRegionOnly,
    /// A caller does not wait for visitors.
    NoWait,
    /// The last visitor wakes nobody.
    SilentDeparture,
}

const FAULTS: [Fault; 6] = [
    Fault::OpenIsNotClaimed,
    Fault::NoLastLook,
    Fault::SleepersFirst,
    Fault::OwnRegionOnly,
    Fault::NoWait,
    Fault::SilentDeparture,
];

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Slot {
    control: u8,
    next: u8,
    /// Whose region it is.
    owner: u8,
}

/// Whether sleepers are to be woken; for callers that have published, and workers that have entered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Decide {
    LookForSleepers,
    CountTasks { sleepers: u8 },
    CountVisitors { sleepers: u8, tasks: u8 },
    Call { most: u8 },
    Decided,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Caller {
    Claim,
    Fill { slot: u8 },
    Open { slot: u8 },
    Publish { slot: u8 },
    Decide { slot: u8, step: Decide },
    Work { slot: u8 },
    Run { slot: u8, task: u8 },
    Close { slot: u8 },
    Look { slot: u8 },
    SayWaiting { slot: u8 },
    LookOrSleep { slot: u8 },
    Asleep { slot: u8 },
    Free { slot: u8 },
    Done,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Worker {
    Begin,
    Look { seen: u8, slot: u8 },
    Enter { seen: u8, slot: u8, control: u8 },
    Read { seen: u8, slot: u8 },
    Decide { seen: u8, slot: u8, region: u8, step: Decide },
    Work { seen: u8, slot: u8, region: u8 },
    Run { seen: u8, slot: u8, region: u8, task: u8 },
    Leave { seen: u8, slot: u8 },
    Wake { seen: u8, slot: u8 },
    News { seen: u8 },
    Count { seen: u8 },
    LastLook { seen: u8 },
    Asleep,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    slots: Vec<Slot>,
    published: u8,
    sleepers: u8,
    calls: u8,
    /// Who holds the lock of `calls`: a worker between `Count` and the end of `LastLook`.
    locked: bool,
    callers: Vec<Caller>,
    workers: Vec<Worker>,
    /// For each region, its tasks' runs.
    runs: Vec<[u8; TASKS as usize]>,
}

type Outcome = Result<(), String>;

impl State {
    fn new(slots: usize, callers: usize, workers: usize) -> Self {
        Self {
            slots: vec![Slot::default(); slots],
            published: 0,
            sleepers: 0,
            calls: 0,
            locked: false,
            callers: vec![Caller::Claim; callers],
            workers: vec![Worker::Begin; workers],
            runs: vec![[0; TASKS as usize]; callers],
        }
    }

    fn left(&self, slot: usize) -> u8 {
        let slot = self.slots[slot];
        if slot.control & OPEN != 0 { TASKS.saturating_sub(slot.next) } else { 0 }
    }

    /// Runs a task, if it has not run yet and its region goes on.
    fn run(&mut self, region: u8, task: u8) -> Outcome {
        if self.callers[region as usize] == Caller::Done {
            return Err(format!("task {task} of region {region} runs after the region's end"));
        }
        let runs = &mut self.runs[region as usize][task as usize];
        *runs += 1;
        if *runs > 1 { Err(format!("task {task} of region {region} runs twice")) } else { Ok(()) }
    }

    /// One step towards waking sleepers; none if it cannot be taken now.
    fn decide(&mut self, slot: u8, step: Decide, fault: Fault) -> Option<Decide> {
        Some(match step {
            Decide::LookForSleepers if self.sleepers == 0 => Decide::Decided,
            Decide::LookForSleepers => Decide::CountTasks { sleepers: self.sleepers },
            Decide::CountTasks { sleepers } => {
                let all = (0..self.slots.len()).map(|slot| self.left(slot)).sum::<u8>();
                let tasks = if fault == Fault::OwnRegionOnly { self.left(slot as usize) } else { all };
                Decide::CountVisitors { sleepers, tasks: tasks.saturating_sub(1) }
            }
            Decide::CountVisitors { sleepers, tasks } => {
                let busy: u8 = self.slots.iter().map(|slot| slot.control / VISITOR).sum();
                let awake = self.workers.len() as u8 - sleepers;
                match tasks.saturating_sub(awake.saturating_sub(busy)).min(2) {
                    0 => Decide::Decided,
                    most => Decide::Call { most },
                }
            }
            Decide::Call { .. } if self.locked => return None,
            Decide::Call { most } => {
                let called = self.sleepers.min(most);
                self.sleepers -= called;
                self.calls += called;
                Decide::Decided
            }
            Decide::Decided => return None,
        })
    }

    /// One step of a caller; false if it cannot go on now.
    fn step_caller(&mut self, me: usize, fault: Fault) -> Result<bool, String> {
        use self::Decide::*;
        use Caller::*;
        let looks_first = fault == Fault::SleepersFirst;
        let opened = if fault == Fault::OpenIsNotClaimed { OPEN } else { CLAIMED | OPEN };
        self.callers[me] = match self.callers[me] {
            Claim => match self.slots.iter().position(|slot| slot.control == 0) {
                Some(slot) => {
                    self.slots[slot].control = CLAIMED;
                    Fill { slot: slot as u8 }
                }
                None => Done,
            },
            Fill { slot } => {
                (self.slots[slot as usize].next, self.slots[slot as usize].owner) = (0, me as u8);
                Open { slot }
            }
            Open { slot } => {
                self.slots[slot as usize].control = opened;
                if looks_first { Decide { slot, step: LookForSleepers } } else { Publish { slot } }
            }
            Publish { slot } => {
                self.published += 1;
                if looks_first { Work { slot } } else { Decide { slot, step: LookForSleepers } }
            }
            Decide { slot, step: Decided } => {
                if looks_first {
                    Publish { slot }
                } else {
                    Work { slot }
                }
            }
            Decide { slot, step } => match self.decide(slot, step, fault) {
                Some(step) => Decide { slot, step },
                None => return Ok(false),
            },
            working => return self.step_working_caller(me, working, fault),
        };
        Ok(true)
    }

    /// As `step_caller`, from the first task on.
    fn step_working_caller(&mut self, me: usize, at: Caller, fault: Fault) -> Result<bool, String> {
        use Caller::*;
        self.callers[me] = match at {
            Work { slot } => {
                let task = self.slots[slot as usize].next;
                self.slots[slot as usize].next += 1;
                if task < TASKS { Run { slot, task } } else { Close { slot } }
            }
            Run { slot, task } => {
                self.run(me as u8, task)?;
                Work { slot }
            }
            Close { slot } => {
                self.slots[slot as usize].control &= !OPEN;
                if fault == Fault::NoWait { Free { slot } } else { Look { slot } }
            }
            // Looks once, for all the looks that change nothing.
            Look { slot } if self.slots[slot as usize].control < VISITOR => Free { slot },
            Look { slot } => SayWaiting { slot },
            SayWaiting { slot } => {
                self.slots[slot as usize].control |= WAITING;
                LookOrSleep { slot }
            }
            LookOrSleep { slot } if self.slots[slot as usize].control < VISITOR => Free { slot },
            LookOrSleep { slot } => Asleep { slot },
            Claim | Fill { .. } | Open { .. } | Publish { .. } | Decide { .. } | Asleep { .. } | Done => {
                return Ok(false);
            }
            Free { slot } => {
                self.slots[slot as usize].control = 0;
                if self.runs[me] != [1; TASKS as usize] {
                    return Err(format!("region {me} ends with its tasks run {:?} times", self.runs[me]));
                }
                Done
            }
        };
        Ok(true)
    }

    /// The next state of a worker that is done with a slot.
    fn after_slot(&self, seen: u8, slot: u8) -> Worker {
        let next = slot + 1;
        if usize::from(next) < self.slots.len() { Worker::Look { seen, slot: next } } else { Worker::News { seen } }
    }

    /// One step of a worker; false if it cannot go on now.
    fn step_worker(&mut self, me: usize, fault: Fault) -> Result<bool, String> {
        use Worker::*;
        self.workers[me] = match self.workers[me] {
            Begin => Look { seen: self.published, slot: 0 },
            Look { seen, slot } if self.left(slot as usize) > 0 => {
                Enter { seen, slot, control: self.slots[slot as usize].control }
            }
            Look { seen, slot } => self.after_slot(seen, slot),
            Enter { seen, slot, control } if self.slots[slot as usize].control == control => {
                self.slots[slot as usize].control += VISITOR;
                Read { seen, slot }
            }
            Enter { seen, slot, .. } => Look { seen, slot },
            Read { seen, slot } => {
                Decide { seen, slot, region: self.slots[slot as usize].owner, step: self::Decide::LookForSleepers }
            }
            Decide { seen, slot, region, step: self::Decide::Decided } => Work { seen, slot, region },
            Decide { seen, slot, region, step } => match self.decide(slot, step, fault) {
                Some(step) => Decide { seen, slot, region, step },
                None => return Ok(false),
            },
            News { seen } if self.published != seen => Begin,
            News { seen } => Count { seen },
            Count { .. } if self.locked => return Ok(false),
            Count { seen } => {
                self.locked = true;
                self.sleepers += 1;
                LastLook { seen }
            }
            LastLook { seen } => {
                self.locked = false;
                if self.published != seen && fault != Fault::NoLastLook {
                    self.sleepers -= 1;
                    Begin
                } else {
                    Asleep
                }
            }
            Asleep if self.calls > 0 && !self.locked => {
                self.calls -= 1;
                Begin
            }
            Asleep => return Ok(false),
            working => return self.step_working_worker(me, working, fault),
        };
        Ok(true)
    }

    /// As `step_worker`, from the first task of a region until the region is left.
    fn step_working_worker(&mut self, me: usize, at: Worker, fault: Fault) -> Result<bool, String> {
        use Worker::*;
        self.workers[me] = match at {
            Work { seen, slot, region } => {
                let task = self.slots[slot as usize].next;
                self.slots[slot as usize].next += 1;
                if task < TASKS { Run { seen, slot, region, task } } else { Leave { seen, slot } }
            }
            Run { seen, slot, region, task } => {
                self.run(region, task)?;
                Work { seen, slot, region }
            }
            Leave { seen, slot } => {
                let before = self.slots[slot as usize].control;
                let after = before.checked_sub(VISITOR).ok_or("a visitor leaves a slot that counts none")?;
                self.slots[slot as usize].control = after;
                let wakes = before & WAITING != 0 && before / VISITOR == 1 && fault != Fault::SilentDeparture;
                if wakes { Wake { seen, slot } } else { self.after_slot(seen, slot) }
            }
            Wake { seen, slot } => {
                for caller in &mut self.callers {
                    if let Caller::Asleep { slot } = *caller {
                        *caller = Caller::LookOrSleep { slot };
                    }
                }
                self.after_slot(seen, slot)
            }
            _ => return Ok(false),
        };
        Ok(true)
    }

    /// What must hold between any two steps.
    fn check(&self) -> Outcome {
        // Those who have not decided may still call a sleeper; those who have no task yet will find the one that waits.
        let decided = |caller: &Caller| {
            use Caller::*;
            matches!(caller, Claim | Fill { .. } | Work { .. } | Run { .. } | Close { .. } | Done)
        };
        let asleep = |worker: &Worker| *worker == Worker::Asleep;
        let busy = |worker: &Worker| asleep(worker) || matches!(worker, Worker::Run { .. });
        let waits = |caller: &Caller| matches!(*caller, Caller::Run { slot, .. } if self.left(slot as usize) > 0);
        if self.calls == 0
            && self.callers.iter().all(decided)
            && self.workers.iter().all(busy)
            && self.workers.iter().any(asleep)
            && let Some(region) = self.callers.iter().position(waits)
        {
            return Err(format!("a worker sleeps uncalled while a task of region {region} waits for a thread"));
        }
        Ok(())
    }
}

/// Tries every order of steps; the first violation, or the number of states.
fn search(start: State, fault: Fault) -> Result<usize, String> {
    let mut seen = HashSet::from([start.clone()]);
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        state.check()?;
        let mut goes_on = false;
        for index in 0..state.callers.len() + state.workers.len() {
            let mut after = state.clone();
            let went = match index.checked_sub(state.callers.len()) {
                None => after.step_caller(index, fault)?,
                Some(worker) => after.step_worker(worker, fault)?,
            };
            goes_on |= went;
            if went && seen.insert(after.clone()) {
                open.push(after);
            }
        }
        if !goes_on && state.callers.iter().any(|caller| *caller != Caller::Done) {
            return Err(format!("nobody can go on: {:?}", state.callers));
        }
    }
    Ok(seen.len())
}

/// Takes steps in random orders.
fn walk(start: &State, orders: u64) -> Outcome {
    let mut random = 1u64;
    for _ in 0..orders {
        let mut state = start.clone();
        let mut stuck = 0;
        // Whoever is drawn makes a step if that is possible; after so many failures nobody can.
        while stuck < 200 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let index = (random >> 33) as usize % (state.callers.len() + state.workers.len());
            let went = match index.checked_sub(state.callers.len()) {
                None => state.step_caller(index, Fault::None)?,
                Some(worker) => state.step_worker(worker, Fault::None)?,
            };
            stuck = if went { 0 } else { stuck + 1 };
            state.check()?;
        }
        if state.callers.iter().any(|caller| *caller != Caller::Done) {
            return Err(format!("nobody can go on: {:?}", state.callers));
        }
    }
    Ok(())
}

#[test]
fn every_order_of_steps_is_right() {
    for (slots, callers, workers) in [(1, 3, 1), (1, 2, 2), (2, 2, 1)] {
        let states = search(State::new(slots, callers, workers), Fault::None);
        assert!(states.as_ref().is_ok_and(|&states| states > 1000), "{slots} {callers} {workers}: {states:?}");
    }
}

#[test]
fn many_orders_of_more_steps_are_right() {
    for (slots, callers, workers) in [(2, 2, 2), (2, 3, 3), (3, 4, 2)] {
        let outcome = walk(&State::new(slots, callers, workers), 3000);
        assert!(outcome.is_ok(), "{slots} {callers} {workers}: {outcome:?}");
    }
}

#[test]
fn every_planted_fault_is_found() {
    for fault in FAULTS {
        let found = [(1, 3, 1), (2, 2, 2)]
            .into_iter()
            .find_map(|(slots, callers, workers)| search(State::new(slots, callers, workers), fault).err());
        assert!(found.is_some(), "{fault:?}");
    }
}
