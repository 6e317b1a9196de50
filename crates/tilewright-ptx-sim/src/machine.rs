//! The device as the host sees it: memory, loaded modules, launches.

use std::sync::Arc;

use crate::decode::{Code, SHARED_BASE};
use crate::exec::{self, context::Context, traffic::Report};
use crate::fault::{Fault, FaultKind};
use crate::lanes::WARP;
use crate::memory::global::{Global, MANY_BLOCKS};
use crate::module::{Initial, Kernel, Module, Space, Variable};
use crate::timing::{Rng, mix};

/// Threads of a block at most.
const MAX_THREADS: u64 = 1024;

/// Blocks of a grid at most.
const MAX_BLOCKS: u64 = MANY_BLOCKS as u64 - 1;

/// The choices of a machine.
#[derive(Clone, Debug)]
pub struct Options {
    /// Decides everything that PTX leaves open: orders, times of asynchronous operations, errors of approximations.
    pub seed: u64,
    /// Instructions of warps that one launch may execute.
    pub instruction_limit: u64,
    /// Blocks that are under way at a time; a kernel whose blocks wait for each other needs all of them.
    pub resident_blocks: usize,
    /// Whether races on shared and global memory, unfinished copies and missing proxy fences are faults.
    pub check_races: bool,
    /// Whether the [`Report`] of a launch counts sectors of global memory and conflicts of banks.
    pub count_traffic: bool,
    /// Bytes of global memory.
    pub memory_bytes: u64,
    /// Bytes of shared memory that a block may have: 227 KiB on sm_90.
    pub shared_bytes: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 0,
            instruction_limit: 200_000_000,
            resident_blocks: 4,
            check_races: true,
            count_traffic: false,
            memory_bytes: 1 << 32,
            shared_bytes: 227 << 10,
        }
    }
}

/// The extents and arguments of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Blocks in each direction.
    pub grid: [u32; 3],
    /// Threads of a block in each direction.
    pub block: [u32; 3],
    /// Bytes of the `.extern .shared` arrays.
    pub dynamic_shared: u32,
    /// The bytes of all parameters, at the offsets of [`Kernel::params`].
    pub params: &'a [u8],
}

/// A module whose variables have memory on the machine.
#[derive(Clone, Debug)]
pub struct Loaded {
    module: Arc<Module>,
    /// The address of each variable of the global and the constant space.
    addresses: Vec<u64>,
}

impl Loaded {
    /// The module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The address and the bytes of a variable of the global or the constant space.
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        let index = self.module.variables.iter().position(|variable| variable.name == name && in_memory(variable))?;
        Some((self.addresses[index], self.module.variables[index].bytes))
    }
}

fn in_memory(variable: &Variable) -> bool {
    matches!(variable.space, Space::Global | Space::Const)
}

/// A device.
#[derive(Debug)]
pub struct Machine {
    options: Options,
    memory: Global,
    launches: u64,
}

impl Machine {
    /// A device without allocations.
    pub fn new(options: Options) -> Machine {
        let memory = Global::new(options.memory_bytes);
        Machine { options, memory, launches: 0 }
    }

    /// The options, which may change between launches.
    pub fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// Memory of that size, at a multiple of 256, filled with bytes of ones: floats that nobody wrote are NaN.
    pub fn alloc(&mut self, bytes: u64) -> Result<u64, Fault> {
        self.memory.alloc(bytes, false)
    }

    /// Gives up the allocation that begins at `address`.
    pub fn free(&mut self, address: u64) -> Result<(), Fault> {
        self.memory.free(address)
    }

    /// The bytes of all allocations.
    pub fn used(&self) -> u64 {
        self.memory.used()
    }

    /// Copies `bytes` to the device.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let found = self.memory.host(address, bytes.len())?;
        self.memory.bytes_mut(found)[..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    /// Copies from the device.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        let found = self.memory.host(address, bytes.len())?;
        bytes.copy_from_slice(&self.memory.bytes(found)[..bytes.len()]);
        Ok(())
    }

    /// Copies within the device.
    pub fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), Fault> {
        let mut buffer = vec![0; bytes];
        self.read(from, &mut buffer)?;
        self.write(to, &buffer)
    }

    /// Gives the variables of a module memory and their initial values.
    pub fn load(&mut self, module: Arc<Module>) -> Result<Loaded, Fault> {
        let mut addresses = vec![0; module.variables.len()];
        for (address, variable) in addresses.iter_mut().zip(&module.variables) {
            if in_memory(variable) {
                *address = self.memory.alloc(variable.bytes, variable.space == Space::Const)?;
            }
        }
        for (address, variable) in addresses.iter().zip(&module.variables) {
            if !in_memory(variable) {
                continue;
            }
            self.write(*address, &vec![0; variable.bytes as usize])?;
            for (offset, value, width) in &variable.initial {
                let value = match value {
                    Initial::Bits(bits) => *bits,
                    Initial::Address { name, offset, .. } => {
                        let index = module.variables.iter().position(|other| other.name == *name);
                        index.map_or(0, |index| addresses[index]).wrapping_add(*offset)
                    }
                };
                self.write(address + offset, &value.to_le_bytes()[..(*width as usize).min(8)])?;
            }
        }
        Ok(Loaded { module, addresses })
    }

    /// Frees the memory of a module's variables.
    pub fn unload(&mut self, loaded: Loaded) -> Result<(), Fault> {
        for (address, variable) in loaded.addresses.iter().zip(&loaded.module.variables) {
            if in_memory(variable) {
                self.memory.free(*address)?;
            }
        }
        Ok(())
    }

    /// Runs a kernel to its end.
    pub fn launch(&mut self, loaded: &Loaded, kernel: &str, launch: Launch<'_>) -> Result<Report, Fault> {
        let module = &*loaded.module;
        let refuse = |message: String| Err(Fault::new(FaultKind::Launch, message));
        let functions = module.functions.iter();
        let Some(function) = functions.clone().position(|f| f.is_kernel && f.kernel.name == kernel) else {
            return refuse(format!("there is no kernel `{kernel}`"));
        };
        let info = &module.functions[function].kernel;
        if let Some((line, message)) = &info.unsupported {
            let message = format!("kernel {kernel}, PTX line {line}: the simulator does not know {message}");
            return Err(Fault::new(FaultKind::Unsupported, message));
        }
        if let Err(message) = check_launch(info, &launch) {
            return refuse(format!("kernel {kernel}: {message}"));
        }
        let mut addresses = loaded.addresses.clone();
        let shared = match place_shared(module, function, launch.dynamic_shared, &mut addresses) {
            Some(bytes) if bytes <= u64::from(self.options.shared_bytes) => bytes as usize,
            _ => return refuse(format!("kernel {kernel}: its shared memory is too large")),
        };
        self.launches += 1;
        let seed = mix(self.options.seed ^ mix(self.launches));
        let threads = launch.block.iter().map(|extent| *extent as usize).product();
        let context = Context {
            module,
            function,
            options: &self.options,
            grid: launch.grid,
            block: launch.block,
            threads,
            warps: threads.div_ceil(WARP),
            params: launch.params,
            addresses,
            shared_bytes: shared,
            dynamic_shared: launch.dynamic_shared,
            seed,
            empty: Code::default(),
        };
        self.memory.forget();
        exec::run(&context, &mut self.memory, Rng::new(seed))
    }
}

fn check_launch(kernel: &Kernel, launch: &Launch<'_>) -> Result<(), String> {
    let product = |extents: [u32; 3]| extents.iter().fold(1u64, |all, &extent| all.saturating_mul(extent.into()));
    let (threads, blocks) = (product(launch.block), product(launch.grid));
    if threads == 0 || threads > MAX_THREADS {
        return Err(format!("{threads} threads of a block: there are 1 to {MAX_THREADS}"));
    }
    if blocks == 0 || blocks > MAX_BLOCKS {
        return Err(format!("{blocks} blocks: there are 1 to {MAX_BLOCKS}"));
    }
    if let Some(max) = kernel.max_threads
        && threads > product(max)
    {
        return Err(format!("{threads} threads of a block, where `.maxntid` is {max:?}"));
    }
    if let Some(required) = kernel.required_threads
        && launch.block != required
    {
        return Err(format!("blocks of {:?}, where `.reqntid` is {required:?}", launch.block));
    }
    if launch.params.len() != kernel.param_bytes as usize {
        return Err(format!("{} bytes of parameters, which have {}", launch.params.len(), kernel.param_bytes));
    }
    Ok(())
}

/// Gives the kernel's shared variables their addresses; the bytes they take.
fn place_shared(module: &Module, function: usize, dynamic: u32, addresses: &mut [u64]) -> Option<u64> {
    let shared = module.functions[function].code.as_ref().map_or(&[][..], |code| &code.shared);
    let mut next = SHARED_BASE;
    for &index in shared {
        let variable = &module.variables[index];
        if !variable.dynamic {
            next = next.next_multiple_of(variable.align);
            addresses[index] = next;
            next = next.checked_add(variable.bytes)?;
        }
    }
    // All arrays without a size are the same memory.
    let dynamic_arrays = shared.iter().filter(|index| module.variables[**index].dynamic);
    let align = dynamic_arrays.clone().map(|index| module.variables[*index].align).max().unwrap_or(16);
    next = next.next_multiple_of(align);
    for &index in dynamic_arrays {
        addresses[index] = next;
    }
    Some(next - SHARED_BASE + u64::from(dynamic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_may_change_threads() {
        fn moves<T: Send>() {}
        fn is_shared<T: Send + Sync>() {}
        moves::<Machine>();
        is_shared::<Module>();
        is_shared::<Loaded>();
    }

    #[test]
    fn variables_have_their_initial_values() {
        let text = ".version 7.0\n.target sm_80\n.address_size 64\n\
            .visible .global .align 4 .u32 a[3] = {7, 0xffffffff};\n\
            .visible .global .align 8 .u64 b[2] = {a+4, generic(a)};\n\
            .visible .const .align 4 .f32 c = 0f3F800000;\n";
        let mut machine = Machine::new(Options::default());
        let loaded = machine.load(Arc::new(Module::parse(text).expect("text"))).expect("load");
        let read = |name: &str| {
            let (address, bytes) = loaded.variable(name).expect("variable");
            let mut out = vec![0; bytes as usize];
            machine.read(address, &mut out).expect("read");
            out
        };
        assert_eq!(read("a"), [7, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0]);
        let a = loaded.variable("a").expect("a").0;
        assert_eq!(read("b"), [(a + 4).to_le_bytes(), a.to_le_bytes()].concat());
        assert_eq!(read("c"), 1f32.to_le_bytes());
        let used = machine.used();
        machine.unload(loaded).expect("unload");
        assert_eq!((used, machine.used()), (32, 0));
    }
}
