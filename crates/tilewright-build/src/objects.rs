//! Flat functions → objects: through the kernel cache, and what it lacks through LLVM, several kernels at once.
//!
//! Every kernel is a job of its own: a kernel that another module had before costs nothing, and equal kernels are one
//! object, whatever their names. The outcome depends neither on the cache nor on the number of jobs at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tilewright_ir::low::LowTir;
use tilewright_llvm::{CodegenError, Kernel, Options, Source};
use tilewright_support::{OrderedMap, parallel_map};
use tilewright_target::Target;

use crate::cache::{KernelCache, Key};

/// The symbol under which every kernel is compiled, behind [`tilewright_llvm::SYMBOL_PREFIX`]. In an image it has the
/// names of its functions.
pub(crate) const SYMBOL: &str = "kernel";

/// An object, and the functions that it is the code of.
pub(crate) struct KernelObject {
    pub(crate) elf: Arc<[u8]>,
    pub(crate) names: Vec<String>,
}

/// Compiled kernels.
pub(crate) struct Objects {
    /// In the order in which the functions first ask for them.
    pub(crate) objects: Vec<KernelObject>,
    /// What callers have to know, one for each function.
    pub(crate) kernels: Vec<Kernel>,
}

/// Who is told, from any thread, how many kernels are machine code, and of how many.
pub type Watch<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Compiles the functions.
///
/// # Errors
/// One for each function that cannot be compiled.
pub(crate) fn compile(
    functions: &[LowTir],
    target: &Target,
    options: &Options,
    cache: &KernelCache,
    watch: Watch<'_>,
) -> Result<Objects, Vec<CodegenError>> {
    let sources =
        each(functions, |low| Source::new(&[low.with_symbol(SYMBOL)], target).map_err(|error| named(error, low)))?;
    let mut jobs: OrderedMap<Key, (Source, Vec<String>)> = OrderedMap::default();
    let mut kernels = Vec::new();
    let versions = [env!("CARGO_PKG_VERSION"), &tilewright_llvm::fingerprint()].join(" ");
    let (target_text, options_text) = (format!("{target:?}"), format!("{options:?}"));
    for (low, mut source) in functions.iter().zip(sources) {
        let facts = source.kernels.drain(..).next();
        kernels.extend(facts.map(|facts| Kernel { symbol: low.symbol().to_owned(), ..facts }));
        let key = Key::new(&[&versions, &target_text, &options_text, &source.text]);
        jobs.entry(key).or_insert_with(|| (source, Vec::new())).1.push(low.symbol().to_owned());
    }
    let jobs: Vec<(Key, (Source, Vec<String>))> = jobs.into_iter().collect();
    let done = AtomicUsize::new(0);
    let objects = each(&jobs, |(key, (source, names))| {
        let elf = match cache.get(key) {
            Some(elf) => elf,
            None => {
                let elf: Arc<[u8]> = source.clone().compile(target, options)?.into();
                cache.put(*key, &elf);
                elf
            }
        };
        watch(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        Ok(KernelObject { elf, names: names.clone() })
    })?;
    Ok(Objects { objects, kernels })
}

/// The error with the function's own name.
fn named(error: CodegenError, low: &LowTir) -> CodegenError {
    let symbol = low.symbol().to_owned();
    match error {
        CodegenError::Unsupported { what, .. } => CodegenError::Unsupported { symbol, what },
        CodegenError::Malformed { what, .. } => CodegenError::Malformed { symbol, what },
        other => other,
    }
}

/// Applies `work` to every item on all processors that the process may use, however many of them kernels run on; results
/// and errors are in the items' order.
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
    use std::sync::Mutex;
    use tilewright_ir::Attrs;
    use tilewright_ir::tir::{Buffer, Expr, ForKind, Param, PrimFunc, Stmt, Var};
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

    fn compiled(functions: &[LowTir], cache: &KernelCache) -> Objects {
        compile(functions, &Target::host(), &Options::default(), cache, &|_, _| ()).unwrap()
    }

    #[test]
    fn equal_kernels_are_compiled_once_whatever_their_names() {
        let cache = KernelCache::in_memory();
        let found = compiled(&[add("a", 8, 1), add("b", 8, 2), add("c", 8, 1)], &cache);
        let names: Vec<_> = found.objects.iter().map(|object| object.names.as_slice()).collect();
        assert_eq!(names, [["a", "c"].as_slice(), ["b"].as_slice()]);
        let kernels: Vec<_> = found.kernels.iter().map(|kernel| kernel.symbol.as_str()).collect();
        assert_eq!(kernels, ["a", "b", "c"]);
        // Another module, another name: the very object.
        let again = compiled(&[add("other", 8, 2)], &cache);
        assert!(Arc::ptr_eq(&again.objects[0].elf, &found.objects[1].elf));
    }

    #[test]
    fn each_kernel_is_counted_once_whether_it_was_in_the_cache_or_not() {
        let cache = KernelCache::in_memory();
        for functions in [&[add("a", 8, 1), add("b", 8, 2)][..], &[add("a", 8, 1), add("c", 8, 3), add("d", 8, 1)]] {
            let told = Mutex::new(Vec::new());
            let watch = |done: usize, of: usize| told.lock().unwrap().push((done, of));
            compile(functions, &Target::host(), &Options::default(), &cache, &watch).unwrap();
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
            assert_eq!((&cold.elf, &cold.names), (&warm.elf, &warm.names));
        }
    }

    #[test]
    fn targets_and_options_are_parts_of_the_key() {
        let cache = KernelCache::in_memory();
        let function = [add("f", 64, 1)];
        let target = |text| Target::parse(text).unwrap();
        let plain = Options::default();
        let unoptimised = Options { level: tilewright_llvm::OptLevel::None };
        let elf = |target: &Target, options: &Options| {
            compile(&function, target, options, &cache, &|_, _| ()).unwrap().objects[0].elf.clone()
        };
        let (x86, arm) = (target("llvm -mcpu=haswell"), target("llvm -mcpu=neoverse-n1"));
        let all = [elf(&x86, &plain), elf(&x86, &unoptimised), elf(&arm, &plain)];
        assert!(all[0] != all[1] && all[0] != all[2]);
        assert!(Arc::ptr_eq(&elf(&x86, &plain), &all[0]));
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
        let outcome = compile(&functions, &Target::host(), &Options::default(), &cache, &|_, _| ());
        let errors: Vec<String> = outcome.err().unwrap().iter().map(ToString::to_string).collect();
        assert!(errors.len() == 2 && errors[0].contains("`first`") && errors[1].contains("`last`"), "{errors:?}");
    }
}
