//! Stop strings in a stream of text.
//!
//! A stop string may come in parts, of several tokens. Text that may be the beginning of one is held back until the
//! rest of it comes or does not. Memory is bounded by the longest stop string.

use crate::Error;

/// No request has more stop strings.
const MAX_STRINGS: usize = 64;
/// The longest stop string, in bytes.
const MAX_BYTES: usize = 4096;

/// What a step of [`StopStrings`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Text that belongs to no stop string.
    Text(String),
    /// The text before a stop string, and which one it is. What came after it is left out.
    Found { text: String, stop: usize },
}

/// Finds the first of several strings in text that comes in parts.
#[derive(Clone, Debug)]
pub struct StopStrings {
    strings: Vec<String>,
    held: String,
    found: bool,
}

impl StopStrings {
    /// # Errors
    /// An empty string, a string over 4,096 bytes, more than 64 strings.
    pub fn new(strings: Vec<String>) -> Result<StopStrings, Error> {
        let refuse = |why: &str| Err(Error::Conversation(why.into()));
        if strings.len() > MAX_STRINGS {
            return refuse("there are more than 64 stop strings");
        }
        if strings.iter().any(String::is_empty) {
            return refuse("a stop string is empty");
        }
        if strings.iter().any(|one| one.len() > MAX_BYTES) {
            return refuse("a stop string has more than 4096 bytes");
        }
        Ok(StopStrings { strings, held: String::new(), found: false })
    }

    /// Takes the next part. Of stop strings that are complete, the one that begins first counts, then the first of
    /// the list. After one was found, parts are left out.
    pub fn push(&mut self, text: &str) -> Stop {
        if self.found {
            return Stop::Text(String::new());
        }
        self.held.push_str(text);
        let found =
            self.strings.iter().enumerate().filter_map(|(stop, one)| Some((self.held.find(one.as_str())?, stop))).min();
        if let Some((start, stop)) = found {
            self.found = true;
            let mut text = std::mem::take(&mut self.held);
            text.truncate(start);
            return Stop::Found { text, stop };
        }
        let keep = self.strings.iter().map(|one| overlap(&self.held, one)).max().unwrap_or(0);
        let rest = self.held.split_off(self.held.len() - keep);
        Stop::Text(std::mem::replace(&mut self.held, rest))
    }

    /// The text that was held back, at the end of the stream.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

/// The length of the longest end of `text` that begins `stop`.
fn overlap(text: &str, stop: &str) -> usize {
    (1..stop.len().min(text.len() + 1))
        .rev()
        .find(|len| stop.is_char_boundary(*len) && text.ends_with(&stop[..*len]))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stops(strings: &[&str]) -> StopStrings {
        StopStrings::new(strings.iter().map(|s| s.to_string()).collect()).unwrap()
    }

    #[test]
    fn text_that_may_begin_a_stop_string_is_held_back() {
        let mut stop = stops(&["</s>"]);
        assert_eq!(stop.push("a <"), Stop::Text("a ".into()));
        assert_eq!(stop.push("/"), Stop::Text(String::new()));
        assert_eq!(stop.push("b"), Stop::Text("</b".into()));
        assert_eq!(stop.push("</"), Stop::Text(String::new()));
        assert_eq!(stop.push("s>after"), Stop::Found { text: String::new(), stop: 0 });
        assert_eq!(stop.push("more"), Stop::Text(String::new()));
        assert_eq!(stop.finish(), "");
    }

    #[test]
    fn the_end_of_the_stream_gives_what_was_held() {
        let mut stop = stops(&["END"]);
        assert_eq!(stop.push("the EN"), Stop::Text("the ".into()));
        assert_eq!(stop.finish(), "EN");
    }

    #[test]
    fn strings_that_cannot_be_stop_strings_are_refused() {
        assert!(StopStrings::new(vec![String::new()]).is_err());
        assert!(StopStrings::new(vec!["x".repeat(4097)]).is_err());
        assert!(StopStrings::new(vec!["x".into(); 65]).is_err());
    }

    proptest::proptest! {
        // The judge is a search in the whole text.
        #[test]
        fn parts_give_what_the_whole_text_gives(text in "[aäb]{0,24}", one in "[aäb]{1,4}", two in "[aäb]{1,4}", cuts in proptest::collection::vec(0usize..40, 0..6)) {
            let mut stop = stops(&[&one, &two]);
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|c| *c <= text.len() && text.is_char_boundary(*c)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let (mut got, mut found) = (String::new(), false);
            for pair in cuts.windows(2) {
                match stop.push(&text[pair[0]..pair[1]]) {
                    Stop::Text(part) => got.push_str(&part),
                    Stop::Found { text, .. } => { got.push_str(&text); found = true; }
                }
            }
            got.push_str(&stop.finish());
            // Whichever string is complete first ends the text; it may begin after the start of a longer one.
            let ends = |s: &str| text.find(s).map(|at| (at + s.len(), at));
            match [ends(&one), ends(&two)].into_iter().flatten().min() {
                None => { proptest::prop_assert!(!found); proptest::prop_assert_eq!(got, text); }
                Some(_) => {
                    proptest::prop_assert!(found);
                    proptest::prop_assert!(text.starts_with(&got));
                    let rest = &text[got.len()..];
                    proptest::prop_assert!(rest.starts_with(&one) || rest.starts_with(&two));
                }
            }
        }
    }
}
