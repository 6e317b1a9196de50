//! Tokens that may come next, from the text so far: prompt lookup (Saxena, "Prompt Lookup Decoding", 2023).
//!
//! Where the last tokens of a text occurred before, what followed them then is proposed; the model verifies the
//! proposal in one forward of several rows. That costs little where decoding waits for memory, and gains where
//! answers repeat their prompt: summaries, code, tables. Of the last four occurrences, the one with the longest equal
//! text before it counts, and of equal ones the last.
//!
//! An index holds, for every run of `min_match` tokens, where it occurred last (five times, with the ending itself),
//! so that a proposal costs the length of the match and not that of the text.
//!
//! **Switching off.** A step of several rows takes longer than one of a row, so refused proposals cost. An account
//! keeps what proposing has gained, in steps of one row: an accepted token gains one, a proposal of `n` tokens costs
//! `step_cost + n * row_cost`. It begins with `credit`, each token of the text adds `rate`, and it holds `most` at
//! most, so that a long copy is forgotten soon; nothing is proposed that it cannot pay. So a text costs `credit` and a
//! share `rate` of its steps more than without proposals, at worst. The length of proposals is doubled where all
//! tokens were accepted, and halved where less than half were.

use std::collections::HashMap;

/// How many occurrences of a run are known: the ending's own, and those before it.
const OCCURRENCES: usize = 5;

/// How proposals are made.
#[derive(Clone, Debug, PartialEq)]
pub struct LookupConfig {
    /// The shortest ending that counts, in tokens.
    pub min_match: usize,
    /// The longest ending that is compared, in tokens.
    pub max_match: usize,
    /// The most tokens of a proposal.
    pub max_length: usize,
    /// What a step of several rows costs more than one of a row, in steps of a row.
    pub step_cost: f32,
    /// What each proposed token costs, in steps of a row.
    pub row_cost: f32,
    /// What may be lost at first, in steps of a row.
    pub credit: f32,
    /// What may be lost for each token of text, in steps of a row.
    pub rate: f32,
    /// The most that is kept of what was gained, in steps of a row.
    pub most: f32,
}

impl Default for LookupConfig {
    /// Costs are those of SmolLM2 135M on two cores with AVX512-VNNI: 0.5 for 2 rows, 1.0 for 4, 1.25 for 8, 2.4
    /// for 16. Larger models, whose steps wait for memory, take less.
    fn default() -> LookupConfig {
        LookupConfig {
            min_match: 3,
            max_match: 16,
            max_length: 15,
            step_cost: 0.4,
            row_cost: 0.15,
            credit: 1.0,
            rate: 0.015,
            most: 6.0,
        }
    }
}

/// The length of the first proposal.
const FIRST_LENGTH: usize = 2;

/// Proposes tokens of one sequence.
#[derive(Clone, Debug)]
pub struct PromptLookup {
    config: LookupConfig,
    tokens: Vec<u32>,
    /// By the hash of a run of `min_match` tokens, the ends of its last occurrences, the last first; 0 is none.
    ends: HashMap<u64, [usize; OCCURRENCES]>,
    /// What may be lost, in steps of a row.
    account: f32,
    /// The length of the next proposal.
    length: usize,
}

impl PromptLookup {
    /// A proposer without text.
    pub fn new(config: LookupConfig) -> PromptLookup {
        let config = LookupConfig { min_match: config.min_match.max(1), ..config };
        let (account, length) = (config.credit, FIRST_LENGTH);
        PromptLookup { config, tokens: Vec::new(), ends: HashMap::new(), account, length }
    }

    /// Adds tokens of the prompt.
    pub fn see_prompt(&mut self, tokens: &[u32]) {
        self.index(tokens);
    }

    /// Adds tokens of the text.
    pub fn extend(&mut self, tokens: &[u32]) {
        self.account = (self.account + tokens.len() as f32 * self.config.rate).min(self.config.most);
        self.index(tokens);
    }

    fn index(&mut self, tokens: &[u32]) {
        for token in tokens {
            self.tokens.push(*token);
            let end = self.tokens.len();
            if let Some(start) = end.checked_sub(self.config.min_match) {
                let ends = self.ends.entry(hash(&self.tokens[start..])).or_insert([0; OCCURRENCES]);
                ends.rotate_right(1);
                ends[0] = end;
            }
        }
    }

    /// Up to `count` tokens that may come next; none without evidence, or while proposing does not pay.
    ///
    /// Where what followed reaches the end of the text, the text is taken to repeat itself.
    pub fn propose(&self, count: usize) -> Vec<u32> {
        let end = self.tokens.len();
        let Some(start) = end.checked_sub(self.config.min_match) else { return Vec::new() };
        let paid = ((self.account - self.config.step_cost) / self.config.row_cost.max(f32::MIN_POSITIVE)).max(0.0);
        let count = count.min(self.length).min(self.config.max_length).min(paid as usize);
        let Some(ends) = self.ends.get(&hash(&self.tokens[start..])) else { return Vec::new() };
        let best = ends
            .iter()
            .copied()
            .filter(|at| *at > 0 && *at < end)
            .map(|at| (self.match_length(at), at))
            .filter(|(length, _)| *length >= self.config.min_match)
            .max();
        match best {
            Some((_, at)) => self.tokens[at..].iter().copied().cycle().take(count).collect(),
            None => Vec::new(),
        }
    }

    /// How many tokens before `at` are those before the end.
    fn match_length(&self, at: usize) -> usize {
        let before = self.tokens[..at].iter().rev();
        let ending = self.tokens.iter().rev().take(self.config.max_match.max(self.config.min_match));
        before.zip(ending).take_while(|(a, b)| a == b).count()
    }

    /// Says how many of `proposed` tokens the model accepted. They are in the text by now, with the one after them.
    pub fn record(&mut self, proposed: usize, accepted: usize) {
        if proposed == 0 {
            return;
        }
        let LookupConfig { step_cost, row_cost, most, max_length, .. } = self.config;
        self.account = (self.account + accepted as f32 - step_cost - proposed as f32 * row_cost).min(most);
        if accepted >= proposed {
            self.length = (2 * proposed.max(self.length)).min(max_length);
        } else if 2 * accepted < proposed {
            self.length = (self.length / 2).max(1);
        }
    }

    /// Takes the last tokens back.
    pub fn truncate(&mut self, len: usize) {
        if len < self.tokens.len() {
            // The index may name ends over the text: they are made again, which rolling back by a few tokens seldom
            // needs.
            let tokens = std::mem::take(&mut self.tokens);
            self.ends.clear();
            self.index(&tokens[..len]);
        }
    }
}

/// FNV-1a over the tokens: runs of equal hash are compared, so a collision costs a proposal at most.
fn hash(tokens: &[u32]) -> u64 {
    tokens
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash, token| (hash ^ u64::from(*token)).wrapping_mul(0x0000_0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(tokens: &[u32]) -> PromptLookup {
        let mut lookup = PromptLookup::new(LookupConfig { min_match: 2, credit: 9.0, ..LookupConfig::default() });
        lookup.length = 15;
        lookup.see_prompt(tokens);
        lookup
    }

    #[test]
    fn continuations_of_the_same_tokens_are_proposed() {
        assert_eq!(lookup(&[1, 2, 3, 4, 9, 1, 2]).propose(2), [3, 4]);
        assert_eq!(lookup(&[1, 2, 3, 4, 9, 1, 2]).propose(9), [3, 4, 9, 1, 2, 3, 4, 9, 1]);
        // The later of two occurrences, but for a longer match.
        assert_eq!(lookup(&[1, 2, 5, 1, 2, 6, 1, 2]).propose(1), [6]);
        assert_eq!(lookup(&[8, 1, 2, 5, 7, 1, 2, 6, 8, 1, 2]).propose(1), [5]);
    }

    #[test]
    fn without_evidence_nothing_is_proposed() {
        assert!(lookup(&[]).propose(4).is_empty());
        assert!(lookup(&[1]).propose(4).is_empty());
        assert!(lookup(&[1, 2, 3]).propose(4).is_empty());
        assert!(lookup(&[1, 2, 3, 1, 2]).propose(0).is_empty());
    }

    #[test]
    fn a_text_that_repeats_itself_goes_on() {
        assert_eq!(lookup(&[7, 7, 7]).propose(4), [7; 4]);
    }

    /// Steps of a row that a text takes, and proposals cost, where `accepts` says how many of a proposal are accepted.
    fn cost_of(tokens: usize, accepts: impl Fn(usize) -> usize) -> (f32, usize) {
        let config = LookupConfig { min_match: 1, ..LookupConfig::default() };
        let mut lookup = PromptLookup::new(config.clone());
        // A text in which each token was there before.
        lookup.see_prompt(&vec![7; 64]);
        let (mut made, mut cost, mut proposals) = (0, 0.0, 0);
        while made < tokens {
            let proposed = lookup.propose(99).len();
            let accepted = accepts(proposed).min(proposed);
            cost += 1.0;
            if proposed > 0 {
                cost += config.step_cost + proposed as f32 * config.row_cost;
                proposals += 1;
            }
            made += accepted + 1;
            lookup.extend(&vec![7; accepted + 1]);
            lookup.record(proposed, accepted);
        }
        (cost, proposals)
    }

    #[test]
    fn proposing_stops_while_it_does_not_pay() {
        for tokens in [10, 100, 1000] {
            let (cost, proposals) = cost_of(tokens, |_| 0);
            assert!(proposals >= 1 && cost <= tokens as f32 * 1.015 + 1.0, "{tokens} tokens took {cost}");
            // A share of accepted tokens that pays for the rows, but not for the step.
            let (cost, _) = cost_of(tokens, |proposed| proposed / 8);
            assert!(cost <= tokens as f32 * 1.015 + 1.0, "{tokens} tokens took {cost}");
        }
    }

    #[test]
    fn copies_are_proposed_in_growing_lengths() {
        let (cost, _) = cost_of(200, |proposed| proposed);
        // 16 tokens for 3.65 steps, once the length has grown.
        assert!(cost < 200.0 / 3.5, "{cost}");
        let mut lookup = lookup(&[1, 2, 3, 4, 5, 6, 1, 2]);
        lookup.length = 2;
        assert_eq!(lookup.propose(9), [3, 4]);
        lookup.record(2, 2);
        assert_eq!(lookup.propose(9), [3, 4, 5, 6]);
        lookup.record(4, 1);
        assert_eq!(lookup.propose(9), [3, 4]);
        // After a long copy, what it gained is spent soon.
        for _ in 0..9 {
            lookup.record(15, 15);
        }
        assert_eq!(lookup.account, LookupConfig::default().most);
    }

    #[test]
    fn tokens_that_are_taken_back_are_forgotten() {
        let mut lookup = lookup(&[1, 2, 3, 1, 2, 4, 1, 2]);
        assert_eq!(lookup.propose(1), [4]);
        lookup.truncate(5);
        assert_eq!(lookup.propose(1), [3]);
        lookup.truncate(0);
        assert!(lookup.propose(1).is_empty());
    }

    proptest::proptest! {
        // A search through the whole text is the judge: what is proposed did follow the ending, and where the ending
        // occurred before, something is proposed.
        #[test]
        fn proposals_followed_the_ending_before(tokens in proptest::collection::vec(0u32..4, 0..60)) {
            let lookup = lookup(&tokens);
            let proposal = lookup.propose(3);
            let ending = &tokens[tokens.len().saturating_sub(2)..];
            let follows = |at: usize| tokens[..at].ends_with(ending) && tokens[at..].iter().cycle().zip(&proposal).all(|(a, b)| a == b);
            let before: Vec<usize> = (2..tokens.len()).filter(|at| tokens[..*at].ends_with(ending)).collect();
            if tokens.len() < 2 {
                proptest::prop_assert!(proposal.is_empty());
            } else {
                proptest::prop_assert_eq!(proposal.is_empty(), before.is_empty());
                proptest::prop_assert!(proposal.is_empty() || before.iter().any(|at| follows(*at)));
            }
        }
    }
}
