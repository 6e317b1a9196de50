//! Text to token ids and back.
//!
//! A [`Tokenizer`] is made from a `tokenizer.json`, from a SentencePiece `tokenizer.model`, or from a [`Vocabulary`],
//! which is what the metadata of a GGUF file says. Encoding runs the stages of `tokenizers` (added tokens,
//! normalizer, pre-tokenizer, model); decoding needs none of them, since the bytes of every token are known
//! ([`pieces`]).
//!
//! **Control tokens.** `encode` treats the text of a control token (`<|im_end|>`) as text. `encode_markup` makes the
//! token of it: for text of the program, such as a prompt without strings of users. `encode_prompt` takes what
//! [`crate::ChatTemplate::render_prompt`] made, where strings of users carry guards: the template's control tokens
//! become tokens, the same text in a message does not.

mod config;
mod metadata;
mod normalize;
mod pieces;
mod pre;
mod sentencepiece;
mod vocabulary;

pub use config::TokenizerConfig;
pub use metadata::MetadataValue;
pub use pre::pre_tokenizer_names;
pub use vocabulary::{TokenType, Vocabulary};

pub(crate) use pieces::Pieces;

use crate::error::{Error, guarded};
use crate::template::{GUARD, Prompt};
use tokenizers::pre_tokenizer::PreTokenizedString;
use tokenizers::{AddedVocabulary, Model, OffsetType, PreTokenizer};

/// No real vocabulary has more tokens; an id at or over it is refused.
const MAX_TOKENS: usize = 1 << 22;
/// The longest text that is encoded at once, in bytes.
const MAX_TEXT_BYTES: usize = 64 << 20;

/// Text to token ids and back, with the special tokens of one model.
#[derive(Debug)]
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    /// The added tokens where the text of a special one is text.
    plain: AddedVocabulary,
    pieces: Pieces,
    ends: Ends,
    special_texts: Vec<String>,
    bos: Option<u32>,
    eos: Vec<u32>,
    unk: Option<u32>,
    pad: Option<u32>,
}

/// Tokens around a text.
#[derive(Debug)]
enum Ends {
    /// Those of the file's post-processor.
    PostProcessor,
    /// Those that the vocabulary's flags ask for.
    Fixed { prefix: Vec<u32>, suffix: Vec<u32> },
}

impl Tokenizer {
    /// Reads a `tokenizer.json`. Truncation and padding of the file are left out.
    ///
    /// # Errors
    /// Text that is not such a file, ids over 4,194,303, merges of unknown tokens, decoders other than byte-level,
    /// byte fallback, Metaspace and WordPiece.
    pub fn from_json(json: &[u8]) -> Result<Tokenizer, Error> {
        let head = config::check_json(json)?;
        guarded(Error::Tokenizer, || {
            let mut inner = tokenizers::Tokenizer::from_bytes(json).map_err(refused)?;
            inner.with_truncation(None).map_err(refused)?;
            inner.with_padding(None);
            let highest = inner.get_vocab(true).into_values().max().map_or(0, |id| id as usize + 1);
            if highest > MAX_TOKENS {
                return Err(Error::Tokenizer(format!("token id {} is over the limit of {MAX_TOKENS}", highest - 1)));
            }
            let decoder = pieces::Decoding::of_json(&head.decoder)?;
            let pieces = Pieces::new(decoder, highest, |id| inner.id_to_token(id), |id| is_special(&inner, id));
            Ok(Tokenizer::new(inner, pieces, Ends::PostProcessor))
        })
    }

    /// Makes the tokenizer that a model file's metadata describes.
    ///
    /// # Errors
    /// Lists of different lengths, unknown names of models or pre-tokenizers, merges or ids of tokens that are not
    /// there.
    pub fn from_vocabulary(vocabulary: &Vocabulary) -> Result<Tokenizer, Error> {
        guarded(Error::Tokenizer, || vocabulary::build(vocabulary))
    }

    /// Reads a SentencePiece model (`tokenizer.model`), of kind BPE or unigram.
    ///
    /// # Errors
    /// Bytes that are no such protobuf message, other kinds of models.
    pub fn from_sentencepiece(model: &[u8]) -> Result<Tokenizer, Error> {
        Tokenizer::from_vocabulary(&sentencepiece::read(model)?)
    }

    fn new(inner: tokenizers::Tokenizer, pieces: Pieces, ends: Ends) -> Tokenizer {
        let mut plain = inner.get_added_vocabulary().clone();
        plain.set_encode_special_tokens(true);
        let mut special_texts: Vec<String> = inner
            .get_added_tokens_decoder()
            .into_values()
            .filter(|token| token.special && !token.content.is_empty())
            .map(|token| token.content)
            .collect();
        special_texts.sort_unstable();
        Tokenizer { inner, plain, pieces, ends, special_texts, bos: None, eos: Vec::new(), unk: None, pad: None }
    }

    /// Takes the roles of special tokens from a `tokenizer_config.json`; names that the vocabulary lacks are passed
    /// over.
    pub fn set_roles(&mut self, config: &TokenizerConfig) {
        let id = |name: &Option<String>| name.as_ref().and_then(|name| self.id_of(name));
        let (bos, eos, unk, pad) = (id(&config.bos), id(&config.eos), id(&config.unk), id(&config.pad));
        self.bos = bos;
        self.eos = eos.into_iter().collect();
        self.unk = unk;
        self.pad = pad;
    }

    /// Says which tokens end a generation.
    ///
    /// # Errors
    /// An id that is not in the vocabulary.
    pub fn set_eos(&mut self, ids: &[u32]) -> Result<(), Error> {
        if let Some(id) = ids.iter().find(|id| self.token_of(**id).is_none()) {
            return Err(Error::Tokenizer(format!("the end token {id} is not in the vocabulary")));
        }
        self.eos = ids.to_vec();
        Ok(())
    }

    /// The ids of `text`, in which no control token is recognised. `add_special` adds what the model expects around a
    /// text (BOS, `[CLS]`).
    ///
    /// # Errors
    /// A text over 64 MiB, or with characters that a model without unknown token does not have.
    pub fn encode(&self, text: &str, add_special: bool) -> Result<Vec<u32>, Error> {
        self.encode_with(&self.plain, text, add_special)
    }

    /// The ids of `text`, in which the text of a control token is that token.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    pub fn encode_markup(&self, text: &str, add_special: bool) -> Result<Vec<u32>, Error> {
        self.encode_with(self.inner.get_added_vocabulary(), text, add_special)
    }

    /// The ids of a rendered chat: control tokens of the template are tokens, those in strings of messages are text.
    /// Templates write BOS themselves; nothing is added.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    pub fn encode_prompt(&self, prompt: &Prompt) -> Result<Vec<u32>, Error> {
        self.encode_markup(prompt.guarded(), false)
    }

    fn encode_with(&self, added: &AddedVocabulary, text: &str, add_special: bool) -> Result<Vec<u32>, Error> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(Error::Tokenizer(format!(
                "a text of {} bytes is over the limit of {MAX_TEXT_BYTES}",
                text.len()
            )));
        }
        guarded(Error::Tokenizer, || {
            let mut split = added.extract_and_normalize(self.inner.get_normalizer(), text);
            if text.contains(GUARD) {
                split
                    .normalize(|piece| {
                        piece.filter(|c| c != GUARD);
                        Ok(())
                    })
                    .map_err(refused)?;
            }
            self.run_model(split, add_special)
        })
    }

    fn run_model(&self, mut split: PreTokenizedString, add_special: bool) -> Result<Vec<u32>, Error> {
        if let Some(pre) = self.inner.get_pre_tokenizer() {
            pre.pre_tokenize(&mut split).map_err(refused)?;
        }
        let model = self.inner.get_model();
        split.tokenize(|piece| model.tokenize(piece.get())).map_err(refused)?;
        let encoding = split.into_encoding(None, 0, OffsetType::None).map_err(refused)?;
        if !add_special {
            return Ok(encoding.get_ids().to_vec());
        }
        match &self.ends {
            Ends::PostProcessor => {
                Ok(self.inner.post_process(encoding, None, true).map_err(refused)?.get_ids().to_vec())
            }
            Ends::Fixed { prefix, suffix } => Ok([prefix, encoding.get_ids(), suffix].concat()),
        }
    }

    /// The text of `ids`; bytes that are no UTF-8 become U+FFFD, unknown ids are passed over. `skip_special` leaves
    /// out control tokens.
    pub fn decode(&self, ids: &[u32], skip_special: bool) -> String {
        let mut stream = crate::DecodeStream::new(skip_special);
        let mut text = String::new();
        for id in ids {
            stream.push_to(self, *id, &mut text);
        }
        stream.finish_to(&mut text);
        text
    }

    /// The id of a token by its name in the vocabulary (`Ġthe`, `<|im_end|>`).
    pub fn id_of(&self, token: &str) -> Option<u32> {
        self.inner.token_to_id(token)
    }

    /// The name of a token in the vocabulary.
    pub fn token_of(&self, id: u32) -> Option<String> {
        self.inner.id_to_token(id)
    }

    /// One more than the highest id.
    pub fn vocab_size(&self) -> usize {
        self.pieces.len()
    }

    /// The bytes that a token stands for, empty where there is no such token.
    pub fn bytes_of(&self, id: u32) -> &[u8] {
        self.pieces.bytes(id)
    }

    /// Whether the token is a control token.
    pub fn is_special(&self, id: u32) -> bool {
        self.pieces.is_special(id)
    }

    /// The texts of all control tokens, sorted: what a guard has to break in strings of users.
    pub fn special_texts(&self) -> &[String] {
        &self.special_texts
    }

    /// The token that begins a text.
    pub fn bos(&self) -> Option<u32> {
        self.bos
    }

    /// The tokens that end a generation.
    pub fn eos(&self) -> &[u32] {
        &self.eos
    }

    /// The token of unknown text.
    pub fn unk(&self) -> Option<u32> {
        self.unk
    }

    /// The token that fills rows of a batch.
    pub fn pad(&self) -> Option<u32> {
        self.pad
    }

    pub(crate) fn pieces(&self) -> &Pieces {
        &self.pieces
    }
}

fn is_special(inner: &tokenizers::Tokenizer, id: u32) -> bool {
    inner.get_added_vocabulary().get_added_tokens_decoder().get(&id).is_some_and(|token| token.special)
}

fn refused(error: tokenizers::Error) -> Error {
    Error::Tokenizer(error.to_string())
}

#[cfg(test)]
mod tests;
