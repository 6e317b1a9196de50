//! One sequence of tokens: its pages, what each of its tokens sees, and the tree of tokens that are not accepted yet.
//!
//! Token `i` of a sequence lies in *slot* `i`, which is in page `i / page` of its table. Its *position* is `i` too, but
//! for the nodes of a tree, which have the position of their depth: a tree holds guesses, of which one path is accepted
//! (`commit`) and the others are dropped.
//!
//! With a *window* of `size` tokens and a *sink* of `sink` tokens, a token sees the first `sink` tokens and the last
//! `size - sink` up to itself (StreamingLLM, Xiao et al. 2023). Distances to the sink count what is seen, not what was
//! dropped in between: for the sink, a token has the position `size - 1` at most.

use std::ops::Range;

use super::pages::{Page, PagePool};
use crate::builtins::refused;
use crate::error::Result;

/// Nodes of a tree at most: each says of all before it whether it sees them.
const MAX_NODES: usize = 4096;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Window {
    pub(super) size: usize,
    /// Less than `size`.
    pub(super) sink: usize,
}

/// A token that is appended: where it lies and what it sees.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    pub(super) slot: usize,
    pub(super) position: usize,
    /// Slots that are seen at their own distances: all of them, but for those that `tree` hides.
    pub(super) seen: Range<usize>,
    /// Slots before them that are seen from `position_for_sink`.
    pub(super) sink: Range<usize>,
    pub(super) position_for_sink: usize,
    /// For the node of a tree: the first slot of the tree, and for each slot from there on whether it is seen.
    pub(super) tree: Option<(usize, Box<[bool]>)>,
}

impl Row {
    /// What the token sees in a layer whose tokens see the last `window` positions only, their own included: of what
    /// it sees without that.
    pub(super) fn within(&self, window: usize) -> Self {
        let from = (self.position + 1).saturating_sub(window);
        let mut row = self.clone();
        row.sink.start = row.sink.start.max(from).min(row.sink.end);
        match &mut row.tree {
            None => row.seen.start = row.seen.start.max(from).min(row.seen.end),
            Some((base, shown)) => {
                row.seen.start = row.seen.start.max(from.min(*base));
                // The nodes that are shown are the end of the token's path, whose positions follow each other.
                for (distance, shown) in shown.iter_mut().rev().filter(|shown| **shown).enumerate() {
                    *shown = distance < window;
                }
            }
        }
        row
    }
}

#[derive(Default)]
pub(super) struct Sequence {
    /// The pages in order; none for one whose tokens no window sees any more.
    pub(super) pages: Vec<Option<Page>>,
    /// Slots that are filled, those of the tree included.
    pub(super) length: usize,
    pub(super) window: Option<Window>,
    /// The nodes of the tree, which are the last slots: each has its parent, an earlier node, or none for a root.
    tree: Vec<Option<usize>>,
}

impl Sequence {
    /// A sequence without a tree.
    pub(super) fn new(pages: Vec<Option<Page>>, length: usize, window: Option<Window>) -> Self {
        Self { pages, length, window, tree: Vec::new() }
    }

    /// Slots before the tree.
    pub(super) fn accepted(&self) -> usize {
        self.length - self.tree.len()
    }

    pub(super) fn has_tree(&self) -> bool {
        !self.tree.is_empty()
    }

    /// Tokens that the next one would see, without itself.
    pub(super) fn kept(&self) -> usize {
        self.window.map_or(self.length, |window| self.length.min(window.size))
    }

    /// What a token at this position sees before itself: the sink, the first slot after it, and its own position for
    /// the sink.
    fn view_from(&self, position: usize) -> (Range<usize>, usize, usize) {
        match self.window {
            Some(Window { size, sink }) if position >= size => {
                let for_sink = if sink == 0 { position } else { size - 1 };
                (0..sink, position + 1 - (size - sink), for_sink)
            }
            _ => (0..0, 0, position),
        }
    }

    /// The rows of tokens that are appended, with a parent for each if they are nodes of a tree.
    pub(super) fn append(&mut self, count: usize, parents: Option<&[i64]>) -> Result<Vec<Row>> {
        match parents {
            None => {
                if self.has_tree() {
                    return Err(refused("the tree of the sequence is not accepted yet: commit one of its nodes first"));
                }
                let rows = (self.length..self.length + count).map(|slot| self.row(slot)).collect();
                self.length += count;
                Ok(rows)
            }
            Some(parents) => self.append_nodes(parents),
        }
    }

    fn row(&self, slot: usize) -> Row {
        let (sink, from, position_for_sink) = self.view_from(slot);
        Row { slot, position: slot, seen: from..slot + 1, sink, position_for_sink, tree: None }
    }

    fn append_nodes(&mut self, parents: &[i64]) -> Result<Vec<Row>> {
        let (base, old) = (self.accepted(), self.tree.len());
        if old + parents.len() > MAX_NODES {
            let found = old + parents.len();
            return Err(refused(format!("a tree has {MAX_NODES} nodes at most, found {found}")));
        }
        for (at, &parent) in parents.iter().enumerate() {
            let parent = match usize::try_from(parent) {
                Ok(parent) if parent < old + at => Some(parent),
                _ if parent == -1 => None,
                _ => {
                    self.tree.truncate(old);
                    let node = old + at;
                    return Err(refused(format!(
                        "node {node} of a tree has an earlier node or -1 as parent, found {parent}"
                    )));
                }
            };
            self.tree.push(parent);
        }
        let rows: Vec<Row> = (old..self.tree.len()).map(|node| self.node(base, node)).collect();
        if rows.iter().any(|row| row.sink.end > base) {
            self.tree.truncate(old);
            return Err(refused(format!("the tree begins at token {base}, which the window's sink still lacks")));
        }
        self.length = base + self.tree.len();
        Ok(rows)
    }

    /// The row of a node of the tree, which begins at slot `base`. A window counts positions, which are those of the
    /// path and not of the slots.
    fn node(&self, base: usize, node: usize) -> Row {
        let path = self.path(node);
        let position = base + path.len() - 1;
        let (sink, from, position_for_sink) = self.view_from(position);
        let mut shown = vec![false; node + 1];
        for (depth, &own) in path.iter().enumerate() {
            shown[own] = base + depth >= from;
        }
        let slot = base + node;
        Row {
            slot,
            position,
            seen: from.min(base)..slot + 1,
            sink,
            position_for_sink,
            tree: Some((base, shown.into())),
        }
    }

    /// Takes back the last append, of so many tokens.
    pub(super) fn undo(&mut self, count: usize) {
        self.tree.truncate(self.tree.len().saturating_sub(count));
        self.length -= count;
    }

    /// The nodes from a root to this one.
    fn path(&self, node: usize) -> Vec<usize> {
        let mut path: Vec<usize> = std::iter::successors(Some(node), |&node| self.tree[node]).collect();
        path.reverse();
        path
    }

    /// Accepts the path to a node, or drops the whole tree (-1): which slots are to be moved, in this order.
    pub(super) fn commit(&mut self, leaf: i64) -> Result<Vec<(usize, usize)>> {
        let base = self.accepted();
        let path = match usize::try_from(leaf) {
            Ok(leaf) if leaf < self.tree.len() => self.path(leaf),
            _ if leaf == -1 => Vec::new(),
            _ => return Err(refused(format!("a tree of {} nodes has no node {leaf}", self.tree.len()))),
        };
        self.tree.clear();
        self.length = base + path.len();
        let moves = path.iter().enumerate().map(|(at, &node)| (base + node, base + at));
        Ok(moves.filter(|(from, to)| from != to).collect())
    }

    /// Whether the tokens that the next one sees are there if the sequence ends at this length.
    pub(super) fn can_end_at(&self, length: usize, page: usize) -> bool {
        let (sink, from, _) = self.view_from(length);
        let there = |slots: Range<usize>| slots.step_by(page).all(|slot| self.has_slot(slot, page));
        length <= self.length && there(sink) && there(from / page * page..length)
    }

    pub(super) fn has_slot(&self, slot: usize, page: usize) -> bool {
        self.pages.get(slot / page).is_some_and(Option::is_some)
    }

    /// Drops the tokens from this length on, and pages without tokens.
    pub(super) fn truncate(&mut self, length: usize, page: usize, pool: &mut PagePool) {
        self.length = length;
        let needed = length.div_ceil(page).min(self.pages.len());
        self.pages.drain(needed..).flatten().for_each(|own| pool.release(own));
    }

    /// Drops pages of which no later token sees anything.
    pub(super) fn slide(&mut self, page: usize, pool: &mut PagePool) {
        let (sink, from, _) = self.view_from(self.accepted());
        let outside = sink.end.div_ceil(page)..from / page;
        for own in self.pages.get_mut(outside).unwrap_or_default() {
            if let Some(own) = own.take() {
                pool.release(own);
            }
        }
    }
}
