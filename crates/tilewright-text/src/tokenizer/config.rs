//! What is read from the JSON files of a tokenizer before `tokenizers` sees them, and `tokenizer_config.json`.

use crate::Error;
use serde_json::Value;
use std::collections::HashMap;

/// The roles and templates in a `tokenizer_config.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenizerConfig {
    /// The text of the token that begins a text.
    pub bos: Option<String>,
    /// The text of the token that ends one.
    pub eos: Option<String>,
    /// The text of the unknown token.
    pub unk: Option<String>,
    /// The text of the padding token.
    pub pad: Option<String>,
    /// Chat templates by name; a file with one has it as `default`.
    pub chat_templates: Vec<(String, String)>,
}

impl TokenizerConfig {
    /// Reads a `tokenizer_config.json`.
    ///
    /// # Errors
    /// Text that is not a JSON object; fields of other types.
    pub fn from_json(json: &[u8]) -> Result<TokenizerConfig, Error> {
        let config: Value = serde_json::from_slice(json).map_err(|e| Error::Tokenizer(e.to_string()))?;
        if !config.is_object() {
            return Err(Error::Tokenizer("tokenizer_config.json is not an object".into()));
        }
        let role = |name: &str| token_text(&config, name);
        Ok(TokenizerConfig {
            bos: role("bos_token")?,
            eos: role("eos_token")?,
            unk: role("unk_token")?,
            pad: role("pad_token")?,
            chat_templates: chat_templates(&config["chat_template"])?,
        })
    }

    /// The chat template that `transformers` takes: `tool_use` where there are tools and a template of that name,
    /// else `default`.
    pub fn chat_template(&self, has_tools: bool) -> Option<&str> {
        let named = |name: &str| self.chat_templates.iter().find(|(n, _)| n == name).map(|(_, text)| text.as_str());
        has_tools.then(|| named("tool_use")).flatten().or_else(|| named("default"))
    }
}

/// A token's text, which is a string or the `content` of an object.
fn token_text(config: &Value, name: &str) -> Result<Option<String>, Error> {
    match &config[name] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Object(token) if token.get("content").is_some_and(Value::is_string) => {
            Ok(token["content"].as_str().map(String::from))
        }
        _ => Err(Error::Tokenizer(format!("`{name}` is neither a string nor a token"))),
    }
}

fn chat_templates(value: &Value) -> Result<Vec<(String, String)>, Error> {
    let malformed = || Error::Tokenizer("`chat_template` is neither a string nor a list of named templates".into());
    match value {
        Value::Null => Ok(Vec::new()),
        Value::String(text) => Ok(vec![("default".into(), text.clone())]),
        Value::Array(all) => all
            .iter()
            .map(|one| match (&one["name"], &one["template"]) {
                (Value::String(name), Value::String(text)) => Ok((name.clone(), text.clone())),
                _ => Err(malformed()),
            })
            .collect(),
        _ => Err(malformed()),
    }
}

/// What the reader of a `tokenizer.json` has to know before `tokenizers` reads it.
pub(super) struct Head {
    pub(super) decoder: Value,
}

/// Refuses a `tokenizer.json` whose merges would read outside of a buffer in `tokenizers`.
pub(super) fn check_json(json: &[u8]) -> Result<Head, Error> {
    let mut file: Value = serde_json::from_slice(json).map_err(|e| Error::Tokenizer(e.to_string()))?;
    let model = &file["model"];
    if model["type"] == "BPE" || !model["merges"].is_null() {
        let vocabulary =
            model["vocab"].as_object().ok_or_else(|| Error::Tokenizer("a BPE model without `vocab`".into()))?;
        let prefix = model["continuing_subword_prefix"].as_str().unwrap_or("");
        for merge in model["merges"].as_array().into_iter().flatten() {
            check_merge(vocabulary, prefix, merge)?;
        }
    }
    Ok(Head { decoder: file["decoder"].take() })
}

fn check_merge(vocabulary: &serde_json::Map<String, Value>, prefix: &str, merge: &Value) -> Result<(), Error> {
    let pair = match merge {
        Value::String(text) => text.split_once(' '),
        Value::Array(pair) => match pair.as_slice() {
            [Value::String(a), Value::String(b)] => Some((a.as_str(), b.as_str())),
            _ => None,
        },
        _ => None,
    };
    let Some((left, right)) = pair else {
        return Err(Error::Tokenizer(format!("the merge {merge} is not a pair of tokens")));
    };
    // The model cuts the prefix from the second token by its length, whether the token begins with it or not.
    let Some(rest) = right.get(prefix.len()..) else {
        return Err(Error::Tokenizer(format!("the merge {merge} lacks the prefix `{prefix}`")));
    };
    let merged = [left, rest].concat();
    match [left, right, &merged].into_iter().find(|token| !vocabulary.contains_key(*token)) {
        Some(token) => {
            Err(Error::Tokenizer(format!("the merge {merge} names `{token}`, which is not in the vocabulary")))
        }
        None => Ok(()),
    }
}

/// Ids by token, for the builders.
pub(super) type Ids<'a> = HashMap<&'a str, u32>;
