//! Sequences in files: the tokens that a model has seen with their keys and values, so that a prompt that begins with
//! them is not computed again.
//!
//! | bytes | |
//! |---|---|
//! | 8 | `TWPROMPT` |
//! | 4 | the version, 1 |
//! | 32 | which model they are of: whatever the caller says |
//! | 4, 4, 4, 4 | tokens, layers, heads, elements of a head |
//! | 4 | the data type: 0 for float32, 1 for float16, 2 for bfloat16 |
//! | 8 | a checksum of all that follows (FNV-1a of 64 bits over words of 8 bytes) |
//! | | tokens of 4 bytes; keys, then values, `[layers, tokens, heads, elements]` |
//!
//! Numbers are little-endian. A file may come from anywhere: its size follows from its sizes, and nothing is allocated
//! before both agree.

use tilewright_tensor::{DataType, Tensor};

use crate::error::{Error, Result};

const MAGIC: &[u8; 8] = b"TWPROMPT";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 8 + 4 + 32 + 4 * 5 + 8;
const TYPES: [DataType; 3] = [DataType::F32, DataType::F16, DataType::BF16];

/// What a sequence has seen.
#[derive(Debug)]
pub(crate) struct Saved {
    pub(crate) tokens: Vec<u32>,
    pub(crate) keys: Tensor,
    pub(crate) values: Tensor,
}

impl Saved {
    pub(crate) fn to_bytes(&self, model: &[u8; 32]) -> Result<Vec<u8>> {
        let bad = || Error::Saved("the keys and values of this model cannot be kept".into());
        let &[layers, tokens, heads, size] = self.keys.shape() else { return Err(bad()) };
        let dtype = TYPES.iter().position(|known| *known == self.keys.dtype()).ok_or_else(bad)?;
        if self.values.shape() != self.keys.shape() || tokens != self.tokens.len() as i64 {
            return Err(bad());
        }
        let mut body = Vec::with_capacity(self.tokens.len() * 4 + 2 * self.keys.num_bytes());
        self.tokens.iter().for_each(|token| body.extend_from_slice(&token.to_le_bytes()));
        body.extend_from_slice(self.keys.as_bytes()?);
        body.extend_from_slice(self.values.as_bytes()?);
        let mut file = [&MAGIC[..], &VERSION.to_le_bytes(), model].concat();
        for number in [tokens, layers, heads, size, dtype as i64] {
            file.extend_from_slice(&u32::try_from(number).map_err(|_| bad())?.to_le_bytes());
        }
        file.extend_from_slice(&checksum(&body).to_le_bytes());
        file.extend_from_slice(&body);
        Ok(file)
    }

    /// # Errors
    /// Bytes that are none of such a file, or of another model.
    pub(crate) fn from_bytes(file: &[u8], model: &[u8; 32]) -> Result<Saved> {
        let refuse = |why: String| Err(Error::Saved(why));
        let Some((header, body)) = file.split_at_checked(HEADER_BYTES) else {
            return refuse(format!("a kept prompt has {HEADER_BYTES} bytes or more, found {}", file.len()));
        };
        if !header.starts_with(MAGIC) {
            return refuse("this is no kept prompt".into());
        }
        let number =
            |at: usize| header[at..at + 4].iter().rev().fold(0usize, |all, byte| all << 8 | usize::from(*byte));
        if number(8) != VERSION as usize {
            return refuse(format!("a kept prompt of version {}, expected {VERSION}", number(8)));
        }
        if header[12..44] != model[..] {
            return refuse("the prompt was kept by another model, or for other options".into());
        }
        let [tokens, layers, heads, size, dtype] = [44, 48, 52, 56, 60].map(number);
        let Some(dtype) = TYPES.get(dtype).copied() else {
            return refuse(format!("a kept prompt has no data type {dtype}"));
        };
        let elements = [layers, heads, size, dtype.bytes()].iter().try_fold(tokens, |all, dim| all.checked_mul(*dim));
        let expected = elements.and_then(|part| part.checked_mul(2)?.checked_add(tokens.checked_mul(4)?));
        if expected != Some(body.len()) {
            return refuse(format!("{tokens} tokens were kept, {} bytes do not have as many", body.len()));
        }
        if header[64..72] != checksum(body).to_le_bytes() {
            return refuse("the kept prompt was changed: its checksum is another".into());
        }
        let (ids, numbers) = body.split_at(tokens * 4);
        let shape = [layers, tokens, heads, size].map(|dim| dim as i64);
        let (keys, values) = numbers.split_at(numbers.len() / 2);
        Ok(Saved {
            tokens: ids
                .chunks_exact(4)
                .map(|id| id.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte)))
                .collect(),
            keys: Tensor::from_bytes(dtype, &shape, keys)?,
            values: Tensor::from_bytes(dtype, &shape, values)?,
        })
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0xCBF2_9CE4_8422_2325, |hash, word| {
        let word = word.iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte));
        (hash ^ word).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved() -> Saved {
        let numbers = |first: u8| (0..24u8).map(|at| f32::from(at + first)).collect::<Vec<_>>();
        let tensor = |first| Tensor::from_vec(&[2, 3, 2, 2], numbers(first)).unwrap();
        Saved { tokens: vec![7, 1 << 20, 0], keys: tensor(1), values: tensor(100) }
    }

    #[test]
    fn kept_sequences_come_back() {
        let file = saved().to_bytes(&[5; 32]).unwrap();
        let found = Saved::from_bytes(&file, &[5; 32]).unwrap();
        assert_eq!(found.tokens, saved().tokens);
        assert_eq!(found.keys.to_vec::<f32>().unwrap(), saved().keys.to_vec::<f32>().unwrap());
        assert_eq!(found.values.to_vec::<f32>().unwrap(), saved().values.to_vec::<f32>().unwrap());
        assert!(Saved::from_bytes(&file, &[6; 32]).unwrap_err().to_string().contains("another model"));
    }

    #[test]
    fn every_other_byte_is_refused() {
        let file = saved().to_bytes(&[5; 32]).unwrap();
        for at in 0..file.len() {
            for bit in [1, 0x80] {
                let mut other = file.clone();
                other[at] ^= bit;
                assert!(Saved::from_bytes(&other, &[5; 32]).is_err(), "byte {at}");
            }
            assert!(Saved::from_bytes(&file[..at], &[5; 32]).is_err(), "{at} bytes");
        }
        assert!(Saved::from_bytes(&[file, vec![0]].concat(), &[5; 32]).is_err());
    }
}
