//! A compiled language model, and sequences of tokens that it has seen.

use std::sync::Arc;

use tilewright_runtime::{Executable, Function, Value, VirtualMachine, registry};
use tilewright_tensor::Tensor;

use crate::error::{Error, Result};
use crate::saved::Saved;

/// Tokens of a page of the cache.
const PAGE: i64 = 16;
/// The number of the only sequence of a cache.
const SEQUENCE: i64 = 0;

/// Limits of a model's sequences.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Tokens of a sequence, at most.
    pub context: usize,
    /// Tokens of a prompt that are computed in one step.
    pub chunk: usize,
    /// The number of tokens that there are.
    pub vocabulary: usize,
}

/// The functions of a language model in an executable, with its weights.
///
/// The functions are those of MLC LLM's models: `embed(tokens, weights)`, `prefill(embeddings, state, weights)` and
/// `decode(embeddings, state, weights)`, which give the logits of the last token and the state, and
/// `create_paged_kv_cache(batch, tokens, chunk, page, window)`; recurrent models have
/// `create_rnn_state(batch, history)` instead. `batch_verify(embeddings, state, weights)` gives the logits of all
/// tokens, for proposals.
#[derive(Clone, Debug)]
pub struct LanguageModel {
    embed: Function,
    prefill: Function,
    decode: Function,
    /// Logits of all tokens of a step, where the model has that.
    verify: Option<Function>,
    create: Create,
    weights: Value,
    limits: Limits,
}

/// What makes the state of sequences.
#[derive(Clone, Debug)]
enum Create {
    /// Pages of keys and values, from which tokens can be taken back.
    PagedCache(Function),
    /// States that only go on.
    Recurrent(Function),
}

impl LanguageModel {
    /// The model of an executable, whose functions take `weights` as their last argument.
    ///
    /// # Errors
    ///
    /// The executable lacks one of the functions, or is none for this machine.
    pub fn new(executable: Arc<Executable>, weights: &[Tensor], limits: Limits) -> Result<Self> {
        let machine = VirtualMachine::new(executable, &[])?;
        let function = |name: &'static str| {
            let found = || machine.function_names().map(str::to_owned).collect();
            machine.function(name).map_err(|_| Error::NoModel { function: name, found: found() })
        };
        Ok(Self {
            embed: function("embed")?,
            prefill: function("prefill")?,
            decode: function("decode")?,
            verify: function("batch_verify").ok(),
            create: match function("create_rnn_state") {
                Ok(function) => Create::Recurrent(function),
                Err(_) => Create::PagedCache(function("create_paged_kv_cache")?),
            },
            weights: Value::tuple(weights.iter().map(Value::from)),
            limits: Limits { context: limits.context.max(1), chunk: limits.chunk.max(1), ..limits },
        })
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// A sequence without tokens, with a cache of its own.
    ///
    /// # Errors
    ///
    /// There is not enough memory for the cache.
    pub fn sequence(&self) -> Result<Sequence> {
        let size = |size: i64| Value::shape(&[size]);
        let own = match &self.create {
            Create::PagedCache(create) => {
                let (context, chunk) = (self.limits.context as i64, self.limits.chunk as i64);
                create.call(&[1, context, chunk, PAGE, 0].map(size))?
            }
            Create::Recurrent(create) => create.call(&[1, 1].map(size))?,
        };
        state("kv_state_add_sequence", &[own.clone(), Value::Int(SEQUENCE)])?;
        Ok(Sequence { model: self.clone(), state: own, tokens: Vec::new() })
    }

    fn is_recurrent(&self) -> bool {
        matches!(self.create, Create::Recurrent(_))
    }

    /// Whether several tokens can be verified in one step, and refused ones taken back without computing again.
    pub fn can_verify(&self) -> bool {
        self.verify.is_some() && !self.is_recurrent()
    }
}

/// Calls a function for states of sequences.
fn state(name: &str, args: &[Value]) -> Result<Value> {
    Ok(registry::get(&format!("vm.builtin.{name}"))?(args)?)
}

/// Tokens that a model has seen, with the state that they left.
#[derive(Debug)]
pub struct Sequence {
    model: LanguageModel,
    state: Value,
    tokens: Vec<u32>,
}

impl Sequence {
    pub fn model(&self) -> &LanguageModel {
        &self.model
    }

    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Tokens that fit after those that there are.
    pub fn room(&self) -> usize {
        self.model.limits.context.saturating_sub(self.tokens.len())
    }

    /// Forgets all tokens but the first ones. A recurrent model computes these again.
    ///
    /// # Errors
    ///
    /// The state refuses, or the model fails.
    pub fn truncate(&mut self, count: usize) -> Result<()> {
        let Some(gone) = self.tokens.len().checked_sub(count).filter(|gone| *gone > 0) else { return Ok(()) };
        if !self.model.is_recurrent() {
            return self.take_back(gone);
        }
        let mut kept = std::mem::take(&mut self.tokens);
        kept.truncate(count);
        for name in ["kv_state_remove_sequence", "kv_state_add_sequence"] {
            state(name, &[self.state.clone(), Value::Int(SEQUENCE)])?;
        }
        if !kept.is_empty() {
            self.append(&kept)?;
        }
        Ok(())
    }

    fn take_back(&mut self, count: usize) -> Result<()> {
        let args = [self.state.clone(), Value::Int(SEQUENCE), Value::Int(count as i64)];
        state("kv_state_popn", &args)?;
        self.tokens.truncate(self.tokens.len() - count);
        Ok(())
    }

    /// Makes these tokens the sequence's, and gives the logits of the last one. Those that the sequence begins with
    /// already are not computed again, but for the last.
    ///
    /// # Errors
    ///
    /// As [`append`](Self::append).
    pub fn replace(&mut self, tokens: &[u32]) -> Result<Vec<f32>> {
        let same = self.tokens.iter().zip(tokens).take_while(|(a, b)| a == b).count();
        let mut kept = same.min(tokens.len().saturating_sub(1));
        // A recurrent model goes back to the beginning, or not at all.
        if self.model.is_recurrent() && kept < self.tokens.len() {
            kept = 0;
        }
        if tokens.len() > self.model.limits.context {
            return Err(Error::TooLong { tokens: tokens.len(), context: self.model.limits.context });
        }
        self.truncate(kept)?;
        self.append(&tokens[kept..])
    }

    /// Adds tokens, and gives the logits of the last one.
    ///
    /// # Errors
    ///
    /// There are none, one is not of the vocabulary, they do not fit the context, or the model fails; the sequence is
    /// as it was then.
    pub fn append(&mut self, tokens: &[u32]) -> Result<Vec<f32>> {
        self.check(tokens)?;
        let before = self.tokens.len();
        let mut logits = Value::None;
        for chunk in tokens.chunks(self.model.limits.chunk) {
            let function = if chunk.len() == 1 { &self.model.decode } else { &self.model.prefill }.clone();
            match self.step(&function, chunk) {
                Ok(found) => logits = found,
                Err(error) => {
                    self.truncate(before)?;
                    return Err(error);
                }
            }
        }
        numbers(&logits)
    }

    /// Adds tokens, and gives the logits of each of them after each other, computed in one step.
    ///
    /// # Errors
    ///
    /// As [`append`](Self::append); and more tokens than a step has, or a model that cannot.
    pub fn append_all(&mut self, tokens: &[u32]) -> Result<Vec<f32>> {
        let (limits, verify) = (self.model.limits, self.model.verify.clone());
        let Some(verify) = verify.filter(|_| self.model.can_verify()) else { return Err(Error::NoVerification) };
        self.check(tokens)?;
        if tokens.len() > limits.chunk {
            return Err(Error::TooLong { tokens: tokens.len(), context: limits.chunk });
        }
        let before = self.tokens.len();
        let logits = numbers(&self.step(&verify, tokens)?)?;
        if logits.len() != tokens.len() * limits.vocabulary {
            self.truncate(before)?;
            return Err(Error::NoLogits { found: format!("{} numbers for {} tokens", logits.len(), tokens.len()) });
        }
        Ok(logits)
    }

    /// The tokens with what the model keeps of them, as bytes; `model` says which model it is, with the options that
    /// change what it computes.
    ///
    /// # Errors
    ///
    /// The model is recurrent.
    pub fn save(&self, model: &[u8; 32]) -> Result<Vec<u8>> {
        if self.model.is_recurrent() {
            return Err(Error::Saved("the state of a recurrent model cannot be kept".into()));
        }
        let range = [0, self.tokens.len() as i64].map(Value::Int);
        let args = [&[self.state.clone(), Value::Int(SEQUENCE)][..], &range].concat();
        let stored = state("attention_kv_cache_stored", &args)?;
        let [Value::Tensor(keys), Value::Tensor(values)] = stored.as_tuple()? else {
            return Err(Error::Saved("the cache gave no keys and values".into()));
        };
        let saved = Saved { tokens: self.tokens.clone(), keys: keys.clone(), values: values.clone() };
        saved.to_bytes(model)
    }

    /// Makes this sequence the one of the bytes that `save` gave.
    ///
    /// # Errors
    ///
    /// The bytes are none of a sequence, are of another model, or do not fit this one and its context. Then the
    /// sequence has no tokens.
    pub fn restore(&mut self, file: &[u8], model: &[u8; 32]) -> Result<()> {
        if self.model.is_recurrent() {
            return Err(Error::Saved("the state of a recurrent model cannot be kept".into()));
        }
        self.truncate(0)?;
        let Saved { tokens, keys, values } = Saved::from_bytes(file, model)?;
        if tokens.is_empty() {
            return Ok(());
        }
        self.check(&tokens)?;
        let lengths = [self.state.clone(), Value::shape(&[SEQUENCE]), Value::shape(&[tokens.len() as i64])];
        state("kv_state_begin_forward", &lengths)?;
        let filled = state("attention_kv_cache_fill", &[self.state.clone(), keys.into(), values.into()]);
        state("kv_state_end_forward", &lengths[..1])?;
        self.tokens = tokens;
        if filled.is_err() {
            self.truncate(0)?;
        }
        filled.map(drop)
    }

    /// Whether these tokens may come next.
    fn check(&self, tokens: &[u32]) -> Result<()> {
        let (all, Limits { context, vocabulary, .. }) = (self.tokens.len() + tokens.len(), self.model.limits);
        if tokens.is_empty() {
            return Err(Error::NoTokens);
        }
        if all > context {
            return Err(Error::TooLong { tokens: all, context });
        }
        match tokens.iter().find(|token| **token as usize >= vocabulary) {
            Some(&token) => Err(Error::NoToken { token, vocabulary }),
            None => Ok(()),
        }
    }

    /// One step of the model, by one of its functions.
    fn step(&mut self, function: &Function, tokens: &[u32]) -> Result<Value> {
        let LanguageModel { embed, weights, .. } = &self.model;
        let ids: Vec<i32> = tokens.iter().map(|token| i32::try_from(*token).unwrap_or(i32::MAX)).collect();
        let count = ids.len() as i64;
        let embedded = embed.call(&[Tensor::from_vec(&[count], ids)?.into(), weights.clone()])?;
        let embedded = embedded.as_tensor()?;
        let width = embedded.shape().last().copied().unwrap_or(0);
        let rows = embedded.reshape(&[1, count, width])?;
        let lengths = [self.state.clone(), Value::shape(&[SEQUENCE]), Value::shape(&[count])];
        state("kv_state_begin_forward", &lengths)?;
        let result = function.call(&[rows.into(), self.state.clone(), weights.clone()]);
        state("kv_state_end_forward", &lengths[..1])?;
        match result {
            Ok(result) => {
                self.tokens.extend_from_slice(tokens);
                Ok(result.as_tuple()?.first().cloned().unwrap_or_default())
            }
            Err(error) => {
                let args = [self.state.clone(), Value::Int(SEQUENCE), Value::Int(count)];
                state("kv_state_popn", &args)?;
                Err(error.into())
            }
        }
    }
}

/// The numbers of logits.
fn numbers(logits: &Value) -> Result<Vec<f32>> {
    match logits {
        Value::Tensor(tensor) => Ok(tensor.to_vec::<f32>()?),
        other => Err(Error::NoLogits { found: other.kind_name().to_owned() }),
    }
}
