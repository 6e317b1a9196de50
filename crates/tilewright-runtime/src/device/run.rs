//! The launches and copies of a run on devices.
//!
//! All of them go to one stream for each device, which the run takes from the machine's idle ones. A call from outside
//! ends when the devices are done: its results are complete, and a failure of a device is the call's. Frames
//! whose tensors a device may still use are given back after that.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use tilewright_support::with_stack;
use tilewright_tensor::{Layout, Tensor};
use tilewright_vm_program::DeviceIndex;

use crate::device::transfer::{copy_elements, map_tensors, require_alike};
use crate::device::{Device, Stream};
use crate::error::{Error, ErrorKind, Result};
use crate::machine::LoadedExecutable;
use crate::prepare::Frame;
use crate::run::RunCx;
use crate::value::Value;

/// Frames that a run keeps; for more, it waits for its devices.
const MAX_KEPT_FRAMES: usize = 16;

/// The streams and the frames of one run, with all functions that it calls.
pub(crate) struct DeviceRun {
    machine: Arc<LoadedExecutable>,
    /// Whether somebody watches the run, and may have kept what he saw.
    watched: bool,
    /// One for each device of the program, from its first use on.
    streams: Vec<OnceLock<Box<dyn Stream>>>,
    /// Frames of functions that have returned, with the functions.
    frames: RefCell<Vec<(u32, Box<Frame>)>>,
    /// The first failure of a device that has not been reported.
    failure: RefCell<Option<Error>>,
}

impl DeviceRun {
    pub(crate) fn new(machine: &Arc<LoadedExecutable>, watched: bool) -> Self {
        Self {
            machine: Arc::clone(machine),
            watched,
            streams: machine.devices.iter().map(|_| OnceLock::new()).collect(),
            frames: RefCell::default(),
            failure: RefCell::default(),
        }
    }

    /// Keeps the frame of a function that returns until the devices have done its operations.
    pub(crate) fn keep(&self, function: u32, frame: Box<Frame>) {
        self.frames.borrow_mut().push((function, frame));
        if self.frames.borrow().len() > MAX_KEPT_FRAMES {
            self.settle();
        }
    }

    /// The run's stream on a device of the program.
    fn stream(&self, device: DeviceIndex) -> Result<&dyn Stream> {
        let slot = &self.streams[device.0 as usize];
        if let Some(stream) = slot.get() {
            return Ok(&**stream);
        }
        let idle = self.machine.streams[device.0 as usize].lock().pop();
        let stream = match idle {
            Some(stream) => stream,
            None => self.machine.devices[device.0 as usize].open()?.stream()?,
        };
        Ok(&**slot.get_or_init(|| stream))
    }

    /// Waits for all devices.
    fn wait(&self) -> Result<()> {
        self.synchronise();
        self.failure.borrow_mut().take().map_or(Ok(()), Err)
    }

    fn synchronise(&self) {
        for stream in self.streams.iter().filter_map(OnceLock::get) {
            if let Err(error) = stream.synchronise() {
                self.failure.borrow_mut().get_or_insert(error);
            }
        }
    }

    /// Waits for all devices, and gives the frames back.
    fn settle(&self) {
        self.synchronise();
        let frames = std::mem::take(&mut *self.frames.borrow_mut());
        for (function, frame) in frames {
            self.machine.functions[function as usize].give_back(frame, self.watched);
        }
    }

    /// Ends the run.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.settle();
        self.give_back();
        self.failure.borrow_mut().take().map_or(Ok(()), Err)
    }
}

impl Drop for DeviceRun {
    /// A run that a panic ends has its frames dropped, and not before the devices are done with them.
    fn drop(&mut self) {
        self.synchronise();
        self.frames.borrow_mut().clear();
        self.give_back();
    }
}

impl DeviceRun {
    /// The streams are for the next run.
    fn give_back(&mut self) {
        for (slot, idle) in self.streams.iter_mut().zip(&self.machine.streams) {
            if let Some(stream) = slot.take() {
                idle.lock().push(stream);
            }
        }
    }
}

impl RunCx<'_> {
    /// The run's stream on a device of the program that is not the host.
    pub(crate) fn stream(&self, device: DeviceIndex) -> Result<&dyn Stream> {
        match self.devices {
            Some(work) => work.stream(device),
            // Every machine with such a device has it.
            None => Err(ErrorKind::NoDevice { device: self.machine.devices[device.0 as usize] }.into()),
        }
    }

    /// Waits until the devices have done the operations of the run.
    pub(crate) fn wait(&self) -> Result<()> {
        self.devices.map_or(Ok(()), DeviceRun::wait)
    }

    /// See [`tilewright_vm_program::Instruction::Copy`].
    pub(crate) fn copy(&self, value: &Value, device: DeviceIndex) -> Result<Value> {
        map_tensors(value, &mut |tensor| self.copy_tensor(tensor, device))
    }

    fn copy_tensor(&self, tensor: &Tensor, device: DeviceIndex) -> Result<Tensor> {
        let (from, to) = (Device::of(tensor)?, self.machine.devices[device.0 as usize]);
        if from == to {
            return Ok(tensor.clone());
        }
        let source = match self.index(from) {
            Some(_) if tensor.is_contiguous() && (from.is_host() || to.is_host()) => tensor.clone(),
            // By way of the host, and in pieces: earlier operations of this run on the tensor's device come first.
            _ => {
                self.wait()?;
                if to.is_host() {
                    return to.copy_of(tensor);
                }
                Device::cpu().copy_of(tensor)?.to_contiguous()?
            }
        };
        let layout = Layout::compact(tensor.dtype(), tensor.shape())?;
        let copy = self.machine.tensor(device, Arc::new(layout))?;
        self.stream_between(&copy, &source)?.copy(&copy, &source)?;
        Ok(if tensor.is_read_only() { copy.to_read_only() } else { copy })
    }

    /// See [`tilewright_vm_program::Instruction::CopyTo`].
    pub(crate) fn copy_to(&self, target: &Value, source: &Value) -> Result<()> {
        match (target, source) {
            (Value::Tensor(target), Value::Tensor(source)) => {
                require_alike(target, source)?;
                let same = target.device() == source.device() && target.data_ptr() == source.data_ptr();
                if same || target.is_read_only() || target.num_elements() == 0 {
                    return Ok(());
                }
                let near = Device::of(target)?.is_host() != Device::of(source)?.is_host();
                if near && target.is_contiguous() && source.is_contiguous() {
                    return self.stream_between(target, source)?.copy(target, source);
                }
                self.wait()?;
                copy_elements(target, source)
            }
            (Value::Tuple(targets), Value::Tuple(sources)) => with_stack(|| {
                let mut pairs = targets.iter().zip(sources.iter());
                pairs.try_for_each(|(target, source)| self.copy_to(target, source))
            }),
            _ => Ok(()),
        }
    }

    /// The stream of the one of two tensors that is not on the host.
    fn stream_between(&self, target: &Tensor, source: &Tensor) -> Result<&dyn Stream> {
        let device = if target.is_on_host() { Device::of(source)? } else { Device::of(target)? };
        match self.index(device) {
            Some(index) => self.stream(index),
            None => Err(ErrorKind::NoDevice { device }.into()),
        }
    }

    /// The program's number of a device.
    fn index(&self, device: Device) -> Option<DeviceIndex> {
        let index = self.machine.devices.iter().position(|known| *known == device)?;
        Some(DeviceIndex(index as u32))
    }

    /// Calls a function that is not this machine's. One of the process reads and writes tensors on the host; what it
    /// returns goes to the program's first device.
    pub(crate) fn call_outside(&self, function: &Value, args: &[Value]) -> Result<Value> {
        let call = |args: &[Value]| with_stack(|| function.call(args));
        if self.devices.is_none() {
            return call(args);
        }
        let Value::Function(_) = function else {
            self.wait()?;
            return call(args);
        };
        // Operations of the run come before the copies, which are over when they are made.
        self.wait()?;
        let on_host = args.iter().map(|arg| Device::cpu().value_of(arg)).collect::<Result<Vec<_>>>()?;
        let result = call(&on_host)?;
        for (target, source) in args.iter().zip(&on_host) {
            self.copy_to(target, source)?;
        }
        self.copy(&result, DeviceIndex::FIRST)
    }
}
