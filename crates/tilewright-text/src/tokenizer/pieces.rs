//! The bytes of every token, so that decoding is concatenation.
//!
//! A decoder of `tokenizers` is a chain of rules over the tokens' names. All the rules that language models use work
//! on one name at a time, but for what they do at the beginning of a text ([`Lead`]). So each name is decoded once,
//! when the tokenizer is made. Bytes of several tokens may form one character; invalid ones become U+FFFD as
//! [`String::from_utf8_lossy`] does it. (`tokenizers` writes one U+FFFD per byte for byte-fallback tokens.)

use crate::Error;
use serde_json::Value;

/// How names become bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decoding {
    rules: Vec<Rule>,
    lead: Lead,
}

#[derive(Clone, Debug)]
enum Rule {
    /// Replaces a text, such as `▁` by a space.
    Replace(String, String),
    /// `<0x0A>` is the byte 10.
    ByteFallback,
    /// Characters that stand for bytes, as GPT-2 writes them.
    ByteLevel,
    /// Words get a space before them, continuations lose their prefix.
    WordPiece { prefix: String, cleanup: bool },
}

/// The spaces that are left out at the beginning of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lead {
    /// At most so many.
    pub(crate) spaces: usize,
    /// Only those of the first token, or however the tokens are cut.
    pub(crate) in_first_token: bool,
}

impl Decoding {
    /// Byte-level BPE.
    pub(super) fn byte_level() -> Decoding {
        Decoding { rules: vec![Rule::ByteLevel], lead: Lead::default() }
    }

    /// SentencePiece: `▁` is a space; a text that encoding prefixes with one loses it again.
    pub(super) fn sentencepiece(prefixed: bool) -> Decoding {
        Decoding {
            rules: vec![Rule::Replace("▁".into(), " ".into()), Rule::ByteFallback],
            lead: Lead { spaces: usize::from(prefixed), in_first_token: false },
        }
    }

    /// WordPiece with continuations that begin with `##`.
    pub(super) fn word_piece() -> Decoding {
        Decoding {
            rules: vec![Rule::WordPiece { prefix: "##".into(), cleanup: true }],
            lead: Lead { spaces: 1, in_first_token: true },
        }
    }

    /// The decoder of a `tokenizer.json`.
    pub(super) fn of_json(decoder: &Value) -> Result<Decoding, Error> {
        let mut decoding = Decoding::default();
        decoding.add_json(decoder, 0)?;
        Ok(decoding)
    }

    fn add_json(&mut self, decoder: &Value, depth: usize) -> Result<(), Error> {
        let text = |name: &str, default: &str| decoder[name].as_str().unwrap_or(default).to_string();
        match decoder["type"].as_str() {
            Some("Sequence") if depth < 8 => {
                for one in decoder["decoders"].as_array().into_iter().flatten() {
                    self.add_json(one, depth + 1)?;
                }
            }
            Some("ByteLevel") => self.rules.push(Rule::ByteLevel),
            Some("ByteFallback") => self.rules.push(Rule::ByteFallback),
            Some("Fuse") => {}
            Some("Replace") => match decoder["pattern"]["String"].as_str() {
                Some(from) if !from.is_empty() => self.rules.push(Rule::Replace(from.into(), text("content", ""))),
                _ => return Err(Error::Tokenizer("a decoder replaces a regular expression".into())),
            },
            Some("Strip") if decoder["content"] == " " && decoder["stop"].as_u64().unwrap_or(0) == 0 => {
                let spaces = decoder["start"].as_u64().unwrap_or(0);
                self.lead = Lead { spaces: usize::try_from(spaces).unwrap_or(usize::MAX), in_first_token: false };
            }
            Some("Metaspace") => {
                self.rules.push(Rule::Replace(text("replacement", "▁"), " ".into()));
                let never = decoder["prepend_scheme"] == "never" || decoder["add_prefix_space"] == false;
                self.lead = Lead { spaces: if never { 0 } else { usize::MAX }, in_first_token: true };
            }
            Some("WordPiece") => {
                let cleanup = decoder["cleanup"].as_bool().unwrap_or(true);
                self.rules.push(Rule::WordPiece { prefix: text("prefix", "##"), cleanup });
                self.lead = Lead { spaces: 1, in_first_token: true };
            }
            other => {
                let name = other.unwrap_or("none");
                return Err(Error::Tokenizer(format!("the decoder `{name}` is not supported")));
            }
        }
        Ok(())
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        let mut text = name.to_string();
        for rule in &self.rules {
            match rule {
                Rule::Replace(from, to) => text = text.replace(from.as_str(), to),
                Rule::ByteFallback => {
                    if let Some(byte) = fallback_byte(&text) {
                        return vec![byte];
                    }
                }
                Rule::ByteLevel => return byte_level_bytes(&text),
                Rule::WordPiece { prefix, cleanup } => {
                    text = match text.strip_prefix(prefix.as_str()) {
                        Some(rest) if !prefix.is_empty() => rest.to_string(),
                        _ => format!(" {text}"),
                    };
                    if *cleanup {
                        text = clean_up(&text);
                    }
                }
            }
        }
        text.into_bytes()
    }
}

/// The byte that a name such as `<0x0A>` stands for.
pub(super) fn fallback_byte(name: &str) -> Option<u8> {
    let digits = name.strip_prefix("<0x")?.strip_suffix('>')?;
    if digits.len() == 2 { u8::from_str_radix(digits, 16).ok() } else { None }
}

/// GPT-2 writes printable bytes of Latin-1 as themselves and the other 68 as characters from U+0100 on.
fn byte_level_bytes(name: &str) -> Vec<u8> {
    let printable = |b: u32| matches!(b, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF);
    let byte = |c: char| {
        let code = c as u32;
        if printable(code) {
            return u8::try_from(code).ok();
        }
        let index = code.checked_sub(0x100)? as usize;
        (0..=255).filter(|b| !printable(*b)).nth(index).and_then(|b| u8::try_from(b).ok())
    };
    name.chars().map(byte).collect::<Option<Vec<u8>>>().unwrap_or_else(|| name.as_bytes().to_vec())
}

/// The clean-up of English that the WordPiece decoder of `tokenizers` documents: no space before marks and
/// contractions.
fn clean_up(text: &str) -> String {
    const PAIRS: [(&str, &str); 11] = [
        (" .", "."),
        (" ?", "?"),
        (" !", "!"),
        (" ,", ","),
        (" ' ", "'"),
        (" n't", "n't"),
        (" 'm", "'m"),
        (" do not", " don't"),
        (" 's", "'s"),
        (" 've", "'ve"),
        (" 're", "'re"),
    ];
    PAIRS.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to))
}

/// The bytes of all tokens, one after the other.
#[derive(Debug)]
pub(crate) struct Pieces {
    bytes: Vec<u8>,
    /// `starts[id]..starts[id + 1]` are the bytes of the token.
    starts: Vec<usize>,
    special: Vec<bool>,
    lead: Lead,
}

impl Pieces {
    pub(super) fn new(
        decoding: Decoding,
        len: usize,
        name: impl Fn(u32) -> Option<String>,
        special: impl Fn(u32) -> bool,
    ) -> Pieces {
        let mut pieces =
            Pieces { bytes: Vec::new(), starts: vec![0], special: Vec::with_capacity(len), lead: decoding.lead };
        for id in 0..u32::try_from(len).unwrap_or(u32::MAX) {
            if let Some(name) = name(id) {
                pieces.bytes.extend(decoding.bytes(&name));
            }
            pieces.starts.push(pieces.bytes.len());
            pieces.special.push(special(id));
        }
        pieces
    }

    pub(crate) fn len(&self) -> usize {
        self.special.len()
    }

    pub(crate) fn bytes(&self, id: u32) -> &[u8] {
        let id = id as usize;
        match (self.starts.get(id), self.starts.get(id + 1)) {
            (Some(start), Some(end)) => &self.bytes[*start..*end],
            _ => &[],
        }
    }

    pub(crate) fn is_special(&self, id: u32) -> bool {
        self.special.get(id as usize).copied().unwrap_or(false)
    }

    pub(crate) fn lead(&self) -> Lead {
        self.lead
    }
}
