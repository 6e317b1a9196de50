//! Grammars: which tokens may come next.
//!
//! [`GrammarTokens`] is the vocabulary as a trie of bytes, made once for a tokenizer. A [`Constraint`] is one
//! generation's position in a grammar. Grammars come with requests and may be hostile: their size, the lexer's work
//! in a step and its states are bounded, and whatever goes wrong is an error of this one constraint.

use crate::Tokenizer;
use crate::error::{Error, guarded};
use llguidance::api::{GrammarWithLexer, TopLevelGrammar};
use llguidance::{Matcher, ParserFactory};
use serde_json::json;
use std::sync::Arc;
use toktrie::{ApproximateTokEnv, InferenceCapabilities, TokEnv, TokRxInfo, TokTrie};

/// The longest grammar, in bytes of its text.
const MAX_GRAMMAR_BYTES: usize = 1 << 20;
/// The symbols of a compiled grammar.
const MAX_GRAMMAR_SYMBOLS: usize = 200_000;
/// The states of a lexer, 1 to 2 KB each.
const MAX_LEXER_STATES: usize = 50_000;
/// White space between the tokens of JSON, where a schema does not say (`x-guidance`): a line break and what indents a
/// line. Without a bound, models go on with white space for ever.
const WHITE_SPACE: &str = r"\n?[ \t]{0,20}";

/// A grammar's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar<'a> {
    /// A JSON schema; references are within it (`#/…`).
    JsonSchema(&'a str),
    /// Any JSON object.
    JsonObject,
    /// A regular expression over the whole text.
    Regex(&'a str),
    /// Lark's form of context-free grammars.
    Lark(&'a str),
}

/// A tokenizer's vocabulary, prepared for grammars. Shared by all constraints.
pub struct GrammarTokens {
    factory: ParserFactory,
    vocab_size: usize,
    eos: Arc<[u32]>,
}

impl std::fmt::Debug for GrammarTokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GrammarTokens").field("vocab_size", &self.vocab_size).finish_non_exhaustive()
    }
}

impl GrammarTokens {
    /// # Errors
    /// A tokenizer that does not say which token ends a generation.
    pub fn new(tokenizer: &Tokenizer) -> Result<GrammarTokens, Error> {
        GrammarTokens::with_ends(tokenizer, tokenizer.eos())
    }

    /// With other tokens that end a generation than the tokenizer's own.
    ///
    /// # Errors
    /// There is none, or one that the vocabulary does not have.
    pub fn with_ends(tokenizer: &Tokenizer, ends: &[u32]) -> Result<GrammarTokens, Error> {
        let vocab_size = tokenizer.vocab_size();
        if let Some(end) = ends.iter().find(|end| **end as usize >= vocab_size) {
            return Err(Error::Grammar(format!("the token {end} is not in the vocabulary of {vocab_size}")));
        }
        let Some((first, others)) = ends.split_first() else {
            return Err(Error::Grammar("the tokenizer does not say which token ends a generation".into()));
        };
        guarded(Error::Grammar, || {
            let words: Vec<Vec<u8>> = (0..u32::try_from(vocab_size).unwrap_or(u32::MAX))
                .map(|id| {
                    let bytes = tokenizer.bytes_of(id);
                    // A control token is no text; its name after this byte is how a grammar can ask for it.
                    if tokenizer.is_special(id) {
                        [&[TokTrie::SPECIAL_TOKEN_MARKER], bytes].concat()
                    } else {
                        bytes.to_vec()
                    }
                })
                .collect();
            let info = TokRxInfo::new(u32::try_from(vocab_size).unwrap_or(u32::MAX), *first);
            let mut trie = TokTrie::from(&info, &words);
            if !others.is_empty() {
                trie = trie.with_eos_tokens(ends);
            }
            let env: TokEnv = Arc::new(ApproximateTokEnv::new(trie));
            let slices = llguidance::earley::SlicedBiasComputer::general_slices();
            let mut factory = ParserFactory::new(&env, InferenceCapabilities::default(), &slices).map_err(refused)?;
            factory.quiet();
            let limits = factory.limits_mut();
            limits.max_grammar_size = MAX_GRAMMAR_SYMBOLS;
            limits.max_lexer_states = MAX_LEXER_STATES;
            limits.verbose_errors = false;
            Ok(GrammarTokens { factory, vocab_size, eos: ends.into() })
        })
    }

    /// Begins a generation under a grammar.
    ///
    /// # Errors
    /// A grammar that is malformed, too large, or that no text fulfils.
    pub fn constraint(&self, grammar: Grammar) -> Result<Constraint, Error> {
        let text = match grammar {
            Grammar::JsonSchema(text) | Grammar::Regex(text) | Grammar::Lark(text) => text,
            Grammar::JsonObject => r#"{"type": "object"}"#,
        };
        if text.len() > MAX_GRAMMAR_BYTES {
            return Err(Error::Grammar(format!("{} bytes, over the limit of {MAX_GRAMMAR_BYTES}", text.len())));
        }
        let top = match grammar {
            Grammar::JsonSchema(_) | Grammar::JsonObject => {
                let mut schema: serde_json::Value =
                    serde_json::from_str(text).map_err(|e| Error::Grammar(format!("the schema is no JSON: {e}")))?;
                if let Some(fields) = schema.as_object_mut() {
                    fields.entry("x-guidance").or_insert_with(|| json!({"whitespace_pattern": WHITE_SPACE}));
                }
                TopLevelGrammar::from_json_schema(schema)
            }
            Grammar::Regex(text) => TopLevelGrammar::from_grammar(GrammarWithLexer::from_regex(text)),
            Grammar::Lark(text) => TopLevelGrammar::from_lark(text.to_string()),
        };
        guarded(Error::Grammar, || {
            let matcher = Matcher::new(self.factory.create_parser(top));
            match matcher.get_error() {
                Some(why) => Err(Error::Grammar(why)),
                None => Ok(Constraint { matcher, vocab_size: self.vocab_size, eos: self.eos.clone() }),
            }
        })
    }
}

/// The tokens that may come next: one bit for each id of the vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenMask {
    words: Vec<u32>,
    len: usize,
}

impl TokenMask {
    /// Bit `id % 32` of word `id / 32` is set where the token is allowed.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The size of the vocabulary. A model with more logits has none of the others allowed.
    pub fn vocab_size(&self) -> usize {
        self.len
    }

    /// Whether a token is allowed.
    pub fn allows(&self, id: u32) -> bool {
        let id = id as usize;
        id < self.len && self.words.get(id / 32).is_some_and(|word| word >> (id % 32) & 1 == 1)
    }

    /// How many tokens are allowed.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// One generation's position in its grammar.
pub struct Constraint {
    matcher: Matcher,
    vocab_size: usize,
    eos: Arc<[u32]>,
}

impl std::fmt::Debug for Constraint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Constraint").field("finished", &self.is_finished()).finish_non_exhaustive()
    }
}

impl Constraint {
    /// The tokens that may come next; the end token is among them where the text is complete.
    ///
    /// # Errors
    /// A step over the limits of work; a constraint that failed before or is finished.
    pub fn mask(&mut self) -> Result<TokenMask, Error> {
        guarded(Error::Grammar, || {
            let bits = self.matcher.compute_mask_or_eos().map_err(refused)?;
            let mut words = bits.as_slice().to_vec();
            words.resize(self.vocab_size.div_ceil(32), 0);
            if let (Some(last), used @ 1..) = (words.last_mut(), self.vocab_size % 32) {
                *last &= (1 << used) - 1;
            }
            Ok(TokenMask { words, len: self.vocab_size })
        })
    }

    /// Goes on with a token. Of a finished text, the end token changes nothing.
    ///
    /// # Errors
    /// A token that the grammar does not allow; the constraint stays where it was.
    pub fn accept(&mut self, id: u32) -> Result<(), Error> {
        if id as usize >= self.vocab_size {
            return Err(Error::Grammar(format!("the token {id} is not in the vocabulary")));
        }
        if self.is_finished() && self.eos.contains(&id) {
            return Ok(());
        }
        guarded(Error::Grammar, || match self.matcher.try_consume_tokens(&[id]).map_err(refused)? {
            0 => Err(Error::Grammar(format!("the grammar does not allow the token {id} here"))),
            _ => Ok(()),
        })
    }

    /// Goes back by `count` tokens, for tokens that were proposed and refused.
    ///
    /// # Errors
    /// More tokens than were accepted.
    pub fn roll_back(&mut self, count: usize) -> Result<(), Error> {
        guarded(Error::Grammar, || self.matcher.rollback(count).map_err(refused))
    }

    /// How many of `ids` the grammar allows from here, without going on.
    ///
    /// # Errors
    /// As [`Constraint::mask`].
    pub fn allowed_prefix(&mut self, ids: &[u32]) -> Result<usize, Error> {
        let known = ids.iter().take_while(|id| (**id as usize) < self.vocab_size).count();
        guarded(Error::Grammar, || self.matcher.validate_tokens(&ids[..known]).map_err(refused))
    }

    /// The text so far is complete; it may go on.
    ///
    /// # Errors
    /// As [`Constraint::mask`].
    pub fn is_accepting(&mut self) -> Result<bool, Error> {
        guarded(Error::Grammar, || self.matcher.is_accepting().map_err(refused))
    }

    /// Nothing may come after the text so far.
    pub fn is_finished(&self) -> bool {
        self.matcher.is_stopped()
    }
}

fn refused(error: impl std::fmt::Display) -> Error {
    Error::Grammar(error.to_string())
}

#[cfg(test)]
mod tests;
