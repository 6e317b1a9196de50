//! A device that runs PTX on the host (`tilewright-ptx-sim`), for the tests: late, in an order of its own, and with a
//! look at every access. It is there where the build has the feature `test-device` and the machine has no GPU.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tilewright_ptx_sim::{Fault, Launch, Loaded, Machine, Module, Options};
use tilewright_support::Map;
use tilewright_tensor::abi::{DEVICE_ALIGN, DeviceFailure};

use super::api::{Address, Api, ApiError, ApiResult, Handle, Start};

/// Something that a queue has yet to do.
enum Task {
    Start { function: Handle, grid: [u32; 3], block: [u32; 3], shared_bytes: u32, params: Vec<u64> },
    In { to: Address, bytes: Vec<u8> },
    Out { to: usize, from: Address, bytes: usize },
    Within { to: Address, from: Address, bytes: usize },
}

struct Function {
    module: Handle,
    symbol: String,
}

struct State {
    machine: Machine,
    modules: Map<Handle, Arc<Loaded>>,
    functions: Map<Handle, Function>,
    queues: Map<Handle, Vec<Task>>,
}

/// The device. Its memory is about as large as what is asked for, so that an access beyond the end of a tensor is seen.
pub(super) struct Sim {
    state: Mutex<State>,
    /// Handles that were given out.
    handles: AtomicU64,
}

fn failed(fault: &Fault) -> ApiError {
    ApiError::Other(fault.to_string())
}

impl Sim {
    pub(super) fn new() -> Self {
        let machine = Machine::new(Options::default());
        let (modules, functions, queues) = (Map::default(), Map::default(), Map::default());
        let state = State { machine, modules, functions, queues };
        Self { state: Mutex::new(state), handles: AtomicU64::new(1) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handle(&self) -> Handle {
        self.handles.fetch_add(1, Ordering::Relaxed) as Handle
    }

    fn enqueue(&self, queue: Handle, task: Task) -> ApiResult<()> {
        self.state().queues.entry(queue).or_default().push(task);
        Ok(())
    }
}

impl State {
    fn run(&mut self, task: Task) -> ApiResult<()> {
        match task {
            Task::In { to, bytes } => self.machine.write(to, &bytes),
            Task::Within { to, from, bytes } => self.machine.copy(to, from, bytes),
            Task::Out { to, from, bytes } => {
                let to = std::ptr::with_exposed_provenance_mut(to);
                // SAFETY: the promise of whoever enqueued the copy.
                let target = unsafe { std::slice::from_raw_parts_mut(to, bytes) };
                self.machine.read(from, target)
            }
            Task::Start { function, grid, block, shared_bytes, params } => {
                let known = self.functions.get(&function).map(|function| (function.module, function.symbol.clone()));
                let Some((module, symbol)) = known else {
                    return Err(ApiError::Other("a function that nobody has loaded".to_owned()));
                };
                let Some(loaded) = self.modules.get(&module).cloned() else {
                    return Err(ApiError::Other("a module that was unloaded".to_owned()));
                };
                // All parameters are words, but for the last one, the number of the launch.
                let mut bytes: Vec<u8> = params.iter().flat_map(|word| word.to_le_bytes()).collect();
                bytes.truncate(bytes.len() - 4);
                let launch = Launch { grid, block, dynamic_shared: shared_bytes, params: &bytes };
                self.machine.launch(&loaded, &symbol, launch).map(drop)
            }
        }
        .map_err(|fault| failed(&fault))
    }
}

impl Api for Sim {
    fn name(&self) -> String {
        "simulated NVIDIA GPU".to_owned()
    }

    fn keeps_memory(&self) -> bool {
        false
    }

    fn allocate(&self, bytes: usize) -> ApiResult<Address> {
        // LLVM joins loads of neighbours to one of 16 bytes, whose last ones may be beyond the end of a tensor: memory
        // that begins at multiples of 16 bytes is there to the next one on every device.
        let bytes = bytes.next_multiple_of(DEVICE_ALIGN) as u64;
        self.state().machine.alloc(bytes).map_err(|_| ApiError::OutOfMemory)
    }

    fn free(&self, address: Address) {
        // The machine tells of memory that is not its own when it is used.
        let _ = self.state().machine.free(address);
    }

    fn queue(&self) -> ApiResult<Handle> {
        Ok(self.handle())
    }

    fn drop_queue(&self, queue: Handle) {
        self.state().queues.remove(&queue);
    }

    fn copy_in(&self, queue: Handle, to: Address, from: &[u8]) -> ApiResult<()> {
        self.enqueue(queue, Task::In { to, bytes: from.to_vec() })
    }

    unsafe fn copy_out(&self, queue: Handle, to: *mut u8, from: Address, bytes: usize) -> ApiResult<()> {
        self.enqueue(queue, Task::Out { to: to.expose_provenance(), from, bytes })
    }

    fn copy_within(&self, queue: Handle, to: Address, from: Address, bytes: usize) -> ApiResult<()> {
        self.enqueue(queue, Task::Within { to, from, bytes })
    }

    fn load(&self, ptx: &[u8]) -> ApiResult<Handle> {
        let text = std::str::from_utf8(ptx.strip_suffix(&[0]).unwrap_or(ptx));
        let text = text.map_err(|error| ApiError::Other(error.to_string()))?;
        let module = Module::parse(text).map_err(|error| ApiError::Other(error.to_string()))?;
        let handle = self.handle();
        let mut state = self.state();
        let loaded = state.machine.load(Arc::new(module)).map_err(|fault| failed(&fault))?;
        state.modules.insert(handle, Arc::new(loaded));
        Ok(handle)
    }

    fn unload(&self, module: Handle) {
        let mut state = self.state();
        let loaded = state.modules.remove(&module).and_then(Arc::into_inner);
        if let Some(loaded) = loaded {
            let _ = state.machine.unload(loaded);
        }
    }

    fn function(&self, module: Handle, symbol: &str, _shared_bytes: u32) -> ApiResult<Handle> {
        let handle = self.handle();
        self.state().functions.insert(handle, Function { module, symbol: symbol.to_owned() });
        Ok(handle)
    }

    unsafe fn start(&self, queue: Handle, start: Start<'_>) -> ApiResult<()> {
        let Start { function, grid, block, shared_bytes, params } = start;
        self.enqueue(queue, Task::Start { function, grid, block, shared_bytes, params: params.to_vec() })
    }

    fn wait(&self, queue: Handle) -> ApiResult<()> {
        let mut state = self.state();
        let tasks = state.queues.get_mut(&queue).map(std::mem::take).unwrap_or_default();
        let mut outcome = Ok(());
        for task in tasks {
            outcome = outcome.and(state.run(task));
        }
        outcome
    }

    fn failure_record(&self) -> ApiResult<Address> {
        let address = self.allocate(size_of::<DeviceFailure>())?;
        let zeros = [0; size_of::<DeviceFailure>()];
        self.state().machine.write(address, &zeros).map_err(|fault| failed(&fault))?;
        Ok(address)
    }

    fn drop_failure_record(&self, record: Address) {
        self.free(record);
    }

    fn take_failure(&self, record: Address) -> DeviceFailure {
        let mut bytes = [0; size_of::<DeviceFailure>()];
        let mut state = self.state();
        if state.machine.read(record, &mut bytes).is_err() {
            return DeviceFailure::default();
        }
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let found = DeviceFailure {
            taken: word(0),
            status: word(4),
            launch: word(8),
            unused: word(12),
            message: long(16),
            message_bytes: long(24),
        };
        if found.taken != 0 {
            let _ = state.machine.write(record, &[0; size_of::<DeviceFailure>()]);
        }
        found
    }
}
