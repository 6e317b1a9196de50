//! Stages of `tokenizers` written as the JSON of its files, which is their stable interface.

use super::refused;
use crate::Error;
use serde_json::{Value, json};
use tokenizers::{NormalizerWrapper, PreTokenizerWrapper};

/// The normalizer that the JSON object describes.
pub(super) fn normalizer(value: Value) -> Result<NormalizerWrapper, Error> {
    serde_json::from_value(value).map_err(|e| refused(e.into()))
}

/// The pre-tokenizer that the JSON object describes.
pub(super) fn pre_tokenizer(value: Value) -> Result<PreTokenizerWrapper, Error> {
    serde_json::from_value(value).map_err(|e| refused(e.into()))
}

/// One stage made of several.
pub(super) fn normalizers(stages: Vec<Value>) -> Value {
    json!({"type": "Sequence", "normalizers": stages})
}
