//! The reader of SentencePiece's `tokenizer.model`, a protobuf message `ModelProto`.
//!
//! Fields that are read, by their numbers in `sentencepiece_model.proto`: `pieces` (1: `piece` 1, `score` 2, `type`
//! 3), `trainer_spec` (2: `model_type` 3, `unk_id` 40, `bos_id` 41, `eos_id` 42, `pad_id` 43), `normalizer_spec` (3:
//! `precompiled_charsmap` 2, `add_dummy_prefix` 3, `remove_extra_whitespaces` 4). Others are passed over.

use super::vocabulary::{TokenType, Vocabulary};
use crate::Error;

/// One field of a message.
enum Field<'a> {
    Number(u64),
    Float(f32),
    Bytes(&'a [u8]),
    Other,
}

/// Reads the model into a vocabulary of kind `llama` (BPE) or `t5` (unigram).
pub(super) fn read(model: &[u8]) -> Result<Vocabulary, Error> {
    let mut vocabulary = Vocabulary {
        model: "t5".into(),
        bos: Some(1),
        eos: Some(2),
        unk: Some(0),
        add_space_prefix: Some(true),
        remove_extra_whitespaces: Some(true),
        ..Vocabulary::default()
    };
    for_fields(model, |number, field| match (number, field) {
        (1, Field::Bytes(piece)) => read_piece(piece, &mut vocabulary),
        (2, Field::Bytes(spec)) => read_trainer(spec, &mut vocabulary),
        (3, Field::Bytes(spec)) => read_normalizer(spec, &mut vocabulary),
        _ => Ok(()),
    })?;
    if vocabulary.tokens.is_empty() {
        return Err(malformed("it has no pieces"));
    }
    vocabulary.add_bos = Some(vocabulary.model == "llama");
    vocabulary.add_eos = Some(vocabulary.model == "t5");
    Ok(vocabulary)
}

fn read_piece(piece: &[u8], vocabulary: &mut Vocabulary) -> Result<(), Error> {
    let (mut name, mut score, mut kind) = (String::new(), 0.0, TokenType::Normal);
    for_fields(piece, |number, field| {
        match (number, field) {
            (1, Field::Bytes(text)) => {
                name = String::from_utf8(text.to_vec()).map_err(|_| malformed("a piece is not UTF-8"))?;
            }
            (2, Field::Float(value)) => score = value,
            (3, Field::Number(value)) => {
                let known = i64::try_from(value).ok().and_then(TokenType::of_number);
                kind = known.ok_or_else(|| malformed("a piece has an unknown type"))?;
            }
            _ => {}
        }
        Ok(())
    })?;
    vocabulary.tokens.push(name);
    vocabulary.scores.push(score);
    vocabulary.token_types.push(kind);
    Ok(())
}

fn read_trainer(spec: &[u8], vocabulary: &mut Vocabulary) -> Result<(), Error> {
    for_fields(spec, |number, field| {
        // Ids are signed; a negative one means that there is no such token.
        let id = |value: u64| u32::try_from(value).ok().filter(|id| *id <= i32::MAX as u32);
        match (number, field) {
            (3, Field::Number(1)) => vocabulary.model = "t5".into(),
            (3, Field::Number(2)) => vocabulary.model = "llama".into(),
            (3, Field::Number(kind)) => return Err(malformed(&format!("its kind {kind} is neither unigram nor BPE"))),
            (40, Field::Number(value)) => vocabulary.unk = id(value),
            (41, Field::Number(value)) => vocabulary.bos = id(value),
            (42, Field::Number(value)) => vocabulary.eos = id(value),
            (43, Field::Number(value)) => vocabulary.pad = id(value),
            _ => {}
        }
        Ok(())
    })
}

fn read_normalizer(spec: &[u8], vocabulary: &mut Vocabulary) -> Result<(), Error> {
    for_fields(spec, |number, field| {
        match (number, field) {
            (2, Field::Bytes(map)) => vocabulary.charsmap = map.to_vec(),
            (3, Field::Number(value)) => vocabulary.add_space_prefix = Some(value != 0),
            (4, Field::Number(value)) => vocabulary.remove_extra_whitespaces = Some(value != 0),
            _ => {}
        }
        Ok(())
    })
}

fn malformed(why: &str) -> Error {
    Error::Tokenizer(format!("the SentencePiece model is malformed: {why}"))
}

/// Calls `take` with every field of a message.
fn for_fields<'a>(
    mut message: &'a [u8],
    mut take: impl FnMut(u64, Field<'a>) -> Result<(), Error>,
) -> Result<(), Error> {
    let cut = || malformed("it ends within a field");
    while !message.is_empty() {
        let key = varint(&mut message).ok_or_else(cut)?;
        let field = match key & 7 {
            0 => Field::Number(varint(&mut message).ok_or_else(cut)?),
            1 => {
                message = message.get(8..).ok_or_else(cut)?;
                Field::Other
            }
            2 => {
                let len = varint(&mut message).and_then(|len| usize::try_from(len).ok()).ok_or_else(cut)?;
                let (bytes, rest) = message.split_at_checked(len).ok_or_else(cut)?;
                message = rest;
                Field::Bytes(bytes)
            }
            5 => {
                let (bytes, rest) = message.split_first_chunk::<4>().ok_or_else(cut)?;
                message = rest;
                Field::Float(f32::from_le_bytes(*bytes))
            }
            _ => return Err(malformed("a field has an unknown form")),
        };
        take(key >> 3, field)?;
    }
    Ok(())
}

/// An integer in groups of seven bits, the lowest first.
fn varint(message: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for (index, byte) in message.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7F) << (7 * index);
        if byte & 0x80 == 0 {
            *message = &message[index + 1..];
            return Some(value);
        }
    }
    None
}
