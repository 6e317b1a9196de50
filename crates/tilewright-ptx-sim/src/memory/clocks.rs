//! The order of events in a block: vector clocks of its agents.
//!
//! An agent is a warp, or a unit that works on its own (the copies of `cp.async.bulk`, the products of a
//! warpgroup). Every event that publishes work takes the next tick of the block. `seen[a][b]` is the last tick of
//! `b` whose work is ordered before what `a` does now; `seen[a][a]` stamps what `a` does.

/// What one agent knows: the ticks of all agents, and those whose ordinary stores asynchronous units may read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct View {
    pub(crate) seen: Vec<u32>,
    /// Like `seen`, for work that a `fence.proxy.async` has passed on.
    pub(crate) proxy: Vec<u32>,
}

impl View {
    fn new(agents: usize) -> View {
        View { seen: vec![0; agents], proxy: vec![0; agents] }
    }

    pub(crate) fn join(&mut self, other: &View) {
        join(&mut self.seen, &other.seen);
        join(&mut self.proxy, &other.proxy);
    }
}

fn join(to: &mut Vec<u32>, from: &[u32]) {
    if to.len() < from.len() {
        to.resize(from.len(), 0);
    }
    for (to, from) in to.iter_mut().zip(from) {
        *to = (*to).max(*from);
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Clocks {
    views: Vec<View>,
    /// The tick of the last event that ordered the lanes of a warp among themselves.
    lanes: Vec<u32>,
    tick: u32,
}

impl Clocks {
    pub(crate) fn new(agents: usize) -> Clocks {
        let mut views = vec![View::new(agents); agents];
        for (agent, view) in views.iter_mut().enumerate() {
            view.seen[agent] = 1;
        }
        Clocks { views, lanes: vec![1; agents], tick: 1 }
    }

    pub(crate) fn view(&self, agent: usize) -> &View {
        &self.views[agent]
    }

    /// The last tick of the block.
    pub(crate) fn tick(&self) -> u32 {
        self.tick
    }

    /// The stamp of what `agent` does now.
    pub(crate) fn now(&self, agent: usize) -> u32 {
        self.views[agent].seen[agent]
    }

    /// Whether `agent` knows of something that another one did at `stamp` or later.
    pub(crate) fn knows_of_others(&self, agent: usize, stamp: u32) -> bool {
        self.views[agent].seen.iter().enumerate().any(|(other, seen)| other != agent && *seen >= stamp)
    }

    fn advance(&mut self, agent: usize) {
        self.tick += 1;
        self.views[agent].seen[agent] = self.tick;
    }

    /// `agent` publishes all that it knows and did.
    pub(crate) fn release(&mut self, agent: usize) -> View {
        let view = self.views[agent].clone();
        self.advance(agent);
        view
    }

    /// `agent` learns of what others published, or one of its own lanes.
    pub(crate) fn acquire(&mut self, agent: usize, view: &View) {
        self.views[agent].join(view);
        if let Some(own) = view.seen.get(agent) {
            self.lanes[agent] = self.lanes[agent].max(own + 1);
        }
    }

    /// A barrier of some agents.
    pub(crate) fn barrier(&mut self, agents: &[usize]) {
        let mut all = View::default();
        for &agent in agents {
            all.join(&self.views[agent]);
        }
        for &agent in agents {
            self.views[agent].join(&all);
            self.advance(agent);
            self.lanes[agent] = self.tick;
        }
    }

    /// `fence.proxy.async`: asynchronous units may read all that the agent knows.
    pub(crate) fn proxy_fence(&mut self, agent: usize) {
        let view = &mut self.views[agent];
        let seen = view.seen.clone();
        join(&mut view.proxy, &seen);
        self.advance(agent);
    }

    /// Whether what thread (`by`, `by_lane`) did at `stamp` is ordered before what (`agent`, `lane`) does now.
    /// `by_lane` is 32 for several lanes.
    pub(crate) fn ordered(&self, by: usize, by_lane: u8, stamp: u32, agent: usize, lane: u8) -> bool {
        if by == agent {
            return by_lane == lane || stamp < self.lanes[agent];
        }
        self.views[agent].seen[by] >= stamp
    }

    /// Whether an asynchronous unit that `agent` starts may read what `by` stored at `stamp`.
    pub(crate) fn passed_on(&self, by: usize, stamp: u32, agent: usize) -> bool {
        self.views[agent].proxy.get(by).is_some_and(|seen| *seen >= stamp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_orders_what_was_before_it() {
        let mut clocks = Clocks::new(2);
        let stamp = clocks.now(0);
        assert!(!clocks.ordered(0, 0, stamp, 1, 0));
        clocks.barrier(&[0, 1]);
        assert!(clocks.ordered(0, 0, stamp, 1, 0));
        assert!(!clocks.ordered(0, 0, clocks.now(0), 1, 0));
    }

    #[test]
    fn a_release_is_seen_by_those_that_acquire_it() {
        let mut clocks = Clocks::new(3);
        let stamp = clocks.now(0);
        let view = clocks.release(0);
        clocks.acquire(1, &view);
        assert!(clocks.ordered(0, 5, stamp, 1, 0));
        assert!(!clocks.ordered(0, 5, stamp, 2, 0));
        assert!(!clocks.ordered(0, 5, clocks.now(0), 1, 0));
    }

    #[test]
    fn lanes_of_a_warp_need_a_barrier_too() {
        let mut clocks = Clocks::new(1);
        let stamp = clocks.now(0);
        clocks.release(0);
        assert!(clocks.ordered(0, 3, stamp, 0, 3));
        assert!(!clocks.ordered(0, 3, stamp, 0, 4));
        clocks.barrier(&[0]);
        assert!(clocks.ordered(0, 3, stamp, 0, 4));
    }

    #[test]
    fn stores_need_the_fence_of_their_proxy() {
        let mut clocks = Clocks::new(2);
        let stamp = clocks.now(0);
        assert!(!clocks.passed_on(0, stamp, 0));
        clocks.proxy_fence(0);
        clocks.barrier(&[0, 1]);
        assert!(clocks.passed_on(0, stamp, 1));
        assert!(!clocks.passed_on(0, clocks.now(0), 1));
    }
}
