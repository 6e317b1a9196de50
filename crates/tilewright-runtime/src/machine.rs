//! The virtual machine: an executable made ready on this machine, and handles to its functions.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tilewright_support::{Map, nearest};
use tilewright_tensor::{Layout, Tensor};
use tilewright_vm_program::{DeviceIndex, Function as FunctionBody, Program};

use crate::code::Code;
use crate::device::run::DeviceRun;
use crate::device::{Device, OpenDevice, Stream};
use crate::error::{ErrorKind, Result};
use crate::executable::Executable;
use crate::fork::{Lock, SharedLock};
use crate::instrument::Instrument;
use crate::launch::Entry;
use crate::output_cache::OutputCache;
use crate::prepare::{Prepared, Ready};
use crate::profile::{self, Report, Times, Timing};
use crate::registry;
use crate::run::RunCx;
use crate::stateful::Stored;
use crate::value::{PackedFunc, Tuple, Value};

/// An executable, ready to run. Cloning shares it, what is stored in it included; any number of threads may call its
/// functions at once.
#[derive(Clone)]
pub struct VirtualMachine {
    pub(crate) machine: Arc<LoadedExecutable>,
    pub(crate) stored: Arc<Stored>,
}

pub(crate) struct LoadedExecutable {
    pub(crate) executable: Arc<Executable>,
    /// One for each function of the program.
    pub(crate) functions: Vec<Prepared>,
    /// One for each device of the program.
    pub(crate) devices: Vec<Device>,
    /// The same, ready for use; none for the host.
    pub(crate) open: Vec<Option<Arc<dyn OpenDevice>>>,
    /// Whether any device is another one than the host.
    pub(crate) has_devices: bool,
    /// For each device of the program, streams that no run uses.
    pub(crate) streams: Vec<Lock<Vec<Box<dyn Stream>>>>,
    /// Constants on devices, by their index and that of the device; there when somebody has used them.
    constants: SharedLock<Map<(u32, u32), Tensor>>,
    /// One for each packed name of the program, with the registry's generation in which it was looked up.
    packed: Vec<SharedLock<Option<(u64, PackedFunc)>>>,
    pub(crate) outputs: Arc<OutputCache>,
    /// Whether there is an instrument, for a look without a lock.
    watched: AtomicBool,
    instrument: SharedLock<Option<Instrument>>,
}

impl LoadedExecutable {
    pub(crate) fn program(&self) -> &Program {
        self.executable.program()
    }

    /// A tensor with undefined contents on a device of the program.
    pub(crate) fn tensor(&self, device: DeviceIndex, layout: Arc<Layout>) -> Result<Tensor> {
        match &self.open[device.0 as usize] {
            None => Ok(self.outputs.tensor(layout)?),
            Some(open) => open.alloc(layout),
        }
    }

    /// The constant on a device of the program, read-only.
    pub(crate) fn constant(&self, index: u32, device: DeviceIndex) -> Result<Tensor> {
        if self.open[device.0 as usize].is_none() {
            return self.executable.constant(index);
        }
        let key = (index, device.0);
        if let Some(tensor) = self.constants.read().get(&key) {
            return Ok(tensor.clone());
        }
        // Copied outside of the lock. Another thread may be faster; then its copy stays.
        let copy = self.devices[device.0 as usize].copy_of(&self.executable.constant(index)?)?;
        Ok(self.constants.write().entry(key).or_insert(copy).clone())
    }

    /// The function that is registered under a packed name at present.
    pub(crate) fn packed(&self, name: u32) -> Result<PackedFunc> {
        let entry = &self.packed[name as usize];
        let generation = registry::generation();
        if let Some((found_in, function)) = &*entry.read()
            && *found_in == generation
        {
            return Ok(Arc::clone(function));
        }
        let function = registry::get(&self.program().packed_names[name as usize])?;
        let found = Some((generation, Arc::clone(&function)));
        let replaced = std::mem::replace(&mut *entry.write(), found);
        // Dropped outside of the lock: a function's destructor may do anything.
        drop(replaced);
        Ok(function)
    }

    /// Looks up the packed functions that a call of the function may reach, before anything runs.
    fn resolve(&self, function: u32) -> Result<()> {
        self.functions[function as usize].packed.iter().try_for_each(|&name| self.packed(name).map(drop))
    }

    fn instrument(&self) -> Option<Instrument> {
        if !self.watched.load(Ordering::Relaxed) {
            return None;
        }
        self.instrument.read().clone()
    }
}

/// How each kernel of the program is called: images for other devices than the host are loaded there.
fn entries(program: &Program, code: &Code, open: &[Option<Arc<dyn OpenDevice>>]) -> Result<Vec<Entry>> {
    let mut modules = Map::default();
    let mut entries = Vec::with_capacity(program.kernels.len());
    for kernel in &program.kernels {
        let Some(device) = &open[kernel.device.0 as usize] else {
            // The verifier found the image to be the host's, and its export to exist.
            entries.extend(code.entry(kernel).map(Entry::Native));
            continue;
        };
        let key = (kernel.image, kernel.device);
        let module = match modules.get(&key) {
            Some(module) => Arc::clone(module),
            None => device.load(&program.images[kernel.image as usize])?,
        };
        modules.insert(key, Arc::clone(&module));
        entries.push(Entry::Queued(module));
    }
    Ok(entries)
}

impl VirtualMachine {
    /// Makes an executable ready on these devices: one for each that the program names, in their order; where none is
    /// given for a processor, this one. Refuses machine code that this machine cannot run, naming what it lacks.
    pub fn new(executable: Arc<Executable>, devices: &[Device]) -> Result<Self> {
        let devices = Device::assign(&executable.program().devices, devices)?;
        // Unreadable settings are reported here, and not only once a loop is long enough to be shared.
        crate::pool::check_environment();
        let code = executable.code()?;
        let program = executable.program();
        let open = devices.iter().map(|device| (!device.is_host()).then(|| device.open()).transpose());
        let open = open.collect::<Result<Vec<_>>>()?;
        let entries = entries(program, &code, &open)?;
        let ready = Ready { program, code: &code, entries: &entries, devices: &open };
        let functions = (0..program.functions.len()).map(|index| Prepared::new(&ready, index));
        let functions = functions.collect::<Result<Vec<_>, _>>()?;
        let packed = program.packed_names.iter().map(|_| SharedLock::new(None)).collect();
        let machine = LoadedExecutable {
            executable,
            functions,
            has_devices: open.iter().any(Option::is_some),
            streams: open.iter().map(|_| Lock::default()).collect(),
            constants: SharedLock::new(Map::default()),
            open,
            devices,
            packed,
            outputs: Arc::new(OutputCache::default()),
            watched: AtomicBool::new(false),
            instrument: SharedLock::new(None),
        };
        Ok(Self { machine: Arc::new(machine), stored: Arc::default() })
    }

    pub fn executable(&self) -> &Arc<Executable> {
        &self.machine.executable
    }

    /// The devices that the program runs on, by its own numbers.
    pub fn devices(&self) -> &[Device] {
        &self.machine.devices
    }

    /// The names of the program's functions, in its order.
    pub fn function_names(&self) -> impl Iterator<Item = &str> {
        self.machine.program().functions.iter().map(|function| function.name.as_str())
    }

    /// A handle to the function of this name: the program's, or one that was saved here.
    pub fn function(&self, name: &str) -> Result<Function> {
        if let Some(index) = self.machine.program().function(name) {
            return Ok(Function::new(Arc::clone(&self.machine), index, Tuple::from_iter([])));
        }
        if let Some(saved) = self.saved(name) {
            return Ok(saved);
        }
        let known: Vec<_> = self.function_names().map(str::to_owned).collect();
        let suggestion = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
        Err(ErrorKind::UnknownFunction { name: name.to_owned(), known, suggestion }.into())
    }

    /// Calls a function value: a closure that a function of a machine returned, or a function of the process.
    pub fn invoke_closure(&self, closure: &Value, args: &[Value]) -> Result<Value> {
        closure.call(args)
    }

    /// Tells the instrument of every call that the machine's functions make from now on; none takes the last one away.
    /// Runs that are under way keep the instrument that they began with.
    pub fn set_instrument(&self, instrument: Option<Instrument>) {
        let mut slot = self.machine.instrument.write();
        self.machine.watched.store(instrument.is_some(), Ordering::Relaxed);
        let replaced = std::mem::replace(&mut *slot, instrument);
        drop(slot);
        // Dropped outside of the lock: a closure's destructor may do anything.
        drop(replaced);
    }

    /// Runs the function once and gives its result, and where the time went. The machine's instrument is not told.
    pub fn profile(&self, name: &str, args: &[Value]) -> Result<(Value, Report)> {
        profile::profile(&self.function(name)?, args)
    }

    /// Times calls of the function, after one that is not counted.
    pub fn time_evaluator(&self, name: &str, args: &[Value], timing: Timing) -> Result<Times> {
        self.time_with_pauses(name, args, timing, &mut || Ok(()))
    }

    /// As [`VirtualMachine::time_evaluator`], with something to do now and then that is not timed, such as looking
    /// whether the user wants to stop: an error ends the timing.
    pub fn time_with_pauses(
        &self,
        name: &str,
        args: &[Value],
        timing: Timing,
        pause: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Times> {
        profile::time(&self.function(name)?, args, timing, pause)
    }
}

impl fmt::Debug for VirtualMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.function_names()).finish()
    }
}

/// A function of a machine, perhaps with its first arguments given. Keeps the machine alive; cloning is cheap.
#[derive(Clone)]
pub struct Function(Arc<FunctionNode>);

struct FunctionNode {
    machine: Arc<LoadedExecutable>,
    index: u32,
    captured: Tuple,
}

impl Function {
    pub(crate) fn new(machine: Arc<LoadedExecutable>, index: u32, captured: Tuple) -> Self {
        Self(Arc::new(FunctionNode { machine, index, captured }))
    }

    pub(crate) fn machine(&self) -> &Arc<LoadedExecutable> {
        &self.0.machine
    }

    pub(crate) fn index(&self) -> u32 {
        self.0.index
    }

    pub(crate) fn depth(&self) -> usize {
        self.0.captured.depth()
    }

    /// The arguments that are given already: the first parameters of the signature.
    pub fn captured(&self) -> &[Value] {
        &self.0.captured
    }

    /// The name in the program.
    pub fn name(&self) -> &str {
        &self.signature().name
    }

    /// The function as the program has it, with all its parameters and its result.
    pub fn signature(&self) -> &FunctionBody {
        &self.0.machine.program().functions[self.0.index as usize]
    }

    /// The same function with further arguments given.
    pub fn bind(&self, args: &[Value]) -> Self {
        let captured = self.captured().iter().chain(args).cloned().collect();
        Self::new(Arc::clone(&self.0.machine), self.0.index, captured)
    }

    /// Checks the arguments and runs the function. Tensors that it returns have memory of their own (or are arguments
    /// or constants that it hands back).
    pub fn call(&self, args: &[Value]) -> Result<Value> {
        self.call_observed(args, self.0.machine.instrument().as_ref())
    }

    pub(crate) fn call_observed(&self, args: &[Value], observer: Option<&Instrument>) -> Result<Value> {
        let machine = &self.0.machine;
        machine.resolve(self.0.index)?;
        if !machine.has_devices {
            return RunCx { machine, observer, devices: None }.call(self.0.index, &self.0.captured, args);
        }
        let devices = DeviceRun::new(machine, observer.is_some());
        let outcome = RunCx { machine, observer, devices: Some(&devices) }.call(self.0.index, &self.0.captured, args);
        let finished = devices.finish();
        let result = outcome?;
        finished.map(|()| result)
    }

    /// The function as a function of the process.
    pub fn to_packed(&self) -> PackedFunc {
        let function = self.clone();
        Arc::new(move |args| function.call(args))
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function(\"{}\")", self.name())
    }
}
