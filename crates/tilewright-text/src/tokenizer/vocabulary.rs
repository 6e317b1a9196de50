//! Tokenizers from what a GGUF file's metadata says, which is lists and names and no rules: the rules of each kind of
//! model are here.

use super::config::Ids;
use super::normalize::{normalizer, normalizers, pre_tokenizer};
use super::pieces::{Decoding, Pieces, fallback_byte};
use super::{Ends, MAX_TOKENS, Tokenizer, pre, refused};
use crate::Error;
use serde_json::{Value, json};
use tokenizers::models::{bpe::BPE, unigram::Unigram, wordpiece::WordPiece};
use tokenizers::normalizers::Precompiled;
use tokenizers::{AddedToken, ModelWrapper, NormalizerWrapper};

/// The longest token of a SentencePiece BPE: its merges are found by cutting it everywhere.
const MAX_PIECE_BYTES: usize = 1024;

/// A token's type, with the numbers of SentencePiece and GGUF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenType {
    /// Text that the model's rules find (1).
    #[default]
    Normal,
    /// What stands for text that no token covers (2).
    Unknown,
    /// A mark of the format, which text never becomes by itself (3).
    Control,
    /// Text that is one token wherever it is (4).
    UserDefined,
    /// A number without meaning (5).
    Unused,
    /// One byte of a character that no token covers (6).
    Byte,
}

impl TokenType {
    /// The type with that number.
    pub fn of_number(number: i64) -> Option<TokenType> {
        use TokenType::*;
        let all = [Normal, Unknown, Control, UserDefined, Unused, Byte];
        usize::try_from(number).ok().and_then(|n| n.checked_sub(1)).and_then(|n| all.get(n).copied())
    }
}

/// What a model file says about its tokens: the keys `tokenizer.ggml.*` of GGUF without that prefix.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// `model`: `gpt2` (byte-level BPE), `llama` (SentencePiece BPE), `t5` (SentencePiece unigram) or `bert`
    /// (WordPiece).
    pub model: String,
    /// `pre`: how a byte-level BPE cuts text, [`super::pre_tokenizer_names`].
    pub pre: Option<String>,
    /// `tokens`: the names by id.
    pub tokens: Vec<String>,
    /// `scores`, as many as tokens, or none.
    pub scores: Vec<f32>,
    /// `token_type`, as many as tokens, or none.
    pub token_types: Vec<TokenType>,
    /// `merges`: pairs of names with a space between them, the first before all others.
    pub merges: Vec<String>,
    /// `bos_token_id`
    pub bos: Option<u32>,
    /// `eos_token_id`
    pub eos: Option<u32>,
    /// `eot_token_id`: the end of a turn, which ends a generation too.
    pub eot: Option<u32>,
    /// `unknown_token_id`
    pub unk: Option<u32>,
    /// `padding_token_id`
    pub pad: Option<u32>,
    /// `seperator_token_id` (spelled so in the format)
    pub sep: Option<u32>,
    /// `cls_token_id`
    pub cls: Option<u32>,
    /// `add_bos_token`
    pub add_bos: Option<bool>,
    /// `add_eos_token`
    pub add_eos: Option<bool>,
    /// `add_space_prefix`: SentencePiece puts a space before a text (yes where the file does not say).
    pub add_space_prefix: Option<bool>,
    /// `remove_extra_whitespaces`: SentencePiece trims, and joins spaces (no where the file does not say).
    pub remove_extra_whitespaces: Option<bool>,
    /// `precompiled_charsmap`: SentencePiece's normalisation.
    pub charsmap: Vec<u8>,
    /// WordPiece in lower case and without accents (yes where the file does not say).
    pub lowercase: Option<bool>,
}

pub(super) fn build(vocabulary: &Vocabulary) -> Result<Tokenizer, Error> {
    check(vocabulary)?;
    let (model, decoding, default_bos) = match vocabulary.model.as_str() {
        "gpt2" => byte_level_bpe(vocabulary)?,
        "llama" | "t5" => sentencepiece(vocabulary)?,
        "bert" => word_piece(vocabulary)?,
        other => {
            return Err(Error::Tokenizer(format!("unknown model `{other}`, known are gpt2, llama, t5 and bert")));
        }
    };
    let mut inner = model;
    let added = vocabulary.tokens.iter().enumerate().filter_map(|(id, name)| added_token(vocabulary, id, name));
    let (special, other): (Vec<AddedToken>, Vec<AddedToken>) = added.partition(|token| token.special);
    inner.add_special_tokens(special).map_err(refused)?;
    inner.add_tokens(other).map_err(refused)?;
    let kind = |id: u32| kind_of(vocabulary, id as usize);
    let word_start = vocabulary.model == "bert";
    let pieces = Pieces::new(
        decoding,
        vocabulary.tokens.len(),
        |id| {
            vocabulary
                .tokens
                .get(id as usize)
                .map(|name| if word_start { bert_name(name, kind(id)) } else { name.clone() })
        },
        |id| matches!(kind(id), TokenType::Control | TokenType::Unknown),
    );
    let mut tokenizer = Tokenizer::new(inner, pieces, ends(vocabulary, default_bos));
    tokenizer.bos = vocabulary.bos.or(vocabulary.cls);
    tokenizer.eos = [vocabulary.eos, vocabulary.eot].into_iter().flatten().collect();
    tokenizer.eos.dedup();
    tokenizer.unk = vocabulary.unk;
    tokenizer.pad = vocabulary.pad;
    Ok(tokenizer)
}

fn check(vocabulary: &Vocabulary) -> Result<(), Error> {
    let len = vocabulary.tokens.len();
    if len == 0 || len > MAX_TOKENS {
        return Err(Error::Tokenizer(format!("{len} tokens, expected 1 to {MAX_TOKENS}")));
    }
    for (name, other) in [("scores", vocabulary.scores.len()), ("token types", vocabulary.token_types.len())] {
        if other != 0 && other != len {
            return Err(Error::Tokenizer(format!("{len} tokens, but {other} {name}")));
        }
    }
    if vocabulary.scores.iter().any(|score| score.is_nan()) {
        return Err(Error::Tokenizer("a score is not a number".into()));
    }
    let v = vocabulary;
    let roles = [
        ("bos", v.bos),
        ("eos", v.eos),
        ("eot", v.eot),
        ("unknown", v.unk),
        ("padding", v.pad),
        ("separator", v.sep),
        ("cls", v.cls),
    ];
    match roles.iter().find(|(_, id)| id.is_some_and(|id| id as usize >= len)) {
        Some((name, Some(id))) => {
            Err(Error::Tokenizer(format!("the {name} token is {id}, but there are {len} tokens")))
        }
        _ => Ok(()),
    }
}

fn kind_of(vocabulary: &Vocabulary, id: usize) -> TokenType {
    vocabulary.token_types.get(id).copied().unwrap_or_default()
}

fn added_token(vocabulary: &Vocabulary, id: usize, name: &str) -> Option<AddedToken> {
    let special = match kind_of(vocabulary, id) {
        TokenType::Control | TokenType::Unknown => true,
        TokenType::UserDefined => false,
        TokenType::Normal | TokenType::Unused | TokenType::Byte => return None,
    };
    (!name.is_empty()).then(|| AddedToken::from(name, special).normalized(false))
}

fn ends(vocabulary: &Vocabulary, default_bos: bool) -> Ends {
    if vocabulary.model == "bert" {
        let (prefix, suffix) = (vocabulary.cls.or(vocabulary.bos), vocabulary.sep.or(vocabulary.eos));
        return Ends::Fixed { prefix: prefix.into_iter().collect(), suffix: suffix.into_iter().collect() };
    }
    let add_bos = vocabulary.add_bos.unwrap_or(default_bos);
    let add_eos = vocabulary.add_eos.unwrap_or(vocabulary.model == "t5");
    Ends::Fixed {
        prefix: vocabulary.bos.filter(|_| add_bos).into_iter().collect(),
        suffix: vocabulary.eos.filter(|_| add_eos).into_iter().collect(),
    }
}

type Built = (tokenizers::Tokenizer, Decoding, bool);

fn ids(tokens: &[String]) -> Ids<'_> {
    // Of a name that occurs twice, the first id counts, as in the files' own tokenizers.
    let mut ids = Ids::with_capacity(tokens.len());
    for (name, id) in tokens.iter().zip(0u32..) {
        ids.entry(name.as_str()).or_insert(id);
    }
    ids
}

fn byte_level_bpe(vocabulary: &Vocabulary) -> Result<Built, Error> {
    let family = pre::family(vocabulary.pre.as_deref().unwrap_or("default"))?;
    let ids = ids(&vocabulary.tokens);
    let mut merges = Vec::with_capacity(vocabulary.merges.len());
    for merge in &vocabulary.merges {
        // A name may begin with a space in no vocabulary of this kind: spaces are written `Ġ`.
        let (left, right) = merge
            .split_once(' ')
            .ok_or_else(|| Error::Tokenizer(format!("the merge `{merge}` is not a pair of tokens")))?;
        let merged = [left, right].concat();
        if let Some(token) = [left, right, &merged].into_iter().find(|token| !ids.contains_key(*token)) {
            return Err(Error::Tokenizer(format!(
                "the merge `{merge}` names `{token}`, which is not in the vocabulary"
            )));
        }
        merges.push((left.to_string(), right.to_string()));
    }
    let model = BPE::builder()
        .vocab_and_merges(owned(&ids), merges)
        .ignore_merges(family.ignore_merges)
        .build()
        .map_err(refused)?;
    let mut inner = tokenizers::Tokenizer::new(ModelWrapper::BPE(model));
    inner.with_pre_tokenizer(Some(pre_tokenizer(json!({"type": "Sequence", "pretokenizers": family.stages}))?));
    if family.compose {
        inner.with_normalizer(Some(normalizer(json!({"type": "NFC"}))?)).map_err(refused)?;
    }
    Ok((inner, Decoding::byte_level(), family.add_bos))
}

fn owned(ids: &Ids) -> tokenizers::models::bpe::Vocab {
    ids.iter().map(|(name, id)| ((*name).to_string(), *id)).collect()
}

fn sentencepiece(vocabulary: &Vocabulary) -> Result<Built, Error> {
    let unigram = vocabulary.model == "t5";
    if vocabulary.scores.is_empty() {
        return Err(Error::Tokenizer("a SentencePiece vocabulary without scores".into()));
    }
    let unk = vocabulary.unk.or_else(|| {
        let position = vocabulary.token_types.iter().position(|kind| *kind == TokenType::Unknown)?;
        u32::try_from(position).ok()
    });
    let byte_fallback = vocabulary.tokens.iter().any(|name| fallback_byte(name).is_some());
    let model = if unigram {
        let pieces = vocabulary.tokens.iter().cloned().zip(vocabulary.scores.iter().map(|score| f64::from(*score)));
        let unk = unk.map(|id| id as usize);
        ModelWrapper::Unigram(Unigram::from(pieces.collect(), unk, byte_fallback).map_err(refused)?)
    } else {
        let ids = ids(&vocabulary.tokens);
        let mut builder = BPE::builder()
            .vocab_and_merges(owned(&ids), merges_of_scores(vocabulary, &ids)?)
            .fuse_unk(true)
            .byte_fallback(byte_fallback);
        if let Some(name) = unk.and_then(|id| vocabulary.tokens.get(id as usize)) {
            builder = builder.unk_token(name.clone());
        }
        ModelWrapper::BPE(builder.build().map_err(refused)?)
    };
    let prefixed = vocabulary.add_space_prefix.unwrap_or(true);
    let mut inner = tokenizers::Tokenizer::new(model);
    if unigram {
        // Words are found one by one; no token of such a model goes over a space.
        let cut = json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": true});
        inner.with_pre_tokenizer(Some(pre_tokenizer(cut)?));
    }
    let normal = sentencepiece_normalizer(vocabulary, prefixed)?;
    inner.with_normalizer(Some(normal)).map_err(refused)?;
    Ok((inner, Decoding::sentencepiece(prefixed), !unigram))
}

/// SentencePiece's own normalisation, then a space before the text (and before what follows a control token), then
/// `▁` for every space.
fn sentencepiece_normalizer(vocabulary: &Vocabulary, prefixed: bool) -> Result<NormalizerWrapper, Error> {
    let mut stages = Vec::new();
    if !vocabulary.charsmap.is_empty() {
        let map = Precompiled::from(&vocabulary.charsmap).map_err(|e| Error::Tokenizer(e.to_string()))?;
        stages.push(serde_json::to_value(NormalizerWrapper::Precompiled(map)).map_err(|e| refused(e.into()))?);
    }
    if vocabulary.remove_extra_whitespaces.unwrap_or(false) {
        stages.push(json!({"type": "Strip", "strip_left": true, "strip_right": true}));
        stages.push(json!({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}));
    }
    if prefixed {
        stages.push(json!({"type": "Prepend", "prepend": "▁"}));
    }
    stages.push(json!({"type": "Replace", "pattern": {"String": " "}, "content": "▁"}));
    normalizer(normalizers(stages))
}

/// SentencePiece merges the two neighbours whose union has the highest score. As merges: every cut of every token
/// into two tokens, by the score of the token, then by the ids of the parts.
fn merges_of_scores(vocabulary: &Vocabulary, ids: &Ids) -> Result<Vec<(String, String)>, Error> {
    let mut merges: Vec<(f32, u32, u32, u32)> = Vec::new();
    for (id, name) in (0u32..).zip(&vocabulary.tokens) {
        if name.len() > MAX_PIECE_BYTES {
            return Err(Error::Tokenizer(format!("token {id} has {} bytes, over {MAX_PIECE_BYTES}", name.len())));
        }
        let merged = matches!(kind_of(vocabulary, id as usize), TokenType::Normal | TokenType::UserDefined);
        if ids.get(name.as_str()) != Some(&id) || !merged {
            continue;
        }
        for (cut, _) in name.char_indices().skip(1) {
            let (left, right) = name.split_at(cut);
            if let (Some(left), Some(right)) = (ids.get(left), ids.get(right)) {
                merges.push((vocabulary.scores[id as usize], id, *left, *right));
            }
        }
    }
    merges.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))));
    let name = |id: u32| vocabulary.tokens[id as usize].clone();
    Ok(merges.into_iter().map(|(_, _, left, right)| (name(left), name(right))).collect())
}

fn word_piece(vocabulary: &Vocabulary) -> Result<Built, Error> {
    let names: Vec<String> =
        (0..).zip(&vocabulary.tokens).map(|(id, name)| bert_name(name, kind_of(vocabulary, id))).collect();
    let unk = vocabulary.unk.and_then(|id| names.get(id as usize)).map_or("[UNK]", String::as_str);
    if !names.iter().any(|name| name == unk) {
        return Err(Error::Tokenizer(format!("a WordPiece vocabulary without its unknown token `{unk}`")));
    }
    let vocab: tokenizers::models::bpe::Vocab = owned(&ids(&names));
    let model = WordPiece::builder().vocab(vocab).unk_token(unk.to_string()).build().map_err(refused)?;
    let mut inner = tokenizers::Tokenizer::new(ModelWrapper::WordPiece(model));
    let lowercase = vocabulary.lowercase.unwrap_or(true);
    let clean: Value = json!({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": lowercase});
    inner.with_normalizer(Some(normalizer(clean)?)).map_err(refused)?;
    inner.with_pre_tokenizer(Some(pre_tokenizer(json!({"type": "BertPreTokenizer"}))?));
    Ok((inner, Decoding::word_piece(), true))
}

/// GGUF marks the beginning of a word (`▁un`) where WordPiece marks its continuation (`##known`); files with
/// WordPiece's own names are taken too.
fn bert_name(name: &str, kind: TokenType) -> String {
    let bracketed = name.starts_with('[') && name.ends_with(']') && name.len() > 2;
    match name.strip_prefix('▁') {
        Some(word) if !word.is_empty() => word.to_string(),
        _ if name.starts_with("##") || kind != TokenType::Normal || bracketed => name.to_string(),
        _ => format!("##{name}"),
    }
}
