//! AArch64 kernels on another machine: linked here, run by a small C program under `qemu-aarch64`.
//!
//! [`Emulated`] is to an AArch64 target what [`crate::flat::machine`] is to the host. Where the emulator or the cross
//! compiler is missing (Debian: `qemu-user`, `gcc-aarch64-linux-gnu`, `libc6-dev-arm64-cross`), [`available`] says so
//! on standard error, and the test ends.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use tilewright_ir::low::LowTir;
use tilewright_runtime::Value;
use tilewright_support::Map;
use tilewright_target::Target;
use tilewright_tensor::abi::{EXTERNAL_SYMBOLS, Status};
use tilewright_tensor::{DataType, Tensor};
use tilewright_vm_program::Image;

const EMULATOR: &str = "qemu-aarch64";
const COMPILER: &str = "aarch64-linux-gnu-gcc";
/// Where Debian puts the other architecture's C library.
const SYSTEM_ROOT: &str = "/usr/aarch64-linux-gnu";

/// Whether AArch64 code can be run here; says on standard error why not.
pub(crate) fn available(test: &str) -> bool {
    match driver() {
        Ok(_) => true,
        Err(reason) => {
            // Past the capture of the test's output, so that the summary of all tests finds it.
            let _ = writeln!(io::stderr(), "SKIPPED [1] {test}: {reason}");
            false
        }
    }
}

/// A target whose kernels the emulator runs.
pub(crate) fn target(cpu: &str) -> Target {
    Target::parse(&format!("llvm -mtriple=aarch64-linux-gnu -mcpu={cpu}")).unwrap()
}

/// Kernels in the memory of an emulated machine. Dropping it ends that machine.
pub(crate) struct Emulated {
    kernels: Map<String, Kernel>,
    process: RefCell<Process>,
}

struct Kernel {
    entry: u64,
    facts: tilewright_llvm::Kernel,
}

struct Process {
    child: Child,
    requests: Option<ChildStdin>,
    answers: ChildStdout,
}

impl Emulated {
    /// Compiles and links the functions and starts a machine with them. [`available`] was asked before.
    pub(crate) fn new(functions: &[LowTir], target: &Target) -> Self {
        let compiled =
            tilewright_llvm::compile(functions, target, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
        let image = tilewright_build::link::link(&[&compiled.elf]).unwrap_or_else(|e| panic!("{e}"));
        Self::over_image(&image, compiled.kernels, tilewright_llvm::SYMBOL_PREFIX)
    }

    /// A machine with an image that is at hand; its exports have the kernels' names after the prefix.
    pub(crate) fn over_image(image: &Image, kernels: Vec<tilewright_llvm::Kernel>, prefix: &str) -> Self {
        let kernels = kernels.into_iter().map(|facts| {
            let name = format!("{prefix}{}", facts.symbol);
            let export = image.exports.iter().find(|export| export.name == name).unwrap();
            (facts.symbol.clone(), Kernel { entry: u64::from(export.offset), facts })
        });
        let kernels = kernels.collect();
        Self { kernels, process: RefCell::new(Process::start(image)) }
    }

    /// Calls a kernel: tensors and scalars as its function lists them, tensors first. Writes into the very tensors; the
    /// error is what the kernel reported.
    pub(crate) fn run(&self, name: &str, args: &[Value]) -> Result<(), String> {
        let kernel = &self.kernels[name];
        let (tensors, scalars) = args.split_at(kernel.facts.writes.len());
        assert_eq!(scalars.len(), kernel.facts.scalars.len(), "{name}");
        let tensors: Vec<&Tensor> = tensors.iter().map(|value| value.as_tensor().unwrap()).collect();
        let mut request = Vec::new();
        let mut word = |word: u64| request.extend_from_slice(&word.to_le_bytes());
        word(kernel.entry);
        word(kernel.facts.scratch_bytes);
        word(tensors.len() as u64);
        word(scalars.len() as u64);
        for (tensor, written) in tensors.iter().zip(&kernel.facts.writes) {
            for word in [tensor.num_bytes() as u64, u64::from(*written)] {
                request.extend_from_slice(&word.to_le_bytes());
            }
            request.extend_from_slice(tensor.as_bytes().unwrap());
        }
        for (value, dtype) in scalars.iter().zip(&kernel.facts.scalars) {
            request.extend_from_slice(&scalar_word(value, *dtype).to_le_bytes());
        }
        let written: Vec<&Tensor> =
            tensors.iter().zip(&kernel.facts.writes).filter(|(_, written)| **written).map(|(t, _)| *t).collect();
        self.process.borrow_mut().call(&request, &written).unwrap_or_else(|lost| panic!("{name}: {lost}"))
    }
}

/// A scalar argument as the kernels' interface has it.
fn scalar_word(value: &Value, dtype: DataType) -> i64 {
    match (value, dtype) {
        (Value::Bool(value), _) => i64::from(*value),
        (Value::Int(value), _) => *value,
        (Value::Float(value), DataType::F32) => i64::from((*value as f32).to_bits()),
        (Value::Float(value), DataType::F64) => value.to_bits() as i64,
        _ => panic!("{value:?} is no {dtype}"),
    }
}

impl Process {
    fn start(image: &Image) -> Self {
        let driver = driver().as_ref().unwrap();
        let mut child = Command::new(EMULATOR)
            .args(["-L", SYSTEM_ROOT])
            .arg(driver)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let sizes = [image.text.len(), image.data.len(), image.data_start(), image.slot_table()];
        let counts = [image.externals.len(), image.relocations.len(), EXTERNAL_SYMBOLS.len()];
        let words = |words: &mut dyn Iterator<Item = usize>| -> Vec<u8> {
            words.flat_map(|word| (word as u64).to_le_bytes()).collect()
        };
        let mut request = words(&mut sizes.into_iter().chain(counts));
        request.extend_from_slice(&image.text);
        request.extend_from_slice(&image.data);
        request.extend(words(&mut image.externals.iter().chain(&image.relocations).map(|&word| word as usize)));
        let mut requests = child.stdin.take().unwrap();
        let answers = child.stdout.take().unwrap();
        requests.write_all(&request).unwrap();
        Self { child, requests: Some(requests), answers }
    }

    /// The outer error: the machine is gone.
    fn call(&mut self, request: &[u8], written: &[&Tensor]) -> Result<Result<(), String>, String> {
        self.exchange(request, written).map_err(|error| {
            self.requests = None;
            let end = self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
            format!("the emulated machine does not answer ({error}): {end}")
        })
    }

    fn exchange(&mut self, request: &[u8], written: &[&Tensor]) -> io::Result<Result<(), String>> {
        // The driver reads a request whole before it answers, so that neither side waits for the other.
        let requests = self.requests.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        requests.write_all(request)?;
        requests.flush()?;
        let status = self.word()? as i32;
        let mut message = vec![0; self.word()? as usize];
        self.answers.read_exact(&mut message)?;
        for tensor in written {
            let mut contents = vec![0; tensor.num_bytes()];
            self.answers.read_exact(&mut contents)?;
            tensor.overwrite(&contents).unwrap();
        }
        if status == Status::Ok as i32 {
            return Ok(Ok(()));
        }
        Ok(Err(format!("status {status}: {}", String::from_utf8_lossy(&message))))
    }

    fn word(&mut self) -> io::Result<u64> {
        let mut word = [0; 8];
        self.answers.read_exact(&mut word)?;
        Ok(u64::from_le_bytes(word))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The end of its input ends the driver.
        self.requests = None;
        let _ = self.child.wait();
    }
}

/// The driver, built once in a run of the tests, or why there is none.
fn driver() -> &'static Result<PathBuf, String> {
    static DRIVER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    DRIVER.get_or_init(|| {
        for tool in [EMULATOR, COMPILER] {
            let found = Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            if !found.is_ok_and(|status| status.success()) {
                return Err(format!("{tool} is not installed"));
            }
        }
        build_driver(Path::new(env!("CARGO_TARGET_TMPDIR")))
    })
}

fn build_driver(folder: &Path) -> Result<PathBuf, String> {
    let file = |name: &str| folder.join(format!("{name}-{}", std::process::id()));
    let (table, built) = (file("symbols").with_extension("h"), file("aarch64-driver"));
    std::fs::write(&table, symbol_table()).map_err(|error| error.to_string())?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machine_code/aarch64_driver.c");
    let output = Command::new(COMPILER)
        .args(["-O1", "-fPIC", "-Wall", "-Wno-builtin-declaration-mismatch"])
        .arg(format!("-DSYMBOLS=\"{}\"", table.display()))
        .arg(source)
        .args(["-Wl,--no-as-needed", "-lm", "-o"])
        .arg(&built)
        .output()
        .map_err(|error| error.to_string())?;
    let _ = std::fs::remove_file(&table);
    if !output.status.success() {
        return Err(format!("{COMPILER} does not build the driver: {}", String::from_utf8_lossy(&output.stderr)));
    }
    // Under one name, so that runs leave one file; a driver that is running keeps its own.
    let kept = folder.join("aarch64-driver");
    std::fs::rename(&built, &kept).map_err(|error| error.to_string())?;
    Ok(kept)
}

/// The table of external symbols in C: what the C library has is taken from there, conversions of half-precision
/// numbers stand here. A symbol that neither has is null, and refused when an image asks for it.
fn symbol_table() -> String {
    let mut text = CONVERSIONS.to_owned();
    for (index, name) in EXTERNAL_SYMBOLS.iter().enumerate() {
        let _ = writeln!(text, "extern char symbol_{index}[] __asm__(\"{name}\") __attribute__((weak));");
    }
    let list = |item: &dyn Fn(usize, &str) -> String| -> String {
        EXTERNAL_SYMBOLS.iter().enumerate().map(|(index, name)| item(index, name)).collect::<Vec<_>>().join(", ")
    };
    let addresses = list(&|index, _| format!("symbol_{index}"));
    let names = list(&|_, name| format!("\"{name}\""));
    let _ = writeln!(text, "static void *const symbols[] = {{{addresses}}};");
    let _ = writeln!(text, "static const char *const symbol_names[] = {{{names}}};");
    text
}

/// Half-precision values travel in the low 16 bits of a vector register, like the runtime's.
const CONVERSIONS: &str = "
static float round_to_odd(double a) {
    float nearest = (float)a;
    if (a != a || (double)nearest == a) return nearest;
    uint32_t bits;
    memcpy(&bits, &nearest, 4);
    if ((nearest < 0 ? -(double)nearest : (double)nearest) > (a < 0 ? -a : a)) bits -= 1;
    bits |= 1;
    memcpy(&nearest, &bits, 4);
    return nearest;
}
_Float16 __truncsfhf2(float a) { return (_Float16)a; }
_Float16 __truncdfhf2(double a) { return (_Float16)a; }
float __extendhfsf2(_Float16 a) { return (float)a; }
float __truncsfbf2(float a) {
    uint32_t bits;
    memcpy(&bits, &a, 4);
    bits = a != a ? (bits >> 16) | 0x40 : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    memcpy(&a, &bits, 4);
    return a;
}
float __truncdfbf2(double a) { return __truncsfbf2(round_to_odd(a)); }
";

mod tests {
    use super::*;
    use crate::flat::{buffer, flat, machine, neighbours, serial};
    use tilewright_ir::low::INDEX_GUARD;
    use tilewright_ir::tir::{BinOp, CmpOp, Expr, ForKind, Scope, Stmt, StmtKind, Var};
    use tilewright_vm_program::{Access, ExecutableBytes, FORMAT_VERSION, OLDEST_FORMAT_VERSION, Package};

    const F32: DataType = DataType::F32;

    /// Vectors, a call of the C library, a parallel loop over scratch memory, a scalar, and a message.
    fn kernels() -> Vec<LowTir> {
        let (a, r) = (buffer("A", 96, F32), buffer("R", 96, F32));
        let (n, s) = (Var::new("n", DataType::I64), Var::new("s", F32));
        let t = buffer("T", 96, F32).derive(|node| node.scope = Scope::Local);
        let p = Var::new("p", DataType::I64);
        let lanes = |i: &Expr| neighbours(&(i * 8), 8);
        let load = |from, i: &Expr| Expr::load(from, vec![lanes(i)]).unwrap();
        let first = serial(12, |i| {
            let scaled = Expr::binary(BinOp::Mul, &load(&a, i), &Expr::var(&s).broadcast(8).unwrap()).unwrap();
            Stmt::store(&t, vec![lanes(i)], &scaled).unwrap()
        });
        let each = Expr::var(&p);
        let rest = Expr::binary(BinOp::Mod, &load(&t, &each), &Expr::float(0.7, F32).broadcast(8).unwrap()).unwrap();
        let store = Stmt::store(&r, vec![lanes(&each)], &rest).unwrap();
        let second = Stmt::for_loop(&p, Expr::i64(0), Expr::var(&n), ForKind::Parallel, store);
        let condition = Expr::compare(CmpOp::Le, &Expr::var(&n), &Expr::i64(12)).unwrap();
        let message = format!("{INDEX_GUARD}R[96]").into();
        let guard = StmtKind::Assert { condition, message }.into();
        let body = StmtKind::Allocate { buffer: t, body: Stmt::seq([guard, first, second]) }.into();
        vec![flat("scale and reduce", &[&a, &r], &[&n, &s], body)]
    }

    #[test]
    fn an_emulated_machine_gives_what_the_host_gives() {
        if !available("an_emulated_machine_gives_what_the_host_gives") {
            return;
        }
        let low = kernels();
        let host = machine(&low, &Target::host());
        let values: Vec<f32> = (0..96).map(|i| (i as f32 - 40.0) * 1.375).collect();
        for cpu in ["generic", "neoverse-n1", "neoverse-v1"] {
            let emulated = Emulated::new(&low, &target(cpu));
            for n in [0i64, 1, 5, 12] {
                let args = |result: &Tensor| {
                    let a = Tensor::from_vec(&[96], values.clone()).unwrap();
                    [a.into(), result.clone().into(), Value::Int(n), Value::Float(-0.3)]
                };
                let (here, there) = (Tensor::zeros(F32, &[96]).unwrap(), Tensor::zeros(F32, &[96]).unwrap());
                crate::flat::run(&host, low[0].symbol(), &args(&here)).unwrap();
                emulated.run(low[0].symbol(), &args(&there)).unwrap();
                assert_eq!(here.as_bytes().unwrap(), there.as_bytes().unwrap(), "{cpu}, {n}");
                assert_eq!(n == 0, here.to_vec::<f32>().unwrap().iter().all(|&x| x == 0.0));
            }
        }
    }

    #[test]
    fn an_emulated_kernel_reports_why_it_fails() {
        if !available("an_emulated_kernel_reports_why_it_fails") {
            return;
        }
        let low = kernels();
        let emulated = Emulated::new(&low, &target("generic"));
        let (a, r) = (Tensor::zeros(F32, &[96]).unwrap(), Tensor::zeros(F32, &[96]).unwrap());
        let error = emulated.run(low[0].symbol(), &[a.into(), r.into(), Value::Int(13), Value::Float(1.0)]);
        let error = error.unwrap_err();
        assert!(error.contains("R[96]") && error.contains("status 3"), "{error}");
    }

    /// Images of every version of the executable format that is read: `A % 0.75`, by the C library.
    #[test]
    fn kept_images_of_older_versions_run() {
        if !available("kept_images_of_older_versions_run") {
            return;
        }
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tilewright-vm-program/tests/corpus");
        for version in OLDEST_FORMAT_VERSION..=FORMAT_VERSION {
            let bytes = std::fs::read(corpus.join(format!("v{version}/kernels-aarch64.twx"))).unwrap();
            let (package, _) = Package::decode(&ExecutableBytes::copy_from(&bytes).unwrap()).unwrap();
            let facts = package.program.kernels.iter().map(|kernel| tilewright_llvm::Kernel {
                symbol: package.program.kernel_name(kernel).to_owned(),
                writes: kernel.tensors.iter().map(|access| *access == Access::Write).collect(),
                scalars: kernel.scalars.clone(),
                scratch_bytes: kernel.scratch_bytes,
            });
            let emulated = Emulated::over_image(&package.program.images[0], facts.collect(), "");
            let values: Vec<f32> = (0..12).map(|i| (i as f32 - 5.0) * 0.4).collect();
            let a = Tensor::from_vec(&[3, 4], values.clone()).unwrap();
            let r = Tensor::zeros(F32, &[3, 4]).unwrap();
            emulated.run("wrap", &[a.into(), r.clone().into(), Value::Int(3)]).unwrap();
            let expected: Vec<f32> = values.iter().map(|x| x % 0.75).collect();
            assert_eq!(r.to_vec::<f32>().unwrap(), expected, "version {version}");
        }
    }
}
