//! Text while ids arrive, never with half a character.

use crate::Tokenizer;

/// Turns ids into text one by one. The texts of all steps together are what [`Tokenizer::decode`] makes of all ids.
///
/// Bytes that may still become a character are held back (at most three); bytes that cannot become one are U+FFFD.
#[derive(Clone, Debug)]
pub struct DecodeStream {
    skip_special: bool,
    /// The beginning of a character.
    pending: Vec<u8>,
    /// Spaces that the beginning of the text may still lose; `None` before the first token.
    lead: Option<usize>,
}

impl DecodeStream {
    /// A stream that begins a text. `skip_special` leaves out control tokens.
    pub fn new(skip_special: bool) -> DecodeStream {
        DecodeStream { skip_special, pending: Vec::new(), lead: None }
    }

    /// A stream that goes on after a text, such as a prompt: the first token keeps its space.
    pub fn continuing(skip_special: bool) -> DecodeStream {
        DecodeStream { lead: Some(0), ..DecodeStream::new(skip_special) }
    }

    /// The text that `id` completes, which is often empty for scripts with characters of several tokens.
    pub fn push(&mut self, tokenizer: &Tokenizer, id: u32) -> String {
        let mut text = String::new();
        self.push_to(tokenizer, id, &mut text);
        text
    }

    /// What is left at the end: U+FFFD if the last character is not complete.
    pub fn finish(&mut self) -> String {
        let mut text = String::new();
        self.finish_to(&mut text);
        text
    }

    pub(crate) fn push_to(&mut self, tokenizer: &Tokenizer, id: u32, text: &mut String) {
        let pieces = tokenizer.pieces();
        if self.skip_special && pieces.is_special(id) {
            return;
        }
        let mut bytes = pieces.bytes(id);
        if bytes.is_empty() {
            return;
        }
        let rule = pieces.lead();
        let mut lead = self.lead.unwrap_or(rule.spaces);
        while lead > 0 && bytes.first() == Some(&b' ') {
            bytes = &bytes[1..];
            lead -= 1;
        }
        self.lead = Some(if rule.in_first_token || !bytes.is_empty() { 0 } else { lead });
        self.take_characters(bytes, text);
    }

    fn take_characters(&mut self, bytes: &[u8], text: &mut String) {
        self.pending.extend_from_slice(bytes);
        let mut start = 0;
        for chunk in self.pending.utf8_chunks() {
            text.push_str(chunk.valid());
            start += chunk.valid().len();
            let invalid = chunk.invalid();
            // Only the last chunk can be a character whose rest is still to come.
            let incomplete = start + invalid.len() == self.pending.len()
                && std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if invalid.is_empty() || incomplete {
                break;
            }
            text.push(char::REPLACEMENT_CHARACTER);
            start += invalid.len();
        }
        self.pending.drain(..start);
    }

    pub(crate) fn finish_to(&mut self, text: &mut String) {
        if !self.pending.is_empty() {
            self.pending.clear();
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
}
