//! States of recurrent models: some tensors a layer for each sequence, of which the last steps are kept.
//!
//! A step reads the states after the step before, and what it sets counts from its end on. Tokens can be taken back as
//! far as steps of one token are kept; a step of several tokens cannot be taken apart, and forgets those before it.

use std::collections::{BTreeMap, VecDeque};

use tilewright_tensor::{Layout, Tensor};

use super::{KvState, check_between_steps, check_ids};
use crate::builtins::refused;
use crate::error::Result;

/// The states of all layers, layer by layer. Tensors are never changed, only replaced.
type States = Vec<Tensor>;

pub(super) struct RnnState {
    layers: usize,
    batch: usize,
    /// States of a sequence that are kept at most, the last ones included.
    history: usize,
    /// What a layer begins with.
    first: Vec<Tensor>,
    sequences: BTreeMap<i64, Recurrent>,
    /// The sequences of the open step, with the tokens that they get and what was set so far.
    step: Option<Vec<Advance>>,
}

#[derive(Clone)]
struct Recurrent {
    length: i64,
    /// The last ones are at the end; one at least.
    states: VecDeque<States>,
}

struct Advance {
    id: i64,
    length: i64,
    states: States,
}

impl RnnState {
    pub(super) fn new(layers: usize, batch: usize, history: usize, first: Vec<Tensor>) -> Self {
        Self { layers, batch, history, first, sequences: BTreeMap::new(), step: None }
    }

    fn index(&self, layer: i64, state: i64) -> Result<(usize, &Tensor)> {
        let (layers, states) = (self.layers, self.first.len());
        let known = usize::try_from(layer).ok().filter(|&layer| layer < layers);
        let own = usize::try_from(state).ok().and_then(|state| Some((state, self.first.get(state)?)));
        match known.zip(own) {
            Some((layer, (state, first))) => Ok((layer * states + state, first)),
            None => Err(refused(format!(
                "there are {layers} layers of {states} states, found state {state} of layer {layer}"
            ))),
        }
    }

    fn sequence(&self, id: i64) -> Result<&Recurrent> {
        self.sequences.get(&id).ok_or_else(|| refused(format!("there is no sequence {id}")))
    }

    /// States of the step's sequences as a tensor has them: their number, then the state's shape.
    fn fits(&self, tensor: &Tensor, first: &Tensor) -> Result<usize> {
        let step = self.step.as_ref().ok_or_else(|| refused("no step is open: call begin_forward first"))?;
        let count = step.len();
        let fits =
            tensor.shape().split_first().is_some_and(|(&rows, rest)| rows == count as i64 && rest == first.shape());
        if fits && tensor.dtype() == first.dtype() {
            return Ok(count);
        }
        let (shape, dtype) = (first.shape(), first.dtype());
        Err(refused(format!(
            "expected {count} states of {dtype} and {shape:?}, found {} and {:?}",
            tensor.dtype(),
            tensor.shape()
        )))
    }

    pub(super) fn get(&self, layer: i64, state: i64, out: &Tensor) -> Result<()> {
        let (index, first) = self.index(layer, state)?;
        self.fits(out, first)?;
        let mut bytes = Vec::with_capacity(out.num_bytes());
        for own in self.step.iter().flatten() {
            let last = self.sequence(own.id)?.states.back();
            let last = last.and_then(|states| states.get(index)).unwrap_or(first);
            bytes.extend_from_slice(last.as_bytes()?);
        }
        Ok(out.overwrite(&bytes)?)
    }

    pub(super) fn set(&mut self, layer: i64, state: i64, values: &Tensor) -> Result<()> {
        let (index, first) = self.index(layer, state)?;
        let layout = std::sync::Arc::new(Layout::compact(first.dtype(), first.shape())?);
        self.fits(values, first)?;
        let values = values.to_contiguous()?;
        for (at, own) in self.step.iter_mut().flatten().enumerate() {
            let offset = at * layout.num_bytes();
            own.states[index] = values.view_as(std::sync::Arc::clone(&layout), offset as i64)?.copied()?;
        }
        Ok(())
    }

    pub(super) fn debug_get(&self, layer: i64, state: i64, id: i64) -> Result<Tensor> {
        let (index, first) = self.index(layer, state)?;
        let last = self.sequence(id)?.states.back().and_then(|states| states.get(index));
        Ok(last.unwrap_or(first).copied()?)
    }

    pub(super) fn debug_set(&mut self, layer: i64, state: i64, id: i64, values: &Tensor) -> Result<()> {
        let (index, first) = self.index(layer, state)?;
        if values.shape() != first.shape() || values.dtype() != first.dtype() {
            let (shape, dtype) = (first.shape(), first.dtype());
            let found = values.shape();
            return Err(refused(format!(
                "expected a state of {dtype} and {shape:?}, found {} and {found:?}",
                values.dtype()
            )));
        }
        let values = values.copied()?;
        self.sequence(id)?;
        let last = self.sequences.get_mut(&id).and_then(|own| own.states.back_mut());
        if let Some(own) = last.and_then(|states| states.get_mut(index)) {
            *own = values;
        }
        Ok(())
    }
}

impl KvState for RnnState {
    fn clear(&mut self) {
        self.sequences.clear();
        self.step = None;
    }

    fn add_sequence(&mut self, id: i64) -> Result<()> {
        if self.sequences.contains_key(&id) {
            return Err(refused(format!("there is a sequence {id} already")));
        }
        let states = (0..self.layers).flat_map(|_| self.first.iter().cloned()).collect();
        self.sequences.insert(id, Recurrent { length: 0, states: VecDeque::from([states]) });
        Ok(())
    }

    fn remove_sequence(&mut self, id: i64) -> Result<()> {
        check_between_steps(self.step.as_ref(), "remove_sequence")?;
        self.sequence(id)?;
        self.sequences.remove(&id);
        Ok(())
    }

    fn fork_sequence(&mut self, parent: i64, child: i64, position: i64) -> Result<()> {
        check_between_steps(self.step.as_ref(), "fork_sequence")?;
        if self.sequences.contains_key(&child) {
            return Err(refused(format!("there is a sequence {child} already")));
        }
        let mut forked = self.sequence(parent)?.clone();
        let back = if position == -1 { 0 } else { forked.length.saturating_sub(position) };
        take_back(&mut forked, parent, back)?;
        self.sequences.insert(child, forked);
        Ok(())
    }

    fn popn(&mut self, id: i64, count: i64) -> Result<()> {
        check_between_steps(self.step.as_ref(), "popn")?;
        self.sequence(id)?;
        match self.sequences.get_mut(&id) {
            Some(own) => take_back(own, id, count),
            None => Ok(()),
        }
    }

    fn begin_forward(&mut self, ids: &[i64], lengths: &[i64], tree: Option<&[i64]>) -> Result<()> {
        check_between_steps(self.step.as_ref(), "begin_forward")?;
        if tree.is_some() {
            return Err(refused("a recurrent model has one past: it takes no trees of tokens"));
        }
        check_ids(ids, lengths.len(), "lengths")?;
        if ids.len() > self.batch {
            return Err(refused(format!("a step has {} sequences at most, found {}", self.batch, ids.len())));
        }
        let mut step = Vec::new();
        for (&id, &length) in ids.iter().zip(lengths) {
            if length < 1 {
                return Err(refused(format!("sequence {id} gets 1 token or more in a step, found {length}")));
            }
            let own = self.sequence(id)?;
            if own.length.checked_add(length).is_none() {
                return Err(refused(format!("sequence {id} of {} tokens cannot get {length}", own.length)));
            }
            let states = own.states.back().cloned().unwrap_or_default();
            step.push(Advance { id, length, states });
        }
        self.step = Some(step);
        Ok(())
    }

    fn end_forward(&mut self) -> Result<()> {
        let step = self.step.take().ok_or_else(|| refused("no step is open: call begin_forward first"))?;
        for Advance { id, length, states } in step {
            let Some(own) = self.sequences.get_mut(&id) else { continue };
            own.length += length;
            if length > 1 {
                own.states.clear();
            }
            own.states.push_back(states);
            while own.states.len() > self.history {
                own.states.pop_front();
            }
        }
        Ok(())
    }
}

fn take_back(own: &mut Recurrent, id: i64, count: i64) -> Result<()> {
    let kept = own.states.len() as i64 - 1;
    if !(0..=kept).contains(&count) {
        return Err(refused(format!("{kept} steps of sequence {id} can be taken back, found {count}")));
    }
    own.states.truncate(own.states.len() - count as usize);
    own.length -= count;
    Ok(())
}
