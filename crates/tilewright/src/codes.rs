//! Every code of a diagnostic, with its page of the documentation: its meaning, a wrong and a right example.
//!
//! This is the list of codes: a test compares it with the codes that the sources name, runs the examples of every page,
//! and writes the documentation's index from it. A code is stable: it means the same in every version.

/// A code and what there is to say about it.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    pub code: &'static str,
    /// The page, in Markdown.
    pub text: &'static str,
}

impl Page {
    /// The meaning of the code, in a few words.
    pub fn title(&self) -> &'static str {
        let first = self.text.lines().next().unwrap_or_default();
        first.split_once(": ").map_or(first, |(_, title)| title)
    }
}

/// The page of a code; `tw0101` and `0101` are TW0101 too.
pub fn page(code: &str) -> Option<&'static Page> {
    let wanted = code.trim().to_ascii_uppercase();
    let number = wanted.strip_prefix("TW").unwrap_or(&wanted);
    ALL.iter().find(|page| page.code.strip_prefix("TW") == Some(number))
}

macro_rules! pages {
    ($($code:literal)*) => {
        &[$(Page { code: $code, text: include_str!(concat!("../../../docs/errors/", $code, ".md")) }),*]
    };
}

/// All codes, in order.
pub static ALL: &[Page] = pages! {
    // Text: its form, its names, its types, its statements.
    "TW0101" "TW0102" "TW0103" "TW0104"
    "TW0201" "TW0202" "TW0203" "TW0204" "TW0205" "TW0206"
    "TW0301" "TW0302" "TW0303" "TW0304" "TW0305" "TW0306"
    "TW0401" "TW0402" "TW0403" "TW0404" "TW0405" "TW0406"
    // Well-formed modules: loops, graphs, modules, forms.
    "TW0501" "TW0502" "TW0503" "TW0504" "TW0505" "TW0506" "TW0507" "TW0508" "TW0509" "TW0510" "TW0511"
    "TW0513" "TW0514" "TW0515" "TW0516" "TW0517" "TW0518" "TW0519"
    "TW0520" "TW0521" "TW0522" "TW0523" "TW0524" "TW0525" "TW0526" "TW0527" "TW0528" "TW0529" "TW0530" "TW0531"
    "TW0532" "TW0533" "TW0534"
    "TW0540"
    "TW0550" "TW0551" "TW0552" "TW0553"
    // Lowering and code generation.
    "TW0561" "TW0562" "TW0563"
    "TW0601" "TW0602" "TW0603" "TW0604"
    // Passes over graphs.
    "TW0701" "TW0702" "TW0703" "TW0704" "TW0705"
    // Schedules.
    "TW0706" "TW0707"
    // Passes over graphs, by pass.
    "TW0711" "TW0721" "TW0731" "TW0732" "TW0733"
    // Loading and running.
    "TW0751" "TW0752" "TW0753" "TW0754" "TW0755" "TW0756" "TW0757" "TW0758" "TW0759" "TW0760" "TW0761" "TW0762"
    "TW0763" "TW0764" "TW0765" "TW0766" "TW0767" "TW0768" "TW0769" "TW0770"
    "TW0771" "TW0772"
    // Models of other frameworks.
    "TW0801" "TW0802"
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_as_users_type_them() {
        for text in ["TW0303", "tw0303", "0303", " TW0303 "] {
            assert_eq!(page(text).map(|page| page.code), Some("TW0303"), "{text}");
        }
        for text in ["", "TW", "TW9999", "W0303", "303"] {
            assert!(page(text).is_none(), "{text}");
        }
    }

    #[test]
    fn pages_begin_with_their_code_and_a_title() {
        for page in ALL {
            assert_eq!(page.text.lines().next(), Some(format!("# {}: {}", page.code, page.title()).as_str()));
            let name = page.title().starts_with("Python");
            assert!(name || page.title().starts_with(char::is_lowercase), "{}", page.code);
        }
        assert!(ALL.is_sorted_by_key(|page| page.code));
    }
}
