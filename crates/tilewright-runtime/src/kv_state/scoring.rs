//! What a model adds to scores of attention besides its products, and which tokens its layers see.
//!
//! It comes in the object of a RoPE scaling, whose other settings are not of this file:
//!
//! * `attn_logit_softcapping` (Gemma 2): scores are `cap * tanh(score / cap)`;
//! * `sliding_windows`: for each layer the number of last tokens that a token sees, itself included, or null for all
//!   (Gemma 2 and 3, OLMo 3, Command R7B); with one entry for all layers;
//! * `alibi_slopes` (ALiBi, Press et al. 2021): for each query head, what a score loses with each token of distance.

use serde_json::Value as Json;

use crate::builtins::refused;
use crate::error::Result;

#[derive(Default, Debug)]
pub(super) struct Scoring {
    pub(super) cap: Option<f32>,
    /// For each layer; empty where all see everything.
    windows: Vec<Option<usize>>,
    /// For each query head; empty without ALiBi.
    pub(super) slopes: Vec<f32>,
}

impl Scoring {
    /// The settings in a text of JSON, which is empty, or an object or null.
    pub(super) fn parse(text: &str, layers: usize, heads: usize) -> Result<Self> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let settings: Json = serde_json::from_str(text)
            .map_err(|_| refused(format!("expected a RoPE scaling as an object of JSON, found {text:?}")))?;
        let cap = match settings.get("attn_logit_softcapping").filter(|given| !given.is_null()) {
            None => None,
            Some(given) => match given.as_f64().filter(|cap| *cap > 0.0 && *cap <= 1e30) {
                Some(cap) => Some(cap as f32),
                None => {
                    return Err(refused(format!("attn_logit_softcapping: expected a number above 0, found {given}")));
                }
            },
        };
        let window = |given: &Json| match given {
            Json::Null => Some(None),
            given => given.as_u64().filter(|size| (1..=1 << 32).contains(size)).map(|size| Some(size as usize)),
        };
        let expected = "numbers of tokens from 1 on, or null";
        let windows = list(&settings, "sliding_windows", layers, expected, window)?;
        let slope = |given: &Json| given.as_f64().map(|slope| slope as f32).filter(|slope| slope.abs() <= 1e6);
        let slopes = list(&settings, "alibi_slopes", heads, "numbers up to 1e6", slope)?;
        Ok(Self { cap, windows, slopes })
    }

    /// The tokens that a layer's tokens see; none for all.
    pub(super) fn window(&self, layer: usize) -> Option<usize> {
        self.windows.get(layer).copied().flatten()
    }

    /// The windows that there are, each once.
    pub(super) fn windows(&self) -> Vec<usize> {
        let mut found: Vec<usize> = self.windows.iter().copied().flatten().collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// A list of `count` entries, or of one that stands for all of them; none where the setting is absent.
fn list<T: Clone>(
    settings: &Json,
    name: &str,
    count: usize,
    expected: &str,
    entry: impl Fn(&Json) -> Option<T>,
) -> Result<Vec<T>> {
    let Some(given) = settings.get(name).filter(|given| !given.is_null()) else { return Ok(Vec::new()) };
    let entries: Option<Vec<T>> = given.as_array().and_then(|entries| entries.iter().map(entry).collect());
    match entries {
        Some(entries) if entries.len() == count => Ok(entries),
        Some(entries) if entries.len() == 1 => Ok(vec![entries[0].clone(); count]),
        _ => Err(refused(format!("{name}: expected a list of {count} entries or 1, {expected}, found {given}"))),
    }
}
