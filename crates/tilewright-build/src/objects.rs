//! PrimFuncs → code: through the kernel cache, and what it lacks through the lowering and a backend, several at once.
//!
//! The cache knows kernels by two keys. The PrimFunc, as it is written, leads to the metadata of its
//! kernel and to the key of its code: a function that was compiled before is not even lowered. The backend's text leads
//! to the code: functions that become the same code share it, whatever their names, in this module or in another.
//!
//! Every kernel is a job of its own. The outcome depends neither on the cache nor on the number of jobs at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tilewright_expr::node::Saver;
use tilewright_ir::tir::{PrimFunc, attr_names};
use tilewright_support::{Diagnostics, OrderedMap, Origins, parallel_map};
use tilewright_target::Target;

use crate::backends::{Backend, CodeError, Source};
use crate::cache::{KernelCache, Key};
use crate::kernel_metadata::KernelMetadata;

/// A function to compile.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) name: &'a str,
    pub(crate) function: &'a PrimFunc,
    pub(crate) cx: &'a CodeCx<'a>,
}

/// The code of a kernel, and the functions that it is the code of.
pub(crate) struct KernelObject {
    pub(crate) code: Arc<[u8]>,
    pub(crate) names: Vec<String>,
}

/// Compiled kernels.
pub(crate) struct Objects {
    /// In the order of the first function of each.
    pub(crate) objects: Vec<KernelObject>,
    /// The metadata of each function.
    pub(crate) metadata: Vec<KernelMetadata>,
}

/// Why a function is no kernel.
#[derive(Debug)]
pub(crate) enum Failure {
    Lowering(Diagnostics),
    Code(CodeError),
}

/// The progress callback: called from any thread with the numbers of compiled and of all kernels.
pub type Watch<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Compiles the functions, all by one backend.
///
/// # Errors
/// One for each function that cannot be compiled.
pub(crate) fn compile(functions: &[Job<'_>], watch: Watch<'_>) -> Result<Objects, Vec<Failure>> {
    let keys = parallel_map(functions, |job| job.cx.key(job.function));
    let mut equal: OrderedMap<Key, Vec<Job<'_>>> = OrderedMap::default();
    for (key, job) in keys.iter().zip(functions) {
        equal.entry(*key).or_default().push(*job);
    }
    let equal: Vec<(Key, Vec<Job<'_>>)> = equal.into_iter().collect();
    let found = each(&equal, |(key, jobs)| {
        // Functions that fail do so by their own names.
        let mut failures = Vec::new();
        for job in jobs {
            match job.cx.find(key, job) {
                Ok(found) => return Ok((*key, found)),
                Err(failure) => failures.push(failure),
            }
        }
        Err(failures)
    });
    let found: OrderedMap<Key, (KernelMetadata, Code)> =
        found.map_err(|failures| failures.into_iter().flatten().collect::<Vec<_>>())?.into_iter().collect();
    let mut kernels: OrderedMap<Key, Wanted<'_>> = OrderedMap::default();
    let mut metadata = Vec::new();
    for (job, key) in functions.iter().zip(&keys) {
        let Some((known, code)) = found.get(key) else { continue };
        let wanted = kernels.entry(known.object).or_insert_with(|| Wanted { code, cx: job.cx, names: Vec::new() });
        wanted.names.push(job.name.to_owned());
        metadata.push(known.clone());
    }
    let kernels: Vec<(Key, Wanted<'_>)> = kernels.into_iter().collect();
    let done = AtomicUsize::new(0);
    let objects = each(&kernels, |(key, wanted)| {
        let code = wanted.cx.object(key, wanted.code).map_err(Failure::Code)?;
        watch(done.fetch_add(1, Ordering::Relaxed) + 1, kernels.len());
        Ok(KernelObject { code, names: wanted.names.clone() })
    })?;
    Ok(Objects { objects, metadata })
}

/// A kernel to compile, and the functions that share it.
struct Wanted<'a> {
    code: &'a Code,
    cx: &'a CodeCx<'a>,
    names: Vec<String>,
}

/// The code of a kernel, as far as it is there.
enum Code {
    Object(Arc<[u8]>),
    Source(Box<dyn Source>),
}

/// The inputs of the cache key besides the function: they determine the code.
pub(crate) struct CodeCx<'a> {
    backend: &'a dyn Backend,
    /// The functions' target.
    pub(crate) target: &'a Target,
    /// As much of it as decides the code.
    code_target: Target,
    cache: &'a KernelCache,
    /// The same as text, and what compiles.
    texts: [String; 2],
}

impl<'a> CodeCx<'a> {
    pub(crate) fn new(backend: &'a dyn Backend, target: &'a Target, cache: &'a KernelCache) -> Self {
        let versions = [env!("CARGO_PKG_VERSION"), backend.name(), &backend.version()].join(" ");
        let code_target = backend.code_target(target);
        let texts = [versions, format!("{code_target:?}")];
        Self { backend, target, code_target, cache, texts }
    }

    /// The key of a function as it is written, but for its name and where it comes from.
    fn key(&self, function: &PrimFunc) -> Key {
        let mut function = PrimFunc { origins: Origins::default(), ..function.clone() };
        function.attrs.remove(attr_names::GLOBAL_SYMBOL);
        let saved = Saver::save(&function);
        let [versions, target] = &self.texts;
        let parts = [versions, target, &saved.nodes, &saved.root, &saved.tensors];
        let parts: Vec<&str> = parts.into_iter().map(String::as_str).collect();
        Key::new(&[&["PrimFunc", env!("TILEWRIGHT_LOWERING_SOURCES")], parts.as_slice()].concat())
    }

    /// What the cache knows of the function, or else what lowering makes of it.
    fn find(&self, key: &Key, job: &Job<'_>) -> Result<(KernelMetadata, Code), Failure> {
        let known = self.cache.get(key).and_then(|bytes| KernelMetadata::decode(&bytes));
        if let Some(metadata) = known
            && let Some(code) = self.cache.get(&metadata.object)
        {
            return Ok((metadata, Code::Object(code)));
        }
        let low = self.backend.lower(&self.code_target, job.name, job.function).map_err(Failure::Lowering)?;
        let source = self.backend.write(&self.code_target, &low).map_err(Failure::Code)?;
        let [versions, target] = &self.texts;
        let metadata = KernelMetadata::of(&low, source.as_ref(), Key::new(&[versions, target, source.text()]));
        self.cache.put(*key, &metadata.encode().into());
        let code = self.cache.get(&metadata.object).map_or_else(|| Code::Source(source), Code::Object);
        Ok((metadata, code))
    }

    /// The code of the key, compiled where it is not there.
    fn object(&self, key: &Key, code: &Code) -> Result<Arc<[u8]>, CodeError> {
        match code {
            Code::Object(code) => Ok(Arc::clone(code)),
            Code::Source(source) => {
                let code: Arc<[u8]> = source.compile(&self.code_target)?.into();
                self.cache.put(*key, &code);
                Ok(code)
            }
        }
    }
}

/// Applies `work` to every item on all processors that the process may use, however many of them kernels run on;
/// results and errors are in the items' order.
pub(crate) fn each<I: Sync, T: Send, E: Send>(
    items: &[I],
    work: impl Fn(&I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, Vec<E>> {
    let (mut results, mut errors) = (Vec::new(), Vec::new());
    for outcome in parallel_map(items, work) {
        match outcome {
            Ok(result) => results.push(result),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(results) } else { Err(errors) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backends::{LLVM_CPU, LlvmCpu};
    use std::sync::Mutex;
    use tilewright_ir::Attrs;
    use tilewright_ir::low::LowTir;
    use tilewright_ir::tir::{Buffer, Expr, ForKind, Param, Stmt, Var};
    use tilewright_tensor::DataType;

    /// `r[i] = r[i] + addend` over so many elements.
    fn add(name: &str, elements: i64, addend: i64) -> LowTir {
        let buffer = Buffer::new("R", vec![Expr::i64(elements)], DataType::I64);
        let var = Var::new("i", DataType::I64);
        let index = vec![Expr::var(&var)];
        let sum = &Expr::load(&buffer, index.clone()).unwrap() + addend;
        let store = Stmt::store(&buffer, index, &sum).unwrap();
        let body = Stmt::for_loop(&var, Expr::i64(0), Expr::i64(elements), ForKind::Serial, store);
        let params = vec![Param::buffer(&buffer)];
        LowTir::new(name, PrimFunc { params, attrs: Attrs::new(), body, origins: Default::default() }).unwrap()
    }

    fn jobs<'a>(functions: &'a [LowTir], cx: &'a CodeCx<'a>) -> Vec<Job<'a>> {
        functions.iter().map(|low| Job { name: low.symbol(), function: low.function(), cx }).collect()
    }

    fn compiled(functions: &[LowTir], cache: &KernelCache) -> Objects {
        let target = Target::host();
        compile(&jobs(functions, &CodeCx::new(&LLVM_CPU, &target, cache)), &|_, _| ()).unwrap()
    }

    #[test]
    fn equal_kernels_are_compiled_once_whatever_their_names() {
        let cache = KernelCache::in_memory();
        let found = compiled(&[add("a", 8, 1), add("b", 8, 2), add("c", 8, 1)], &cache);
        let names: Vec<_> = found.objects.iter().map(|object| object.names.as_slice()).collect();
        assert_eq!(names, [["a", "c"].as_slice(), ["b"].as_slice()]);
        let objects: Vec<_> = found.metadata.iter().map(|metadata| metadata.object).collect();
        assert!(objects.len() == 3 && objects[0] == objects[2] && objects[0] != objects[1]);
        // Another module, another name: the very object.
        let again = compiled(&[add("other", 8, 2)], &cache);
        assert!(Arc::ptr_eq(&again.objects[0].code, &found.objects[1].code));
    }

    #[test]
    fn each_kernel_is_counted_once_whether_it_was_in_the_cache_or_not() {
        let cache = KernelCache::in_memory();
        for functions in [&[add("a", 8, 1), add("b", 8, 2)][..], &[add("a", 8, 1), add("c", 8, 3), add("d", 8, 1)]] {
            let told = Mutex::new(Vec::new());
            let watch = |done: usize, of: usize| told.lock().unwrap().push((done, of));
            let target = Target::host();
            compile(&jobs(functions, &CodeCx::new(&LLVM_CPU, &target, &cache)), &watch).unwrap();
            let mut told = told.into_inner().unwrap();
            told.sort_unstable();
            assert_eq!(told, [(1, 2), (2, 2)]);
        }
    }

    #[test]
    fn the_cache_changes_no_byte() {
        let functions: Vec<LowTir> = (0..12).map(|i| add(&format!("f{i}"), 4 + i, i)).collect();
        let cold = compiled(&functions, &KernelCache::in_memory());
        let cache = KernelCache::in_memory();
        compiled(&functions[3..7], &cache);
        let warm = compiled(&functions, &cache);
        for (cold, warm) in cold.objects.iter().zip(&warm.objects) {
            assert_eq!((&cold.code, &cold.names), (&warm.code, &warm.names));
        }
    }

    #[test]
    fn a_function_that_was_compiled_is_found_as_it_is_written() {
        let cache = KernelCache::in_memory();
        let target = Target::host();
        let cx = CodeCx::new(&LLVM_CPU, &target, &cache);
        let find = |low: &LowTir| {
            let job = Job { name: low.symbol(), function: low.function(), cx: &cx };
            cx.find(&cx.key(low.function()), &job).unwrap()
        };
        let (metadata, new) = find(&add("a", 8, 1));
        assert!(matches!(new, Code::Source(_)));
        cx.object(&metadata.object, &new).unwrap();
        // Another variable, another name: the same function.
        let (again, known) = find(&add("b", 8, 1));
        assert!(matches!(known, Code::Object(_)) && again == metadata);
        let keys = [add("a", 8, 1), add("a", 8, 2), add("a", 9, 1)].map(|low| cx.key(low.function()));
        assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2]);
        assert_eq!(keys[0], cx.key(add("c", 8, 1).function()));
    }

    #[test]
    fn targets_and_options_are_parts_of_the_key() {
        let cache = KernelCache::in_memory();
        let function = [add("f", 64, 1)];
        let target = |text| Target::parse(text).unwrap();
        let plain = LLVM_CPU;
        let unoptimised = LlvmCpu::unoptimised();
        let elf = |target: &Target, backend: &LlvmCpu| {
            let cx = CodeCx::new(backend, target, &cache);
            compile(&jobs(&function, &cx), &|_, _| ()).unwrap().objects[0].code.clone()
        };
        let (x86, arm) = (target("llvm -mcpu=haswell"), target("llvm -mcpu=neoverse-n1"));
        let all = [elf(&x86, &plain), elf(&x86, &unoptimised), elf(&arm, &plain)];
        assert!(all[0] != all[1] && all[0] != all[2]);
        assert!(Arc::ptr_eq(&elf(&x86, &plain), &all[0]));
    }

    #[test]
    fn the_test_device_has_the_code_of_its_processor() {
        let cache = KernelCache::in_memory();
        let function = [add("f", 64, 1)];
        let code = |text| {
            let target = Target::parse(text).unwrap();
            let cx = CodeCx::new(&LLVM_CPU, &target, &cache);
            compile(&jobs(&function, &cx), &|_, _| ()).unwrap().objects[0].code.clone()
        };
        let (host, device) = (code("llvm -mcpu=haswell"), code("ext_dev -mcpu=haswell"));
        assert!(Arc::ptr_eq(&host, &device));
        assert!(!Arc::ptr_eq(&host, &code("ext_dev -mcpu=znver4")));
    }

    #[test]
    fn every_function_that_does_not_compile_is_named() {
        let vector = DataType::I64.with_lanes(1024);
        let wide = |name: &str| {
            let buffer = Buffer::new("R", vec![Expr::i64(1024)], DataType::I64);
            let index = Expr::ramp(&Expr::i64(0), &Expr::i64(1), 1024).unwrap();
            let body = Stmt::store(&buffer, vec![index], &Expr::int(1, vector)).unwrap();
            let params = vec![Param::buffer(&buffer)];
            LowTir::new(name, PrimFunc { params, attrs: Attrs::new(), body, origins: Default::default() }).unwrap()
        };
        let functions = [wide("first"), add("fine", 8, 1), wide("last")];
        let cache = KernelCache::in_memory();
        let target = Target::host();
        let outcome = compile(&jobs(&functions, &CodeCx::new(&LLVM_CPU, &target, &cache)), &|_, _| ());
        let text = |failure: &Failure| match failure {
            Failure::Code(error) => error.to_string(),
            Failure::Lowering(found) => found.render(false),
        };
        let errors: Vec<String> = outcome.err().unwrap().iter().map(text).collect();
        assert!(errors.len() == 2 && errors[0].contains("`first`") && errors[1].contains("`last`"), "{errors:?}");
    }
}
