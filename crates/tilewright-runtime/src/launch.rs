//! Calling a kernel of the program: its arguments from registers and slots, and the checks that depend on them.

use std::sync::Arc;

use tilewright_tensor::Tensor;
use tilewright_tensor::abi::KernelFn;
use tilewright_vm_program::{Access, Kernel, Reg, Scalar};

use crate::device::{self, Module};
use crate::error::{Error, Result};
use crate::instrument::{self, CallKind};
use crate::matching;
use crate::prepare::{Fact, Frame};
use crate::run::{Run, value};
use crate::value::Value;

/// Arguments that need no memory from the heap.
const INLINE_ARGUMENTS: usize = 16;

/// How a kernel is called.
#[derive(Clone)]
pub(crate) enum Entry {
    /// On the thread that runs the function.
    Native(KernelFn),
    /// On the stream that the run has for the kernel's device.
    Queued(Arc<dyn Module>),
}

/// What is known about the call of a kernel beforehand.
pub(crate) struct PreparedLaunch {
    pub(crate) entry: Entry,
    pub(crate) scratch_bytes: usize,
    /// The kernel may get tensors of the user's memory: what it writes must be writable and overlap nothing.
    pub(crate) check_overlap: bool,
}

/// A call of a kernel that the queue of its device makes.
struct QueuedCall<'a> {
    kernel: &'a Kernel,
    module: &'a Arc<dyn device::Module>,
    tensors: &'a [Reg],
    scalars: &'a [Scalar],
}

impl Run<'_> {
    pub(crate) fn call_kernel(
        &self,
        frame: &Frame,
        index: u32,
        tensors: &[Reg],
        scalars: &[Scalar],
        fact: &Fact,
    ) -> Result<()> {
        // Every call of a kernel has such a fact.
        let Fact::Kernel(launch) = fact else { return Ok(()) };
        let kernel = &self.cx.machine.program().kernels[index as usize];
        if self.cx.observer.is_none() {
            return self.launch(frame, kernel, tensors, scalars, launch);
        }
        let args = || self.arguments(frame, tensors, scalars);
        let call = || {
            self.launch(frame, kernel, tensors, scalars, launch)?;
            // Who watches is told when the kernel is done.
            self.cx.wait().map(|()| Value::None)
        };
        instrument::around(self.cx.observer, CallKind::Kernel, self.kernel_name(kernel), args, call).map(drop)
    }

    fn launch(
        &self,
        frame: &Frame,
        kernel: &Kernel,
        tensors: &[Reg],
        scalars: &[Scalar],
        launch: &PreparedLaunch,
    ) -> Result<()> {
        let entry = match &launch.entry {
            Entry::Native(entry) => *entry,
            Entry::Queued(module) => {
                let call = QueuedCall { kernel, module, tensors, scalars };
                return self.queue(frame, call, launch);
            }
        };
        let mut inline_addresses = [std::ptr::null_mut(); INLINE_ARGUMENTS];
        let mut inline_scalars = [0; INLINE_ARGUMENTS];
        let (mut heap_addresses, mut heap_scalars);
        let addresses = if tensors.len() <= INLINE_ARGUMENTS {
            &mut inline_addresses[..tensors.len()]
        } else {
            heap_addresses = vec![std::ptr::null_mut(); tensors.len()];
            &mut heap_addresses[..]
        };
        for (address, &reg) in addresses.iter_mut().zip(tensors) {
            let tensor = self.tensor(frame, kernel, reg)?;
            if !tensor.is_on_host() {
                return Err(self.wrong_device(kernel, tensor));
            }
            *address = tensor.data_ptr();
        }
        if launch.check_overlap {
            self.check_overlap(frame, kernel, tensors)?;
        }
        let numbers = if scalars.len() <= INLINE_ARGUMENTS {
            &mut inline_scalars[..scalars.len()]
        } else {
            heap_scalars = vec![0; scalars.len()];
            &mut heap_scalars[..]
        };
        self.numbers(frame, kernel, scalars, numbers)?;
        // SAFETY: the program is trusted to pass what its kernel takes: the verifier compared the counts, the tensors
        // are contiguous and on the host, and what is written is writable and overlaps no other argument, by the
        // verifier's and `Prepared`'s proof or by `check_overlap`.
        let outcome = unsafe { frame.worker.call(entry, addresses, numbers, launch.scratch_bytes) };
        outcome.map_err(|failure| failure.into_error(self.kernel_name(kernel)))
    }

    /// Asks the kernel's device for the call.
    fn queue(&self, frame: &Frame, call: QueuedCall<'_>, launch: &PreparedLaunch) -> Result<()> {
        let QueuedCall { kernel, module, tensors, scalars } = call;
        let device = self.cx.machine.devices[kernel.device.0 as usize];
        let mut given = Vec::with_capacity(tensors.len());
        for &reg in tensors {
            let tensor = self.tensor(frame, kernel, reg)?;
            if !device::Device::of(tensor).is_ok_and(|found| found == device) {
                return Err(self.wrong_device(kernel, tensor));
            }
            given.push(tensor.clone());
        }
        if launch.check_overlap {
            self.check_overlap(frame, kernel, tensors)?;
        }
        let mut numbers = vec![0; scalars.len()];
        self.numbers(frame, kernel, scalars, &mut numbers)?;
        let call = device::Launch {
            module,
            export: kernel.export,
            name: self.kernel_name(kernel),
            tensors: &given,
            scalars: &numbers,
            scratch_bytes: launch.scratch_bytes,
        };
        let stream = self.cx.stream(kernel.device)?;
        // SAFETY: as in `launch`, and all tensors are on the kernel's device.
        unsafe { stream.launch(call) }
    }

    /// The scalar arguments as the kernel takes them.
    #[inline]
    fn numbers(&self, frame: &Frame, kernel: &Kernel, scalars: &[Scalar], numbers: &mut [i64]) -> Result<()> {
        for ((number, scalar), &dtype) in numbers.iter_mut().zip(scalars).zip(&kernel.scalars) {
            *number = match scalar {
                Scalar::Dim(dim) => self.size(frame, *dim)?,
                Scalar::Reg(reg) => matching::scalar_bits(dtype, value(frame, *reg))
                    .map_err(|message| self.failed(format!("{}: {message}", self.kernel_name(kernel))))?,
            };
        }
        Ok(())
    }

    fn wrong_device(&self, kernel: &Kernel, tensor: &Tensor) -> Error {
        let (name, found) = (self.kernel_name(kernel), tensor.device());
        let device = self.cx.machine.devices[kernel.device.0 as usize];
        self.failed(format!(
            "kernel \"{name}\" runs on {device} and is given a tensor on {found}: copy it with .to({device}) first"
        ))
    }

    /// The kernel's arguments as values: its tensors, then its scalars.
    fn arguments(&self, frame: &Frame, tensors: &[Reg], scalars: &[Scalar]) -> Result<Vec<Value>> {
        let tensors = tensors.iter().map(|&reg| Ok(value(frame, reg).clone()));
        let scalars = scalars.iter().map(|scalar| match scalar {
            Scalar::Dim(dim) => self.size(frame, *dim).map(Value::Int),
            Scalar::Reg(reg) => Ok(value(frame, *reg).clone()),
        });
        tensors.chain(scalars).collect()
    }

    fn kernel_name(&self, kernel: &Kernel) -> &str {
        self.cx.machine.program().kernel_name(kernel)
    }

    fn tensor<'f>(&self, frame: &'f Frame, kernel: &Kernel, reg: Reg) -> Result<&'f Tensor> {
        match value(frame, reg) {
            Value::Tensor(tensor) if tensor.is_contiguous() => Ok(tensor),
            Value::Tensor(_) => {
                let name = self.kernel_name(kernel);
                Err(self.failed(format!("kernel \"{name}\" is given a tensor that is not contiguous")))
            }
            other => {
                let (name, found) = (self.kernel_name(kernel), other.kind_name());
                Err(self.failed(format!("kernel \"{name}\" takes tensors, but is given {found}")))
            }
        }
    }

    /// What the kernel writes is writable, and shares no memory with another argument.
    fn check_overlap(&self, frame: &Frame, kernel: &Kernel, tensors: &[Reg]) -> Result<()> {
        for (i, &written) in tensors.iter().enumerate() {
            if kernel.tensors[i] == Access::Read {
                continue;
            }
            let tensor = self.tensor(frame, kernel, written)?;
            if tensor.is_read_only() {
                let (what, name) = (self.describe(i, written), self.kernel_name(kernel));
                return Err(self.failed(format!("{what} is read-only, but kernel \"{name}\" writes it")));
            }
            for (j, &other) in tensors.iter().enumerate().filter(|&(j, _)| j != i) {
                if tensor.overlaps(self.tensor(frame, kernel, other)?) {
                    let (written, other) = (self.describe(i, written), self.describe(j, other));
                    let name = self.kernel_name(kernel);
                    let message = format!(
                        "{written} and {other} share memory, but kernel \"{name}\" writes the first: \
                         pass a copy of one of them"
                    );
                    return Err(self.failed(message));
                }
            }
        }
        Ok(())
    }

    /// A kernel's argument in the user's words: the function's own argument where it is one.
    fn describe(&self, position: usize, reg: Reg) -> String {
        match self.function.params.get(reg.0 as usize) {
            Some(param) => match (reg.0 as usize).checked_sub(self.captured) {
                Some(index) => format!("argument {index} (\"{}\")", param.name),
                None => format!("captured \"{}\"", param.name),
            },
            None => format!("tensor {position} of the call"),
        }
    }
}
