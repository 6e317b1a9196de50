//! A token from the logits of a position.
//!
//! Steps, in this order, each of which may be off: the grammar's mask; `logit_bias`; penalties for tokens that
//! occurred; temperature; top-k; top-p; min-p; a draw. Log-probabilities are those of the model: of the softmax of
//! the logits as they came, before any step, over the whole vocabulary.
//!
//! **Penalties.** Repetition (Keskar et al., "CTRL", 2019, as in `transformers`): a positive logit of a token that
//! occurred in the prompt or the text is divided by it, a negative one multiplied. Presence and frequency (OpenAI):
//! for a token that occurred `n > 0` times in the generated text, `presence + n * frequency` is subtracted.
//!
//! **Truncation.** Top-k keeps the `k` tokens of the highest logits. Top-p keeps the smallest set of most probable
//! tokens whose sum reaches `p`; min-p keeps tokens of at least `min_p` times the highest probability. Both see the
//! probabilities that are left after the steps before. Of equal logits, the lower id comes first, so that a result
//! never depends on the order of a selection.
//!
//! **Cost.** One pass over the logits for the mask and the maximum; the `k` highest are selected, not sorted, and
//! only these are sorted. Without top-k, top-p takes candidates in growing portions (64, 256, …), since a few tokens
//! have almost all of the probability.

use crate::Random;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;

/// How many candidates top-p looks at first; it takes four times as many until they are enough.
const FIRST_PORTION: usize = 64;

/// How a token is chosen. The default is a draw from the model's distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplerConfig {
    /// Logits are divided by it; 0 takes the highest.
    pub temperature: f32,
    /// How many tokens are kept; 0 is all.
    pub top_k: usize,
    /// Which probability is kept; 1 is all.
    pub top_p: f32,
    /// Which fraction of the highest probability a token must have; 0 is off.
    pub min_p: f32,
    /// 1 is off.
    pub repetition_penalty: f32,
    /// 0 is off.
    pub presence_penalty: f32,
    /// 0 is off.
    pub frequency_penalty: f32,
    /// What is added to the logits of tokens.
    pub logit_bias: Vec<(u32, f32)>,
    /// The seed of the draws.
    pub seed: u64,
    /// How many of the most probable tokens [`Choice::top`] says.
    pub top_logprobs: usize,
    /// Whether log-probabilities are computed, which takes an exponential of each logit; without, they are 0.
    pub logprobs: bool,
}

impl Default for SamplerConfig {
    fn default() -> SamplerConfig {
        SamplerConfig {
            temperature: 1.0,
            top_k: 0,
            top_p: 1.0,
            min_p: 0.0,
            repetition_penalty: 1.0,
            presence_penalty: 0.0,
            frequency_penalty: 0.0,
            logit_bias: Vec::new(),
            seed: 0,
            top_logprobs: 0,
            logprobs: true,
        }
    }
}

/// Why no token was chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum SamplerError {
    /// A setting outside of its range.
    Setting { name: &'static str, value: f32, expected: &'static str },
    /// A logit that is not a number, or positive infinity: the model's computation failed.
    BadLogit { token: usize, value: f32 },
    /// The mask, the biases and the logits leave no token.
    NothingAllowed,
    /// A token of the text or of a bias that has no logit.
    UnknownToken { token: u32, vocab_size: usize },
    /// A mask of another size than the logits.
    MaskTooShort { words: usize, vocab_size: usize },
}

impl fmt::Display for SamplerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SamplerError::Setting { name, value, expected } => write!(f, "{name} is {value}, expected {expected}"),
            SamplerError::BadLogit { token, value } => {
                write!(f, "the logit of token {token} is {value}: the model's computation failed")
            }
            SamplerError::NothingAllowed => f.write_str("no token is allowed: the mask and biases exclude all of them"),
            SamplerError::UnknownToken { token, vocab_size } => {
                write!(f, "token {token} has no logit, the model has {vocab_size}")
            }
            SamplerError::MaskTooShort { words, vocab_size } => {
                write!(f, "a mask of {words} words for {vocab_size} logits")
            }
        }
    }
}

impl std::error::Error for SamplerError {}

/// The token that was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The token.
    pub token: u32,
    /// The natural logarithm of its probability in the model's own distribution, 0 where the configuration has none.
    pub logprob: f32,
    /// The most probable tokens of that distribution, the most probable first.
    pub top: Vec<(u32, f32)>,
}

/// Chooses the tokens of one sequence, and counts them for the penalties.
#[derive(Clone, Debug)]
pub struct Sampler {
    config: SamplerConfig,
    random: Random,
    /// How often a token was generated; 0 for tokens of the prompt alone.
    counts: HashMap<u32, u32>,
    logits: Vec<f32>,
    ids: Vec<u32>,
}

impl Sampler {
    /// # Errors
    /// A setting outside of its range.
    pub fn new(config: SamplerConfig) -> Result<Sampler, SamplerError> {
        let check = |name, value: f32, ok: bool, expected| {
            if ok && !value.is_nan() { Ok(()) } else { Err(SamplerError::Setting { name, value, expected }) }
        };
        let c = &config;
        check("temperature", c.temperature, (0.0..=100.0).contains(&c.temperature), "0 to 100")?;
        check("top_p", c.top_p, (0.0..=1.0).contains(&c.top_p), "0 to 1")?;
        check("min_p", c.min_p, (0.0..=1.0).contains(&c.min_p), "0 to 1")?;
        let repetition = c.repetition_penalty;
        check("repetition_penalty", repetition, repetition > 0.0 && repetition.is_finite(), "a positive number")?;
        for (name, value) in [("presence_penalty", c.presence_penalty), ("frequency_penalty", c.frequency_penalty)] {
            check(name, value, value.is_finite(), "a finite number")?;
        }
        for (_, bias) in &c.logit_bias {
            check("logit_bias", *bias, *bias < f32::INFINITY, "a number or negative infinity")?;
        }
        let random = Random::new(config.seed);
        Ok(Sampler { config, random, counts: HashMap::new(), logits: Vec::new(), ids: Vec::new() })
    }

    /// Says which tokens the prompt has, for the repetition penalty.
    pub fn see_prompt(&mut self, tokens: &[u32]) {
        for token in tokens {
            self.counts.entry(*token).or_insert(0);
        }
    }

    /// Counts a token as generated. [`Sampler::sample`] does not: a token may be refused after it was chosen.
    pub fn accept(&mut self, token: u32) {
        let count = self.counts.entry(token).or_insert(0);
        *count = count.saturating_add(1);
    }

    /// Chooses a token from the logits of all tokens. Bit `id % 32` of word `id / 32` of `mask` says whether a token
    /// is allowed; tokens over the mask's last word are not.
    ///
    /// # Errors
    /// Logits that are no numbers, nothing that is allowed, tokens without logit.
    pub fn sample(&mut self, logits: &[f32], mask: Option<&[u32]>) -> Result<Choice, SamplerError> {
        let highest = check_logits(logits)?;
        let mut scores = std::mem::take(&mut self.logits);
        let mut ids = std::mem::take(&mut self.ids);
        scores.clear();
        scores.extend_from_slice(logits);
        let token = self.adjust(&mut scores, mask).and_then(|()| self.choose(&scores, &mut ids));
        (self.logits, self.ids) = (scores, ids);
        let token = token?;
        if !self.config.logprobs {
            return Ok(Choice { token, logprob: 0.0, top: Vec::new() });
        }
        let log_sum = log_sum_exp(logits, highest);
        let logprob = |id: u32| (f64::from(logits[id as usize]) - log_sum) as f32;
        let top = top_ids(logits, self.config.top_logprobs).into_iter().map(|id| (id, logprob(id))).collect();
        Ok(Choice { token, logprob: logprob(token), top })
    }

    /// Mask, biases and penalties.
    fn adjust(&self, scores: &mut [f32], mask: Option<&[u32]>) -> Result<(), SamplerError> {
        let vocab_size = scores.len();
        if let Some(mask) = mask {
            apply_mask(scores, mask)?;
        }
        let place = |token: u32| {
            if (token as usize) < vocab_size {
                Ok(token as usize)
            } else {
                Err(SamplerError::UnknownToken { token, vocab_size })
            }
        };
        for (token, bias) in &self.config.logit_bias {
            scores[place(*token)?] += bias;
        }
        let (repetition, presence, frequency) =
            (self.config.repetition_penalty, self.config.presence_penalty, self.config.frequency_penalty);
        if repetition == 1.0 && presence == 0.0 && frequency == 0.0 {
            return Ok(());
        }
        for (token, count) in &self.counts {
            let score = &mut scores[place(*token)?];
            if repetition != 1.0 && score.is_finite() {
                *score = if *score > 0.0 { *score / repetition } else { *score * repetition };
            }
            if *count > 0 {
                *score -= presence + frequency * *count as f32;
            }
        }
        Ok(())
    }

    /// Temperature, truncation, draw.
    fn choose(&mut self, scores: &[f32], ids: &mut Vec<u32>) -> Result<u32, SamplerError> {
        let best = (0u32..)
            .zip(scores)
            .filter(|(_, score)| **score > f32::NEG_INFINITY)
            .reduce(|best, next| if next.1 > best.1 { next } else { best });
        let Some((best, highest)) = best.map(|(id, score)| (id, *score)) else {
            return Err(SamplerError::NothingAllowed);
        };
        let config = &self.config;
        if config.temperature == 0.0 || config.top_k == 1 {
            return Ok(best);
        }
        ids.clear();
        ids.extend((0u32..).zip(scores).filter(|(_, score)| **score > f32::NEG_INFINITY).map(|(id, _)| id));
        if config.top_k > 0 {
            keep_top(ids, scores, config.top_k);
        }
        let weight = |id: u32| f64::exp(f64::from(scores[id as usize] - highest) / f64::from(config.temperature));
        if config.top_p < 1.0 {
            keep_probability(ids, scores, f64::from(config.top_p), weight);
        }
        if config.min_p > 0.0 {
            // The highest weight is 1.
            ids.retain(|id| weight(*id) >= f64::from(config.min_p));
        }
        let total: f64 = ids.iter().map(|id| weight(*id)).sum();
        let mut rest = self.random.next_unit() * total;
        for id in ids.iter() {
            rest -= weight(*id);
            if rest < 0.0 {
                return Ok(*id);
            }
        }
        // Rounding can leave a rest: then the draw was at the end.
        Ok(ids.iter().rev().copied().find(|id| weight(*id) > 0.0).unwrap_or(best))
    }
}

/// The highest logit.
fn check_logits(logits: &[f32]) -> Result<f32, SamplerError> {
    let highest = logits.iter().fold(f32::NEG_INFINITY, |highest, logit| f32::max(highest, *logit));
    let bad = |logit: &f32| logit.is_nan() || *logit == f32::INFINITY;
    if let Some(token) = logits.iter().position(bad) {
        return Err(SamplerError::BadLogit { token, value: logits[token] });
    }
    if highest == f32::NEG_INFINITY { Err(SamplerError::NothingAllowed) } else { Ok(highest) }
}

fn apply_mask(scores: &mut [f32], mask: &[u32]) -> Result<(), SamplerError> {
    if mask.is_empty() {
        return Err(SamplerError::MaskTooShort { words: 0, vocab_size: scores.len() });
    }
    for (index, part) in scores.chunks_mut(32).enumerate() {
        let word = mask.get(index).copied().unwrap_or(0);
        if word == u32::MAX {
            continue;
        }
        for (bit, score) in part.iter_mut().enumerate() {
            if word >> bit & 1 == 0 {
                *score = f32::NEG_INFINITY;
            }
        }
    }
    Ok(())
}

/// The higher score first, then the lower id.
fn by_score(scores: &[f32]) -> impl Fn(&u32, &u32) -> Ordering {
    |a, b| scores[*b as usize].total_cmp(&scores[*a as usize]).then(a.cmp(b))
}

/// Keeps the `count` best of `ids`, sorted.
fn keep_top(ids: &mut Vec<u32>, scores: &[f32], count: usize) {
    if count < ids.len() {
        ids.select_nth_unstable_by(count, by_score(scores));
        ids.truncate(count);
    }
    ids.sort_unstable_by(by_score(scores));
}

/// Keeps the fewest of the best ids that have the probability `p` together, at least one.
fn keep_probability(ids: &mut Vec<u32>, scores: &[f32], p: f64, weight: impl Fn(u32) -> f64) {
    let total: f64 = ids.iter().map(|id| weight(*id)).sum();
    let (mut sum, mut done, mut portion) = (0.0, 0, FIRST_PORTION);
    while done < ids.len() {
        let end = ids.len().min(done + portion);
        let rest = &mut ids[done..];
        if portion < rest.len() {
            rest.select_nth_unstable_by(portion, by_score(scores));
        }
        ids[done..end].sort_unstable_by(by_score(scores));
        for index in done..end {
            sum += weight(ids[index]);
            if sum >= p * total {
                ids.truncate(index + 1);
                return;
            }
        }
        done = end;
        portion *= 4;
    }
}

/// The logarithm of the sum of exponentials.
fn log_sum_exp(logits: &[f32], highest: f32) -> f64 {
    let sum: f64 = logits.iter().map(|logit| f64::exp(f64::from(logit - highest))).sum();
    f64::from(highest) + sum.ln()
}

fn top_ids(logits: &[f32], count: usize) -> Vec<u32> {
    if count == 0 {
        return Vec::new();
    }
    let mut ids: Vec<u32> = (0u32..).zip(logits).map(|(id, _)| id).collect();
    keep_top(&mut ids, logits, count);
    ids
}

#[cfg(test)]
mod tests;
