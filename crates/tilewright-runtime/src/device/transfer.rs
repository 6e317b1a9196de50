//! Copies of tensors and values from device to device that are over when the call returns.

use std::sync::Arc;

use tilewright_support::with_stack;
use tilewright_tensor::{DataType, Layout, Tensor};

use super::Device;
use crate::error::{ErrorKind, Result};
use crate::value::Value;

impl Device {
    /// The tensor on this device: itself where it is there already, else a compact copy. What is read-only stays so.
    pub fn copy_of(self, tensor: &Tensor) -> Result<Tensor> {
        let from = Self::of(tensor)?;
        if from == self {
            return Ok(tensor.clone());
        }
        self.require()?;
        let copy = match (from.is_host(), self.is_host()) {
            (true, _) => upload(self, tensor)?,
            (false, true) => download(from, tensor)?,
            (false, false) => upload(self, &download(from, tensor)?)?,
        };
        Ok(if tensor.is_read_only() { copy.to_read_only() } else { copy })
    }

    /// The value with its tensors on this device; of a tuple field by field.
    pub fn value_of(self, value: &Value) -> Result<Value> {
        map_tensors(value, &mut |tensor| self.copy_of(tensor))
    }
}

/// The value with another tensor in the place of each.
pub(crate) fn map_tensors(value: &Value, map: &mut dyn FnMut(&Tensor) -> Result<Tensor>) -> Result<Value> {
    match value {
        Value::Tensor(tensor) => map(tensor).map(Value::Tensor),
        Value::Tuple(items) => {
            let mapped = with_stack(|| items.iter().map(|item| map_tensors(item, map)).collect::<Result<Vec<_>>>())?;
            Ok(Value::tuple(mapped))
        }
        other => Ok(other.clone()),
    }
}

/// Overwrites the elements of a tensor with those of another one of the same type and shape, wherever they are.
pub fn copy_elements(target: &Tensor, source: &Tensor) -> Result<()> {
    require_alike(target, source)?;
    let (to, from) = (Device::of(target)?, Device::of(source)?);
    if to.is_host() {
        let source = Device::cpu().copy_of(source)?.to_contiguous()?;
        return Ok(target.overwrite(source.as_bytes()?)?);
    }
    if target.is_read_only() {
        return Err(ErrorKind::Tensor(tilewright_tensor::TensorError::ReadOnly).into());
    }
    if !target.is_contiguous() {
        let message = "a tensor with strides is not overwritten there: copy it to cpu(0) first".to_owned();
        return Err(ErrorKind::Device { device: to, message }.into());
    }
    let source = if from.is_host() { source.to_contiguous()? } else { to.copy_of(source)? };
    let stream = to.open()?.stream()?;
    stream.copy(target, &source)?;
    stream.synchronise()
}

/// An error unless one tensor's elements go into the other.
pub(crate) fn require_alike(target: &Tensor, source: &Tensor) -> Result<()> {
    if target.shape() == source.shape() && target.dtype() == source.dtype() {
        return Ok(());
    }
    let what = |tensor: &Tensor| format!("shape {:?} of {}", tensor.shape(), tensor.dtype());
    let message = format!("{} does not go into {}", what(source), what(target));
    Err(ErrorKind::Device { device: Device::of(target)?, message }.into())
}

fn upload(device: Device, tensor: &Tensor) -> Result<Tensor> {
    let source = tensor.to_contiguous()?;
    let open = device.open()?;
    let copy = open.alloc(compact(&source)?)?;
    let stream = open.stream()?;
    stream.copy(&copy, &source)?;
    stream.synchronise()?;
    Ok(copy)
}

fn download(device: Device, tensor: &Tensor) -> Result<Tensor> {
    let stream = device.open()?.stream()?;
    let fetch = |tensor: &Tensor| -> Result<Tensor> {
        let copy = Tensor::zeros_with(compact(tensor)?)?;
        stream.copy(&copy, tensor)?;
        stream.synchronise()?;
        Ok(copy)
    };
    if tensor.is_contiguous() {
        return fetch(tensor);
    }
    // All bytes from the lowest element to the highest are fetched, and the strides are followed here.
    let (low, high) = tensor.layout().extent();
    let bytes = Layout::compact(DataType::U8, &[high - low])?;
    let fetched = fetch(&tensor.view_as(Arc::new(bytes), low)?)?;
    Ok(fetched.view_as(Arc::clone(tensor.layout()), -low)?.copied()?)
}

fn compact(tensor: &Tensor) -> Result<Arc<Layout>> {
    Ok(Arc::new(Layout::compact(tensor.dtype(), tensor.shape())?))
}
