//! Buffers and launches for the tests.

use std::sync::Arc;

use tilewright_ptx_sim::{Fault, Launch, Loaded, Machine, Module, Options, Report};

/// Seeds of the tests that ask for several.
pub(crate) const SEEDS: std::ops::Range<u64> = 0..5;

/// A machine with one module.
pub(crate) struct Device {
    pub(crate) machine: Machine,
    pub(crate) loaded: Loaded,
}

impl Device {
    pub(crate) fn new(text: &str, seed: u64) -> Device {
        Device::with(text, Options { seed, instruction_limit: 20_000_000, ..Options::default() })
    }

    pub(crate) fn with(text: &str, options: Options) -> Device {
        let module = Module::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let mut machine = Machine::new(options);
        let loaded = machine.load(Arc::new(module)).expect("load");
        Device { machine, loaded }
    }

    /// Memory that holds these values.
    pub(crate) fn buffer<T: Plain>(&mut self, values: &[T]) -> u64 {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.bytes()).collect();
        let address = self.machine.alloc(bytes.len() as u64).expect("memory");
        self.machine.write(address, &bytes).expect("write");
        address
    }

    pub(crate) fn read<T: Plain>(&self, address: u64, count: usize) -> Vec<T> {
        let mut bytes = vec![0; count * T::SIZE];
        self.machine.read(address, &mut bytes).expect("read");
        bytes.chunks(T::SIZE).map(T::of).collect()
    }

    pub(crate) fn launch(
        &mut self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        args: &[Arg],
    ) -> Result<Report, Fault> {
        self.launch_shared(kernel, grid, block, 0, args)
    }

    pub(crate) fn launch_shared(
        &mut self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared: u32,
        args: &[Arg],
    ) -> Result<Report, Fault> {
        let info = self.loaded.module().kernel(kernel).unwrap_or_else(|| panic!("no kernel {kernel}"));
        let mut params = vec![0; info.param_bytes as usize];
        for (parameter, arg) in info.params.iter().zip(args) {
            let bytes = arg.bytes();
            params[parameter.offset as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
        self.machine.launch(&self.loaded, kernel, Launch { grid, block, dynamic_shared, params: &params })
    }
}

/// An argument of a kernel.
pub(crate) enum Arg {
    U64(u64),
    U32(u32),
    F32(f32),
    U16(u16),
    Bytes(Vec<u8>),
}

impl Arg {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Arg::U64(value) => value.to_le_bytes().to_vec(),
            Arg::U32(value) => value.to_le_bytes().to_vec(),
            Arg::F32(value) => value.to_le_bytes().to_vec(),
            Arg::U16(value) => value.to_le_bytes().to_vec(),
            Arg::Bytes(bytes) => bytes.clone(),
        }
    }
}

/// Values that buffers hold.
pub(crate) trait Plain: Copy {
    const SIZE: usize;
    fn bytes(self) -> Vec<u8>;
    fn of(bytes: &[u8]) -> Self;
}

macro_rules! plain {
    ($($ty:ty),*) => {$(
        impl Plain for $ty {
            const SIZE: usize = size_of::<$ty>();
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
            fn of(bytes: &[u8]) -> $ty {
                <$ty>::from_le_bytes(bytes.try_into().expect("size"))
            }
        }
    )*};
}

plain!(u8, i8, u16, u32, i32, u64, i64, f32, f64);

/// The text of a kernel file.
macro_rules! kernel_text {
    ($name:literal) => {
        include_str!(concat!("../kernels/", $name, ".ptx"))
    };
}

pub(crate) use kernel_text;
