//! Diagnostics as text for people: rustc's manner, with excerpts of the source.
//!
//! The cost is that of what is shown, not that of the file: an excerpt holds the lines around its marks, marks that are
//! far apart get excerpts of their own, and a very long line is cut on both sides of its mark. The text depends on the
//! diagnostics alone, not on the terminal, so that it is the same on the command line, in an exception and in the
//! documentation.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use crate::{Diagnostic, Diagnostics, Severity, SourceFile, Span};

/// More messages than these are counted, not shown.
const MOST_SHOWN: usize = 50;
/// The columns of a line of source that are shown.
const WIDTH: usize = 120;
/// Bytes between marks above which they get excerpts of their own.
const APART: usize = 8 * 1024;
/// Bytes of a line that is shown whole, or as the renderer cuts it; of a longer one only this much around a mark is
/// looked at.
const LONG_LINE: usize = 4 * 1024;
/// Characters of a message, label, note or help that are shown.
const MOST_TEXT: usize = 4_000;

impl Diagnostic {
    /// The message with its excerpts of the source, in rustc's manner.
    pub fn render(&self, color: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut title = level.primary_title(shorten(&self.message));
        if !self.code.is_empty() {
            title = title.id(self.code);
        }
        let excerpts = self.excerpts();
        let mut group = Group::with_title(title);
        for excerpt in &excerpts {
            group = group.element(excerpt.show());
        }
        for note in &self.notes {
            group = group.element(Level::NOTE.message(shorten(note)));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(shorten(help)));
        }
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let text = renderer.term_width(WIDTH).render(&[group]);
        excerpts.iter().fold(text, |text, excerpt| excerpt.with_true_column(text))
    }

    /// The lines around the marks: the primary location's first, then by file and line.
    fn excerpts(&self) -> Vec<Excerpt<'_>> {
        let primary = self.span.iter().map(|span| Mark::new(AnnotationKind::Primary, span, &self.label));
        let secondary = self.secondary.iter().map(|l| Mark::new(AnnotationKind::Context, &l.span, &l.text));
        let mut excerpts: Vec<Excerpt<'_>> = Vec::new();
        for mark in primary.chain(secondary) {
            match excerpts.iter_mut().find(|excerpt| excerpt.is_near(&mark)) {
                Some(excerpt) => excerpt.marks.push(mark),
                None => excerpts.push(Excerpt { file: mark.file, marks: vec![mark] }),
            }
        }
        excerpts
    }
}

impl Diagnostics {
    /// All messages, one after the other; of very many only the first, and how many more there are.
    pub fn render(&self, color: bool) -> String {
        let mut shown: Vec<String> = self.0.iter().take(MOST_SHOWN).map(|d| d.render(color)).collect();
        let more = self.0.len().saturating_sub(MOST_SHOWN);
        if more > 0 {
            let (what, are) = if more == 1 { ("problem", "is") } else { ("problems", "are") };
            let rest = Diagnostic::error("", format!("and {more} more {what}, which {are} not shown"));
            shown.push(rest.render(color));
        }
        shown.join("\n\n")
    }
}

/// A marked location with its label.
struct Mark<'a> {
    kind: AnnotationKind,
    file: &'a SourceFile,
    bytes: Range<usize>,
    label: Cow<'a, str>,
}

impl<'a> Mark<'a> {
    /// The mark of a span, without the space at its end: a line's end is marked after the line, not through the next.
    /// One of very many lines ends with its first line.
    fn new(kind: AnnotationKind, span: &'a Span, label: &'a str) -> Self {
        let file = &*span.file;
        let start = file.text.floor_char_boundary(span.start as usize);
        let mut end = file.text.floor_char_boundary(span.end as usize).max(start);
        let text = file.text.get(start..end).unwrap_or_default();
        end -= text.len() - text.trim_end().len();
        if end - start > APART {
            end = file.line_around(start).end.max(start);
        }
        Self { kind, file, bytes: start..end, label: shorten(label) }
    }
}

/// Marks that share an excerpt of a file.
struct Excerpt<'a> {
    file: &'a SourceFile,
    marks: Vec<Mark<'a>>,
}

impl Excerpt<'_> {
    fn is_near(&self, mark: &Mark<'_>) -> bool {
        let is_close = |known: &Mark<'_>| {
            let gap = known.bytes.start.max(mark.bytes.start).saturating_sub(known.bytes.end.min(mark.bytes.end));
            gap <= APART
        };
        // The same file may be there twice, once for each part that was read by itself.
        self.file == mark.file && self.marks.iter().all(is_close)
    }

    /// The lines from the first mark to the last, without the far ends of very long ones, and how many bytes of the
    /// first line are left out.
    fn window(&self) -> (Range<usize>, usize) {
        let start = self.marks.iter().map(|mark| mark.bytes.start).min().unwrap_or_default();
        let end = self.marks.iter().map(|mark| mark.bytes.end).max().unwrap_or_default();
        let (first, last) = (self.file.line_around(start), self.file.line_around(end));
        let from = first.start.max(start.saturating_sub(LONG_LINE));
        let to = last.end.min(end.saturating_add(LONG_LINE)).max(from);
        let from = self.file.text.floor_char_boundary(from);
        (from..self.file.text.floor_char_boundary(to), from - first.start)
    }

    fn show(&self) -> Snippet<'_, Annotation<'_>> {
        let (window, _) = self.window();
        let text = self.file.text.get(window.clone()).unwrap_or_default();
        let (line, _) = self.file.line_column(window.start);
        let mut snippet = Snippet::source(text).line_start(line).path(self.file.name.as_str());
        for mark in &self.marks {
            let at = |byte: usize| byte.clamp(window.start, window.end) - window.start;
            let annotation = mark.kind.span(at(mark.bytes.start)..at(mark.bytes.end));
            let label = Some(mark.label.as_ref()).filter(|label| !label.is_empty());
            snippet = snippet.annotation(annotation.label(label));
        }
        snippet
    }

    /// The renderer counts columns from where a long line is cut.
    fn with_true_column(&self, rendered: String) -> String {
        let (window, cut) = self.window();
        let Some(mark) = self.marks.first().filter(|_| cut > 0) else { return rendered };
        let (line, column) = self.file.line_column(mark.bytes.start);
        let (first, before) = self.file.line_column(window.start);
        if line != first {
            return rendered;
        }
        let position = |column: usize| format!("{}:{line}:{column}\n", self.file.name);
        rendered.replacen(&position(column - before + 1), &position(column), 1)
    }
}

/// The text, or its beginning where it is too long to be read.
fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MOST_TEXT) {
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests;
