//! Parts of a text that are underlined or annotated.
//!
//! A part is named by its path from the printed root, or by the address of its node. A path is looked up before
//! printing: it becomes the chain of addresses at which the nodes on the path are held, and the printer reports for
//! each node that it writes where that is held. So a shared node is found at exactly the occurrence that the path
//! names. For parts that the text does not show by themselves (a data type, a node that a shorter spelling leaves out)
//! the nearest node around it is underlined, on its first line.

use std::ops::Range;

use tilewright_expr::Expr;
use tilewright_expr::node::{AnyHandle, IrNode, Path};
use tilewright_ir::relax;
use tilewright_ir::tir::{Buffer, Stmt, Var};
use tilewright_support::Map;

use super::Printer;

/// A part of the IR that is printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    Path(Path),
    /// The node at this address ([`AnyHandle::address`](tilewright_expr::node::AnyHandle::address)), wherever it
    /// occurs.
    Node(usize),
}

/// The marks of a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Marks {
    /// A line of `^^^^` under these parts.
    pub underline: Vec<Target>,
    /// A comment after the first line of these parts; a comment of several lines above it.
    pub annotate: Vec<(Target, String)>,
    /// The number of lines around marks that are shown.
    pub context_lines: Option<usize>,
}

/// A node on the way to a part.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The address at which the node, or the handle that points to it, is held.
    slot: usize,
    /// The address of the node that a handle points to.
    node: Option<usize>,
    /// Whether the text may leave the node out and show what is in it.
    silent: bool,
}

fn slot(part: &dyn IrNode) -> usize {
    std::ptr::from_ref(part).cast::<()>().addr()
}

impl Step {
    fn of(part: &dyn IrNode) -> Self {
        let handle = part.as_handle();
        let silent = handle.is_none_or(|handle| {
            handle.downcast::<Stmt>().is_some()
                || handle.downcast::<Buffer>().is_some()
                || handle.downcast::<Var>().is_some()
                || handle.downcast::<relax::Var>().is_some()
        });
        Self { slot: slot(part), node: handle.map(|handle| handle.address()), silent }
    }
}

/// The way to the part that a path names, and how far the printer is on it.
#[derive(Debug)]
struct Way {
    steps: Vec<Step>,
    /// Whether the root has what the path names.
    leads_there: bool,
    /// The depth of the node that is being printed.
    reached: usize,
    /// Whether the node that is being printed is off the path.
    off_path: bool,
    /// Whether every step was matched by the handle itself, and not by a copy of it.
    exact: bool,
}

/// A stretch of the text that shows a target, or the nearest node around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    target: usize,
    /// The number of steps of its path that were matched; the best matches are underlined.
    rank: (usize, bool),
}

/// The marks of a text in the making.
#[derive(Debug, Default)]
pub(super) struct Marking {
    ways: Vec<(usize, Way)>,
    nodes: Map<usize, Vec<usize>>,
    /// The starts of open parts, by number.
    begun: Vec<Mark>,
}

impl Marking {
    pub(super) fn new(marks: &Marks, root: &dyn IrNode) -> Self {
        let mut marking = Self::default();
        let targets = marks.underline.iter().chain(marks.annotate.iter().map(|(target, _)| target));
        for (number, target) in targets.enumerate() {
            match target {
                Target::Node(address) => marking.nodes.entry(*address).or_default().push(number),
                Target::Path(path) => {
                    let (nodes, leads_there) = path.follow(root);
                    let steps = nodes.into_iter().map(Step::of).collect();
                    marking.ways.push((number, Way { steps, leads_there, reached: 0, off_path: false, exact: true }));
                }
            }
        }
        marking
    }

    fn is_idle(&self) -> bool {
        self.ways.is_empty() && self.nodes.is_empty()
    }
}

impl Way {
    /// Whether that many steps are the whole path.
    fn ends(&self, reached: usize) -> bool {
        reached == self.steps.len() && self.leads_there
    }

    /// Goes into a node; whether that is on the way.
    fn enter(&mut self, part: Step) -> bool {
        if self.off_path {
            return false;
        }
        let ahead = self.steps.get(self.reached..).unwrap_or_default();
        for (at, step) in ahead.iter().enumerate() {
            let exact = step.slot == part.slot && step.node == part.node;
            if exact || (step.node.is_some() && step.node == part.node) {
                self.reached += at + 1;
                self.exact &= exact;
                return true;
            }
            if !step.silent {
                break;
            }
        }
        self.off_path = part.node.is_some() && !part.silent;
        false
    }
}

/// The address of the variable that an expression is: it represents all of its uses.
fn variable(part: &dyn IrNode) -> Option<usize> {
    let handle = part.as_handle()?;
    if let Some(expr) = handle.downcast::<relax::Expr>() {
        return expr.as_var().map(AnyHandle::address);
    }
    handle.downcast::<Expr>()?.as_var().map(AnyHandle::address)
}

impl Printer<'_> {
    /// Whether no part of this text is underlined or annotated.
    pub(super) fn marks_nothing(&self) -> bool {
        self.marking.is_idle()
    }

    /// Writes a part of the IR so that it can be found in the text.
    pub(super) fn marked<N: IrNode>(&mut self, part: &N, write: impl FnOnce(&mut Self)) {
        if self.marking.is_idle() {
            return write(self);
        }
        let Some(step) = part.solid().map(Step::of) else { return write(self) };
        let first = self.marking.begun.len();
        let before: Vec<_> = self.marking.ways.iter().map(|(_, way)| (way.reached, way.off_path, way.exact)).collect();
        for (target, way) in &mut self.marking.ways {
            if way.enter(step) {
                let rank = (way.reached, way.exact);
                self.marking.begun.push(Mark { target: *target, rank });
            }
        }
        let nodes = step.node.into_iter().chain(variable(part));
        for target in nodes.filter_map(|node| self.marking.nodes.get(&node)).flatten() {
            self.marking.begun.push(Mark { target: *target, rank: (0, true) });
        }
        let begun = first..self.marking.begun.len();
        begun.clone().for_each(|_| self.doc.begin());
        write(self);
        begun.rev().for_each(|mark| self.doc.end(mark));
        for ((_, way), (reached, off_path, exact)) in self.marking.ways.iter_mut().zip(before) {
            (way.reached, way.off_path, way.exact) = (reached, off_path, exact);
        }
    }

    /// The text of the document with its underlines and annotations, and whether it is only an excerpt.
    pub(super) fn marked_text(&mut self) -> String {
        let (text, stretches) = std::mem::take(&mut self.doc).finish();
        let marks = &self.options.marks;
        let count = marks.underline.len() + marks.annotate.len();
        if count == 0 {
            return text;
        }
        let mut found: Vec<Vec<Range<usize>>> = vec![Vec::new(); count];
        for (target, ranges) in found.iter_mut().enumerate() {
            let own = || {
                let begun =
                    stretches.iter().filter_map(|(number, range)| Some((self.marking.begun.get(*number)?, range)));
                begun.filter(|(mark, _)| mark.target == target)
            };
            let best = own().map(|(mark, _)| mark.rank).max();
            let whole =
                self.marking.ways.iter().all(|(number, way)| *number != target || best.is_none_or(|b| way.ends(b.0)));
            let line = |range: &Range<usize>| match whole {
                true => range.clone(),
                false => first_line(&text, range),
            };
            ranges.extend(own().filter(|(mark, _)| Some(mark.rank) == best).map(|(_, range)| line(range)));
        }
        let (underlined, annotated) = found.split_at(marks.underline.len());
        let notes: Vec<_> = annotated.iter().zip(&marks.annotate).map(|(ranges, (_, note))| (ranges, note)).collect();
        lay_out(&text, &underlined.concat(), &notes, marks.context_lines)
    }
}

/// The part of a stretch up to the end of its first line that is not blank.
fn first_line(text: &str, range: &Range<usize>) -> Range<usize> {
    let part = text.get(range.clone()).unwrap_or_default();
    let blanks = part.len() - part.trim_start().len();
    let line = part.get(blanks..).unwrap_or_default();
    range.start..range.start + blanks + line.find('\n').unwrap_or(line.len())
}

/// A line of the text with what belongs to it.
struct Line<'t> {
    text: &'t str,
    /// The columns that are underlined, in characters.
    carets: Vec<Range<usize>>,
    notes: Vec<&'t str>,
}

/// The text with lines of carets and comments.
fn lay_out(
    text: &str,
    underlined: &[Range<usize>],
    notes: &[(&Vec<Range<usize>>, &String)],
    context: Option<usize>,
) -> String {
    let mut starts = Vec::new();
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        starts.push(at);
        lines.push(Line { text: line.trim_end_matches('\n'), carets: Vec::new(), notes: Vec::new() });
        at += line.len();
    }
    // The lines that a stretch covers, with the columns in each that are not blank.
    let covered = |range: &Range<usize>| {
        let first = starts.partition_point(|&start| start <= range.start).saturating_sub(1);
        let after = starts.partition_point(|&start| start < range.end);
        let mut covered = Vec::new();
        for number in first..after.max(first) {
            let (Some(line), Some(&start)) = (lines.get(number), starts.get(number)) else { continue };
            let from = range.start.saturating_sub(start).min(line.text.len());
            let to = range.end.saturating_sub(start).min(line.text.len());
            let part = line.text.get(from..to).unwrap_or_default();
            let blanks = part.len() - part.trim_start().len();
            let before = line.text.get(..from + blanks).map_or(0, |text| text.chars().count());
            let length = part.trim().chars().count();
            if length > 0 {
                covered.push((number, before..before + length));
            }
        }
        covered
    };
    let carets: Vec<_> = underlined.iter().flat_map(&covered).collect();
    let notes: Vec<_> = notes
        .iter()
        .flat_map(|(ranges, note)| {
            ranges.iter().filter_map(|range| covered(range).into_iter().next()).zip(std::iter::repeat(note.as_str()))
        })
        .collect();
    for (number, columns) in carets {
        lines[number].carets.push(columns);
    }
    for ((number, _), note) in notes {
        lines[number].notes.push(note);
    }
    write_lines(&lines, context)
}

fn write_lines(lines: &[Line<'_>], context: Option<usize>) -> String {
    let shown = shown(lines, context);
    let mut out = String::new();
    let mut skipped = 0;
    for (line, shown) in lines.iter().zip(shown) {
        if !shown {
            skipped += 1;
            continue;
        }
        skip(&mut out, &mut skipped);
        let indent: String = line.text.chars().take_while(|c| *c == ' ').collect();
        let (above, after): (Vec<&str>, Vec<&str>) = line.notes.iter().partition(|note| note.contains('\n'));
        for note in above.iter().flat_map(|note| note.lines()) {
            out.push_str(&format!("{indent}# {note}\n"));
        }
        out.push_str(line.text);
        if !after.is_empty() {
            out.push_str(&format!("  # {}", after.join("; ")));
        }
        out.push('\n');
        if let Some(end) = line.carets.iter().map(|columns| columns.end).max() {
            let caret = |column| line.carets.iter().any(|columns| columns.contains(&column));
            out.extend((0..end).map(|column| if caret(column) { '^' } else { ' ' }));
            out.push('\n');
        }
    }
    skip(&mut out, &mut skipped);
    out
}

fn skip(out: &mut String, skipped: &mut usize) {
    match std::mem::take(skipped) {
        0 => {}
        1 => out.push_str("(... 1 line skipped ...)\n"),
        count => out.push_str(&format!("(... {count} lines skipped ...)\n")),
    }
}

/// The shown lines: all, or those around a mark.
fn shown(lines: &[Line<'_>], context: Option<usize>) -> Vec<bool> {
    let is_marked = |line: &Line<'_>| !line.carets.is_empty() || !line.notes.is_empty();
    let Some(context) = context.filter(|_| lines.iter().any(is_marked)) else { return vec![true; lines.len()] };
    let mut shown = vec![false; lines.len()];
    for (number, _) in lines.iter().enumerate().filter(|(_, line)| is_marked(line)) {
        let after = number.saturating_add(context).saturating_add(1).min(lines.len());
        shown[number.saturating_sub(context)..after].fill(true);
    }
    shown
}
