//! Tokens that follow a prompt: the loop of forwards and choices.
//!
//! A step computes the logits after the last token, and chooses the next one. Where [`PromptLookup`] proposes tokens,
//! a step computes the logits after each of them too, in one forward of several rows: as long as the choice is the
//! proposed token, the next row's logits are those that the model would have given, and the step yields another
//! token. The rows of refused tokens are taken back. So proposals change the speed only: each token is chosen from
//! the logits of the text before it, with the sampler's next draw, as without them. (Logits of one row and of several
//! may differ in their last bits, where a model's kernels do.)
//!
//! A [`Guide`] says which tokens may come next. Its mask is the first step of the sampler.

use crate::error::{Error, Result};
use crate::model::Sequence;
use crate::propose::{LookupConfig, PromptLookup};
use crate::sampler::{Choice, Sampler, SamplerConfig};

/// What a generation follows as well as the model: a grammar, say.
pub trait Guide: Send {
    /// The tokens that may come next: bit `id % 32` of word `id / 32`. Tokens that end the text are among them where it
    /// may end.
    ///
    /// # Errors
    /// Nothing may come, or finding out takes too much.
    fn mask(&mut self) -> Result<Vec<u32>, String>;

    /// Goes on with a token.
    ///
    /// # Errors
    /// The token may not come next.
    fn accept(&mut self, token: u32) -> Result<(), String>;

    /// How many of these tokens may come next, one after another.
    ///
    /// # Errors
    /// Finding out takes too much.
    fn allowed_prefix(&mut self, tokens: &[u32]) -> Result<usize, String>;

    /// Whether nothing may come next.
    fn is_finished(&self) -> bool;
}

/// How a generation goes.
#[derive(Clone, Debug, Default)]
pub struct GeneratorConfig {
    /// How tokens are chosen.
    pub sampler: SamplerConfig,
    /// Tokens that end the text.
    pub ends: Vec<u32>,
    /// The most tokens that are generated.
    pub max_tokens: usize,
    /// How tokens are proposed, if they are.
    pub lookup: Option<LookupConfig>,
}

/// Why a generation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The model said so, or the guide allows nothing more.
    Stop,
    /// There are as many tokens as may be, or the context is full.
    Length,
}

/// What a step gave: a token or several, none where the text ended instead.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    pub choices: Vec<Choice>,
    pub end: Option<End>,
}

/// One generation. The sequence is handed to each step, and is the caller's between and after them.
pub struct Generator {
    config: GeneratorConfig,
    sampler: Sampler,
    lookup: Option<PromptLookup>,
    guide: Option<Box<dyn Guide>>,
    /// Tokens of the sequence before the last chosen one, which it does not have yet.
    seen: usize,
    last: Option<u32>,
    count: usize,
    end: Option<End>,
    proposed: usize,
    accepted: usize,
}

impl std::fmt::Debug for Generator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Generator").field("count", &self.count).field("end", &self.end).finish_non_exhaustive()
    }
}

impl Generator {
    /// # Errors
    /// A setting of the sampler that is out of its range.
    pub fn new(config: GeneratorConfig, guide: Option<Box<dyn Guide>>) -> Result<Self> {
        let sampler = Sampler::new(config.sampler.clone())?;
        let lookup = config.lookup.clone().map(PromptLookup::new);
        let (seen, last, count, end, proposed, accepted) = (0, None, 0, None, 0, 0);
        Ok(Self { config, sampler, lookup, guide, seen, last, count, end, proposed, accepted })
    }

    /// How many tokens were proposed, and how many of these accepted.
    pub fn proposals(&self) -> (usize, usize) {
        (self.proposed, self.accepted)
    }

    /// Makes the prompt the sequence's tokens, and chooses the first token.
    ///
    /// # Errors
    /// The prompt has no token, does not fit the context, the model fails, or no token can be chosen.
    pub fn begin(&mut self, sequence: &mut Sequence, prompt: &[u32]) -> Result<Step> {
        let logits = sequence.replace(prompt)?;
        self.sampler.see_prompt(prompt);
        if !sequence.model().can_verify() {
            self.lookup = None;
        }
        if let Some(lookup) = &mut self.lookup {
            lookup.see_prompt(prompt);
        }
        self.seen = prompt.len();
        let mut step = Step::default();
        if self.config.max_tokens == 0 {
            self.end = Some(End::Length);
        } else {
            self.choose(&logits, sequence, &mut step)?;
        }
        step.end = self.end;
        Ok(step)
    }

    /// Computes what the model says after the last token, and chooses the next one, or several. After an end there are
    /// none.
    ///
    /// # Errors
    /// The model fails, or no token can be chosen. The generation cannot go on then.
    pub fn step(&mut self, sequence: &mut Sequence) -> Result<Step> {
        let mut step = Step::default();
        if let (Some(last), None) = (self.last, self.end) {
            // The caller may have done something else with the sequence.
            if sequence.tokens().len() != self.seen {
                return Err(Error::Guide("the sequence was changed while text was generated".into()));
            }
            let proposal = self.proposal(sequence)?;
            if proposal.is_empty() {
                let logits = sequence.append(&[last])?;
                self.seen += 1;
                self.choose(&logits, sequence, &mut step)?;
            } else {
                self.verify(last, &proposal, sequence, &mut step)?;
            }
        }
        step.end = self.end;
        Ok(step)
    }

    /// Tokens that may come after the last one.
    fn proposal(&mut self, sequence: &Sequence) -> Result<Vec<u32>> {
        let Some(lookup) = &mut self.lookup else { return Ok(Vec::new()) };
        // The last token and the one that the last row chooses need room too.
        let room = sequence.room().saturating_sub(1).min(self.config.max_tokens - self.count - 1);
        let most = room.min(sequence.model().limits().chunk.saturating_sub(1));
        let mut proposal = lookup.propose(most);
        if let (Some(guide), false) = (&mut self.guide, proposal.is_empty()) {
            proposal.truncate(guide.allowed_prefix(&proposal).map_err(Error::Guide)?);
        }
        Ok(proposal)
    }

    fn verify(&mut self, last: u32, proposal: &[u32], sequence: &mut Sequence, step: &mut Step) -> Result<()> {
        let rows = [&[last], proposal].concat();
        let before = sequence.tokens().len();
        let logits = sequence.append_all(&rows)?;
        let mut accepted = 0;
        for row in logits.chunks(sequence.model().limits().vocabulary) {
            self.seen = before + 1 + accepted;
            self.choose(row, sequence, step)?;
            if self.end.is_some() || self.last != proposal.get(accepted).copied() {
                break;
            }
            accepted += 1;
        }
        sequence.truncate(self.seen)?;
        self.proposed += proposal.len();
        self.accepted += accepted;
        if let Some(lookup) = &mut self.lookup {
            lookup.record(proposal.len(), accepted);
        }
        Ok(())
    }

    /// Chooses the next token, which may be the end.
    fn choose(&mut self, logits: &[f32], sequence: &Sequence, step: &mut Step) -> Result<()> {
        let mask = self.guide.as_mut().map(|guide| guide.mask()).transpose().map_err(Error::Guide)?;
        let choice = self.sampler.sample(logits, mask.as_deref())?;
        let token = choice.token;
        self.last = Some(token);
        if self.config.ends.contains(&token) {
            self.end = Some(End::Stop);
            return Ok(());
        }
        self.sampler.accept(token);
        if let Some(lookup) = &mut self.lookup {
            lookup.extend(&[token]);
        }
        self.count += 1;
        step.choices.push(choice);
        if let Some(guide) = &mut self.guide {
            guide.accept(token).map_err(Error::Guide)?;
            if guide.is_finished() {
                self.end = Some(End::Stop);
                return Ok(());
            }
        }
        if self.count >= self.config.max_tokens || self.seen >= sequence.model().limits().context {
            self.end = Some(End::Length);
        }
        Ok(())
    }
}
