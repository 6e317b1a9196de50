//! The pre-tokenizers that GGUF files name (`tokenizer.ggml.pre`): how text is cut before the merges of a byte-level
//! BPE.
//!
//! The regular expressions are those of the models' own `tokenizer.json` files; models of one family share them.

use crate::Error;
use serde_json::{Value, json};

/// cl100k: at most three digits together.
const CL100K: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// Qwen 2: as cl100k, with single digits.
const QWEN2: &str =
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// Qwen 3.5: as Qwen 2, with marks as parts of words.
const QWEN35: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// o200k: words by case, with contractions.
const O200K: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// Tekken (Mistral): as o200k, without contractions and with single digits.
const TEKKEN: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// DeepSeek V3 cuts numbers and Chinese or Japanese first, then this.
const DEEPSEEK_V3: &str = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+";
/// Bloom: runs without white space and sentence marks.
const BLOOM: &str = r" ?[^(\s|.,!?…。，、।۔،)]+";

/// How one family cuts text.
pub(super) struct Pre {
    /// The pre-tokenizer, as JSON of `tokenizers`.
    pub(super) stages: Vec<Value>,
    /// A word that is a token is that token, whatever the merges.
    pub(super) ignore_merges: bool,
    /// The family's tokenizer composes characters first (NFC).
    pub(super) compose: bool,
    /// The family begins texts with BOS where the file does not say.
    pub(super) add_bos: bool,
}

/// One line a family: the names that files use for it, and how it is made.
type Family = (&'static [&'static str], fn() -> Pre);

const FAMILIES: &[Family] = &[
    (
        &[
            "gpt-2",
            "gpt2",
            "default",
            "phi-2",
            "mpt",
            "olmo",
            "stablelm",
            "gpt-neox",
            "jina-es",
            "jina-de",
            "jina-v2-code",
        ],
        || plain(vec![byte_level(true)]),
    ),
    (&["smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"], || {
        plain(vec![json!({"type": "Digits", "individual_digits": true}), byte_level(true)])
    }),
    (&["llama-bpe", "llama3", "llama-v3", "falcon3", "pixtral-bpe", "lfm2"], || Pre {
        ignore_merges: true,
        add_bos: true,
        ..split(CL100K)
    }),
    (&["dbrx", "smaug-bpe", "chatglm-bpe", "glm4", "gpt-4"], || split(CL100K)),
    (&["qwen2", "deepseek-r1-qwen", "stablelm2", "hunyuan", "megrez"], || Pre { compose: true, ..split(QWEN2) }),
    (&["qwen35"], || Pre { compose: true, ..split(QWEN35) }),
    (&["gpt-4o", "llama4", "o200k"], || split(O200K)),
    (&["tekken"], || Pre { ignore_merges: true, add_bos: true, ..split(TEKKEN) }),
    (&["deepseek-v3"], || {
        plain(vec![regex(r"\p{N}{1,3}"), regex("[一-龥぀-ゟ゠-ヿ]+"), regex(DEEPSEEK_V3), byte_level(false)])
    }),
    (&["deepseek-coder"], || {
        let cuts = [r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+"];
        let mut stages: Vec<Value> = cuts.into_iter().map(regex).collect();
        stages.extend([json!({"type": "Digits", "individual_digits": true}), byte_level(false)]);
        plain(stages)
    }),
    (&["falcon"], || {
        plain(vec![
            json!({"type": "Punctuation", "behavior": "Contiguous"}),
            byte_level(true),
            json!({"type": "Digits", "individual_digits": false}),
            regex("[0-9][0-9][0-9]"),
        ])
    }),
    (&["bloom", "poro-chat", "gpt3-finnish"], || plain(vec![regex(BLOOM), byte_level(false)])),
];

fn plain(stages: Vec<Value>) -> Pre {
    Pre { stages, ignore_merges: false, compose: false, add_bos: false }
}

fn split(pattern: &str) -> Pre {
    plain(vec![regex(pattern), byte_level(false)])
}

fn regex(pattern: &str) -> Value {
    json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false})
}

fn byte_level(use_regex: bool) -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": use_regex})
}

/// The names of pre-tokenizers that [`crate::Tokenizer::from_vocabulary`] knows.
pub fn pre_tokenizer_names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().flat_map(|(names, _)| names.iter().copied())
}

/// The family with that name.
pub(super) fn family(name: &str) -> Result<Pre, Error> {
    match FAMILIES.iter().find(|(names, _)| names.contains(&name)) {
        Some((_, make)) => Ok(make()),
        None => {
            let known: Vec<&str> = pre_tokenizer_names().collect();
            Err(Error::Tokenizer(format!("unknown pre-tokenizer `{name}`, known are {}", known.join(", "))))
        }
    }
}
