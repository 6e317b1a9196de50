//! Search: which candidates of a space to measure next.
//!
//! The candidates that a space has first are measured first. Then, [`Strategy::Replay`] draws designs with fresh
//! decisions. [`Strategy::Evolutionary`] keeps a population of the best ones and of fresh draws, changes them for some
//! generations, orders all by the cost model and proposes the best that were never measured, with a few at random:
//! where the model is wrong, only these show it.

use tilewright_support::Set;

use crate::candidate::Candidate;
use crate::features::{Features, features};
use crate::model::Model;
use crate::random::Random;
use crate::space::Space;

/// How candidates after the first ones are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Those that the space has, and no others.
    Given,
    /// Designs with fresh decisions.
    Replay,
    /// Changes of the best ones, chosen by the cost model.
    Evolutionary,
}

/// Candidates of a generation, and generations for one proposal.
const POPULATION: usize = 48;
const GENERATIONS: usize = 3;
/// The share of the population that is drawn anew, and of a proposal that the model does not choose.
const FRESH: f64 = 0.25;
const AT_RANDOM: f64 = 0.15;
/// Draws in a row that are known already, after which there is nothing new.
const PATIENCE: usize = 64;

/// A search in a space.
#[derive(Debug)]
pub struct Search {
    space: Space,
    strategy: Strategy,
    random: Random,
    /// What was proposed already, by structure.
    proposed: Set<u64>,
    /// What was measured, with the logarithm of its cost, in the order of measuring.
    measured: Vec<(Candidate, Features, f64)>,
    /// How many of the space's first candidates were proposed.
    given: usize,
}

impl Search {
    pub fn new(space: Space, strategy: Strategy, seed: u64) -> Self {
        let random = Random::new(seed);
        Self { space, strategy, random, proposed: Set::default(), measured: Vec::new(), given: 0 }
    }

    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Candidates that were never proposed, so many at most; none where there is nothing new.
    pub fn propose(&mut self, count: usize) -> Vec<Candidate> {
        let mut proposal = Vec::new();
        while proposal.len() < count
            && let Some(candidate) = self.space.first().get(self.given).cloned()
        {
            self.given += 1;
            self.take(candidate, &mut proposal);
        }
        match self.strategy {
            Strategy::Given => {}
            Strategy::Replay => self.draw(count, &mut proposal),
            Strategy::Evolutionary => {
                self.evolve(count, &mut proposal);
                self.draw(count, &mut proposal);
            }
        }
        proposal
    }

    /// Learns what a candidate cost; the unit is the same for all candidates of a search.
    pub fn learn(&mut self, candidate: &Candidate, cost: f64) {
        if cost.is_finite() && cost > 0.0 {
            self.measured.push((candidate.clone(), features(candidate), cost.ln()));
        }
    }

    fn take(&mut self, candidate: Candidate, proposal: &mut Vec<Candidate>) -> bool {
        let is_new = self.proposed.insert(candidate.hash);
        if is_new {
            proposal.push(candidate);
        }
        is_new
    }

    fn draw(&mut self, count: usize, proposal: &mut Vec<Candidate>) {
        let mut known = 0;
        while proposal.len() < count && known < PATIENCE {
            let Some(candidate) = self.space.drawn(&mut self.random) else { return };
            known = if self.take(candidate, proposal) { 0 } else { known + 1 };
        }
    }

    fn evolve(&mut self, count: usize, proposal: &mut Vec<Candidate>) {
        let wanted = count.saturating_sub(proposal.len());
        if wanted == 0 {
            return;
        }
        let samples: Vec<(Features, f64)> = self.measured.iter().map(|(_, f, cost)| (f.clone(), *cost)).collect();
        let model = Model::fit(&samples);
        let mut all = self.offspring(&model);
        all.retain(|(candidate, _)| !self.proposed.contains(&candidate.hash));
        for _ in 0..wanted {
            if all.is_empty() {
                return;
            }
            let at = if self.random.share() < AT_RANDOM { self.random.below(all.len()) } else { 0 };
            let (candidate, _) = all.remove(at);
            self.take(candidate, proposal);
        }
    }

    /// Candidates that the population and its descendants are, the most promising first, each once.
    fn offspring(&mut self, model: &Model) -> Vec<(Candidate, f64)> {
        let mut ranked: Vec<(Candidate, f64)> =
            self.measured.iter().map(|(candidate, _, cost)| (candidate.clone(), *cost)).collect();
        ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
        ranked.truncate(POPULATION / 2);
        let mut seen: Set<u64> = ranked.iter().map(|(candidate, _)| candidate.hash).collect();
        let fresh = (POPULATION as f64 * FRESH) as usize;
        for _ in 0..if ranked.is_empty() { POPULATION } else { fresh } {
            let Some(candidate) = self.space.drawn(&mut self.random) else { break };
            if seen.insert(candidate.hash) {
                let cost = model.predict(&features(&candidate));
                ranked.push((candidate, cost));
            }
        }
        ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut parents = ranked.clone();
        for _ in 0..GENERATIONS {
            let mut children = Vec::new();
            for _ in 0..POPULATION {
                // The smaller of two draws: the better half three times as often as the other.
                let at = self.random.below(parents.len()).min(self.random.below(parents.len()));
                let Some((parent, _)) = parents.get(at) else { break };
                let Some(child) = self.space.neighbour(&mut self.random, parent) else { continue };
                if seen.insert(child.hash) {
                    let cost = model.predict(&features(&child));
                    children.push((child, cost));
                }
            }
            ranked.extend(children.iter().cloned());
            parents.extend(children);
            parents.sort_by(|a, b| a.1.total_cmp(&b.1));
            parents.truncate(POPULATION);
        }
        ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
        ranked
    }
}
