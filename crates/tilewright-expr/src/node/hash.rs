//! Structural hash: the same for whatever is structurally equal.

use std::hash::Hasher;
use std::mem::take;
use std::sync::Arc;

use tilewright_support::Map;

use super::{IrNode, VarId};

/// State of a structural hash.
#[derive(Default)]
pub struct HashCx {
    hasher: rustc_hash::FxHasher,
    numbers: Map<VarId, u64>,
    /// For the numbered variables that no binder has bound, the hash of the fields of each.
    said: Map<VarId, u64>,
    /// The bound variables from the outermost handle inwards, each with the number that it had before.
    bound: Vec<(VarId, Option<u64>)>,
    /// Inside of what binds variables for itself alone: the free ones that were numbered there.
    local: Option<Vec<VarId>>,
    /// Whether variables are bound here.
    binding: bool,
    /// The hashes of shared nodes, by address and by how many variables were bound around them.
    done: Map<(usize, usize), u64>,
}

impl std::fmt::Debug for HashCx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HashCx({} variables)", self.numbers.len())
    }
}

impl HashCx {
    /// The hash of a node from scratch. Free variables count by their order of appearance.
    pub fn hash<N: IrNode>(node: &N) -> u64 {
        let mut cx = Self::default();
        node.node_hash(&mut cx);
        cx.hasher.finish()
    }

    pub fn word(&mut self, word: u64) {
        self.hasher.write_u64(word);
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.hasher.write(bytes);
        self.word(bytes.len() as u64);
    }

    pub fn binding<N: IrNode>(&mut self, node: &N) {
        let before = std::mem::replace(&mut self.binding, true);
        node.node_hash(self);
        self.binding = before;
    }

    pub fn defining<N: IrNode>(&mut self, node: &N) {
        self.contents(|cx| node.node_hash(cx));
    }

    /// Feeds what binds variables for itself alone: outside of it they have no numbers.
    pub fn local(&mut self, feed: impl FnOnce(&mut Self)) {
        let (outer, done) = (self.local.replace(Vec::new()), take(&mut self.done));
        feed(self);
        self.done = done;
        for id in std::mem::replace(&mut self.local, outer).unwrap_or_default() {
            self.numbers.remove(&id);
            self.said.remove(&id);
        }
    }

    /// Feeds what shares no variables with the rest.
    pub fn scope<N: IrNode>(&mut self, node: &N) {
        let outer = (take(&mut self.numbers), take(&mut self.said), take(&mut self.bound), take(&mut self.done));
        node.node_hash(self);
        (self.numbers, self.said, self.bound, self.done) = outer;
    }

    /// Feeds the fields of a variable: variables that these mention are not bound with it.
    pub fn contents(&mut self, feed: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.binding, false);
        feed(self);
        self.binding = before;
    }

    /// Feeds a variable by its number, and what it says of itself where it is bound or free: of a bound one its uses
    /// say no more.
    ///
    /// A bound variable's number is how many are bound around it, so that a shared node and copies of it hash alike.
    /// Free ones are numbered in the order in which they appear.
    pub fn variable(&mut self, id: VarId, says: impl FnOnce(&mut Self)) {
        if self.binding {
            let number = 2 * self.bound.len() as u64 + 1;
            let before = self.numbers.insert(id, number);
            self.bound.push((id, before));
            self.word(number);
            return self.contents(says);
        }
        if let Some(&number) = self.numbers.get(&id) {
            self.word(number);
            if let Some(&said) = self.said.get(&id) {
                self.word(said);
            }
            return;
        }
        let number = 2 * self.said.len() as u64;
        self.numbers.insert(id, number);
        self.said.insert(id, 0);
        if let Some(local) = &mut self.local {
            local.push(id);
        }
        let outer = std::mem::take(&mut self.hasher);
        self.contents(says);
        let said = std::mem::replace(&mut self.hasher, outer).finish();
        self.said.insert(id, said);
        self.word(number);
        self.word(said);
    }

    /// Ends the scope of the variables that were bound since there were `count`.
    fn unbind(&mut self, count: usize) {
        for (id, before) in self.bound.drain(count..).rev() {
            match before {
                Some(number) => self.numbers.insert(id, number),
                None => self.numbers.remove(&id),
            };
        }
    }

    /// Feeds a handle by its node's own hash, computed once where it is shared. What the node binds is bound inside it.
    pub fn handle<N: IrNode>(&mut self, node: &Arc<N>) {
        let key = (Arc::as_ptr(node) as usize, self.bound.len());
        let hash = self.done.get(&key).copied().unwrap_or_else(|| {
            let outer = std::mem::take(&mut self.hasher);
            let bound = self.bound.len();
            self.contents(|cx| tilewright_support::with_stack(|| node.node_hash(cx)));
            self.unbind(bound);
            let hash = std::mem::replace(&mut self.hasher, outer).finish();
            if Arc::strong_count(node) > 1 {
                self.done.insert(key, hash);
            }
            hash
        });
        self.word(hash);
    }
}
