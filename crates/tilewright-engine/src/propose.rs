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
//! Where proposals are mostly refused, the rows for them cost more than they gain: after [`LookupConfig::trial`]
//! proposed tokens in a window with a smaller share of accepted ones than `break_even`, nothing is proposed for
//! `pause` tokens of text.

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
    /// The share of accepted tokens under which proposing costs more than it gains.
    pub break_even: f32,
    /// After how many proposed tokens the share is looked at.
    pub trial: usize,
    /// For how many tokens of text nothing is proposed when the share was too small.
    pub pause: usize,
}

impl Default for LookupConfig {
    fn default() -> LookupConfig {
        LookupConfig { min_match: 3, max_match: 16, break_even: 0.25, trial: 32, pause: 128 }
    }
}

/// Proposes tokens of one sequence.
#[derive(Clone, Debug)]
pub struct PromptLookup {
    config: LookupConfig,
    tokens: Vec<u32>,
    /// By the hash of a run of `min_match` tokens, the ends of its last occurrences, the last first; 0 is none.
    ends: HashMap<u64, [usize; OCCURRENCES]>,
    proposed: usize,
    accepted: usize,
    /// The length of text from which on proposals are made again.
    resume_at: usize,
}

impl PromptLookup {
    /// A proposer without text.
    pub fn new(config: LookupConfig) -> PromptLookup {
        let config = LookupConfig { min_match: config.min_match.max(1), ..config };
        PromptLookup { config, tokens: Vec::new(), ends: HashMap::new(), proposed: 0, accepted: 0, resume_at: 0 }
    }

    /// Adds tokens of the prompt, or accepted ones.
    pub fn extend(&mut self, tokens: &[u32]) {
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
    pub fn propose(&self, count: usize) -> &[u32] {
        let end = self.tokens.len();
        let Some(start) = end.checked_sub(self.config.min_match) else { return &[] };
        if end < self.resume_at {
            return &[];
        }
        let Some(ends) = self.ends.get(&hash(&self.tokens[start..])) else { return &[] };
        let best = ends
            .iter()
            .copied()
            .filter(|at| *at > 0 && *at < end)
            .map(|at| (self.match_length(at), at))
            .filter(|(length, _)| *length >= self.config.min_match)
            .max();
        match best {
            Some((_, at)) => &self.tokens[at..end.min(at.saturating_add(count))],
            None => &[],
        }
    }

    /// How many tokens before `at` are those before the end.
    fn match_length(&self, at: usize) -> usize {
        let before = self.tokens[..at].iter().rev();
        let ending = self.tokens.iter().rev().take(self.config.max_match.max(self.config.min_match));
        before.zip(ending).take_while(|(a, b)| a == b).count()
    }

    /// Says how many of `proposed` tokens the model accepted.
    pub fn record(&mut self, proposed: usize, accepted: usize) {
        self.proposed += proposed;
        self.accepted += accepted.min(proposed);
        if self.proposed < self.config.trial.max(1) {
            return;
        }
        if (self.accepted as f32) < self.config.break_even * self.proposed as f32 {
            self.resume_at = self.tokens.len().saturating_add(self.config.pause);
        }
        (self.proposed, self.accepted) = (0, 0);
    }

    /// Takes the last tokens back.
    pub fn truncate(&mut self, len: usize) {
        if len < self.tokens.len() {
            // The index may name ends over the text: they are made again, which rolling back by a few tokens seldom
            // needs.
            let tokens = std::mem::take(&mut self.tokens);
            self.ends.clear();
            self.extend(&tokens[..len]);
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
        let mut lookup = PromptLookup::new(LookupConfig { min_match: 2, ..LookupConfig::default() });
        lookup.extend(tokens);
        lookup
    }

    #[test]
    fn continuations_of_the_same_tokens_are_proposed() {
        assert_eq!(lookup(&[1, 2, 3, 4, 9, 1, 2]).propose(2), [3, 4]);
        assert_eq!(lookup(&[1, 2, 3, 4, 9, 1, 2]).propose(9), [3, 4, 9, 1, 2]);
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
    fn a_repeated_token_proposes_itself() {
        assert_eq!(lookup(&[7, 7, 7]).propose(4), [7]);
    }

    #[test]
    fn proposing_stops_while_it_does_not_pay() {
        let config = LookupConfig { min_match: 1, trial: 8, pause: 3, break_even: 0.5, ..LookupConfig::default() };
        let mut lookup = PromptLookup::new(config);
        lookup.extend(&[1, 2, 1]);
        lookup.record(4, 1);
        assert_eq!(lookup.propose(1), [2]);
        lookup.record(4, 2);
        assert!(lookup.propose(1).is_empty());
        lookup.extend(&[2, 1]);
        assert!(lookup.propose(1).is_empty());
        lookup.extend(&[2]);
        assert_eq!(lookup.propose(1), [1]);
        lookup.record(8, 4);
        assert_eq!(lookup.propose(1), [1]);
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
            let follows = |at: usize| tokens[..at].ends_with(ending) && tokens[at..].starts_with(proposal);
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
