//! PrimFuncs → objects: through the kernel cache, and what it lacks through the lowering and LLVM, several at once.
//!
//! The cache knows kernels by two keys. The PrimFunc, as it is written, leads to what callers have to know of its kernel
//! and to the key of the object: a function that was compiled before is not even lowered. The text for LLVM leads to the
//! object: functions that become the same code share it, whatever their names, in this module or in another.
//!
//! Every kernel is a job of its own. The outcome depends neither on the cache nor on the number of jobs at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tilewright_expr::node::Saver;
use tilewright_ir::low::LowTir;
use tilewright_ir::tir::{PrimFunc, attr_names};
use tilewright_llvm::{CodegenError, Options, Source};
use tilewright_support::{Diagnostics, OrderedMap, Origins, parallel_map};
use tilewright_target::Target;

use crate::cache::{KernelCache, Key};
use crate::facts::Facts;

/// The symbol under which every kernel is compiled, behind [`tilewright_llvm::SYMBOL_PREFIX`]. In an image it has the
/// names of its functions.
pub(crate) const SYMBOL: &str = "kernel";

/// A function and its name.
pub(crate) type Named<'a> = (&'a str, &'a PrimFunc);

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
    pub(crate) facts: Vec<Facts>,
}

/// Why a function is no kernel.
#[derive(Debug)]
pub(crate) enum Failure {
    Lowering(Diagnostics),
    Code(CodegenError),
}

/// Who is told, from any thread, how many kernels are machine code, and of how many.
pub type Watch<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Compiles the functions.
///
/// # Errors
/// One for each function that cannot be compiled.
pub(crate) fn compile(
    functions: &[Named<'_>],
    target: &Target,
    options: &Options,
    cache: &KernelCache,
    watch: Watch<'_>,
) -> Result<Objects, Vec<Failure>> {
    let cx = Cx::new(target, options, cache);
    let keys = parallel_map(functions, |(_, function)| cx.key(function));
    let mut equal: OrderedMap<Key, Vec<Named<'_>>> = OrderedMap::default();
    for (key, function) in keys.iter().zip(functions) {
        equal.entry(*key).or_default().push(*function);
    }
    let equal: Vec<(Key, Vec<Named<'_>>)> = equal.into_iter().collect();
    let found = each(&equal, |(key, functions)| {
        // Functions that fail do so by their own names.
        let mut failures = Vec::new();
        for function in functions {
            match cx.find(key, *function) {
                Ok(found) => return Ok((*key, found)),
                Err(failure) => failures.push(failure),
            }
        }
        Err(failures)
    });
    let found: OrderedMap<Key, (Facts, Code)> =
        found.map_err(|failures| failures.into_iter().flatten().collect::<Vec<_>>())?.into_iter().collect();
    let mut jobs: OrderedMap<Key, (&Code, Vec<String>)> = OrderedMap::default();
    let mut facts = Vec::new();
    for ((name, _), key) in functions.iter().zip(&keys) {
        let Some((known, code)) = found.get(key) else { continue };
        jobs.entry(known.object).or_insert_with(|| (code, Vec::new())).1.push((*name).to_owned());
        facts.push(known.clone());
    }
    let jobs: Vec<(Key, (&Code, Vec<String>))> = jobs.into_iter().collect();
    let done = AtomicUsize::new(0);
    let objects = each(&jobs, |(key, (code, names))| {
        let elf = cx.object(key, code).map_err(Failure::Code)?;
        watch(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        Ok(KernelObject { elf, names: names.clone() })
    })?;
    Ok(Objects { objects, facts })
}

/// The code of a kernel, as far as it is there.
enum Code {
    Object(Arc<[u8]>),
    Source(Source),
}

/// What decides, beside the function, what becomes of it.
struct Cx<'a> {
    target: &'a Target,
    options: &'a Options,
    cache: &'a KernelCache,
    /// The same as text, and what compiles.
    texts: [String; 3],
}

impl<'a> Cx<'a> {
    fn new(target: &'a Target, options: &'a Options, cache: &'a KernelCache) -> Self {
        let versions =
            [env!("CARGO_PKG_VERSION"), "LLVM", &tilewright_llvm::version(), env!("TILEWRIGHT_CODEGEN_SOURCES")]
                .join(" ");
        Self { target, options, cache, texts: [versions, format!("{target:?}"), format!("{options:?}")] }
    }

    /// The key of a function as it is written, but for its name and where it comes from.
    fn key(&self, function: &PrimFunc) -> Key {
        let mut function = PrimFunc { origins: Origins::default(), ..function.clone() };
        function.attrs.remove(attr_names::GLOBAL_SYMBOL);
        let saved = Saver::save(&function);
        let [versions, target, options] = &self.texts;
        let parts = [versions, target, options, &saved.nodes, &saved.root, &saved.tensors];
        let parts: Vec<&str> = parts.into_iter().map(String::as_str).collect();
        Key::new(&[&["PrimFunc", env!("TILEWRIGHT_LOWERING_SOURCES")], parts.as_slice()].concat())
    }

    /// What the cache knows of the function, or else what lowering makes of it.
    fn find(&self, key: &Key, (name, function): Named<'_>) -> Result<(Facts, Code), Failure> {
        let known = self.cache.get(key).and_then(|bytes| Facts::decode(&bytes));
        if let Some(facts) = known
            && let Some(elf) = self.cache.get(&facts.object)
        {
            return Ok((facts, Code::Object(elf)));
        }
        let low = tilewright_tir_passes::lower_for(self.target, name, function).map_err(Failure::Lowering)?;
        let source =
            Source::new(&[low.with_symbol(SYMBOL)], self.target).map_err(|error| Failure::Code(named(error, &low)))?;
        let [versions, target, options] = &self.texts;
        let facts = Facts::of(&low, &source, Key::new(&[versions, target, options, &source.text]));
        self.cache.put(*key, &facts.encode().into());
        let code = self.cache.get(&facts.object).map_or_else(|| Code::Source(source), Code::Object);
        Ok((facts, code))
    }

    /// The object of the key, compiled where it is not there.
    fn object(&self, key: &Key, code: &Code) -> Result<Arc<[u8]>, CodegenError> {
        match code {
            Code::Object(elf) => Ok(Arc::clone(elf)),
            Code::Source(source) => {
                let elf: Arc<[u8]> = source.clone().compile(self.target, self.options)?.into();
                self.cache.put(*key, &elf);
                Ok(elf)
            }
        }
    }
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

    fn named_functions(functions: &[LowTir]) -> Vec<Named<'_>> {
        functions.iter().map(|low| (low.symbol(), low.function())).collect()
    }

    fn compiled(functions: &[LowTir], cache: &KernelCache) -> Objects {
        compile(&named_functions(functions), &Target::host(), &Options::default(), cache, &|_, _| ()).unwrap()
    }

    #[test]
    fn equal_kernels_are_compiled_once_whatever_their_names() {
        let cache = KernelCache::in_memory();
        let found = compiled(&[add("a", 8, 1), add("b", 8, 2), add("c", 8, 1)], &cache);
        let names: Vec<_> = found.objects.iter().map(|object| object.names.as_slice()).collect();
        assert_eq!(names, [["a", "c"].as_slice(), ["b"].as_slice()]);
        let objects: Vec<_> = found.facts.iter().map(|facts| facts.object).collect();
        assert!(objects.len() == 3 && objects[0] == objects[2] && objects[0] != objects[1]);
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
            compile(&named_functions(functions), &Target::host(), &Options::default(), &cache, &watch).unwrap();
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
    fn a_function_that_was_compiled_is_found_as_it_is_written() {
        let cache = KernelCache::in_memory();
        let (target, options) = (Target::host(), Options::default());
        let cx = Cx::new(&target, &options, &cache);
        let find = |low: &LowTir| cx.find(&cx.key(low.function()), (low.symbol(), low.function())).unwrap();
        let (facts, new) = find(&add("a", 8, 1));
        assert!(matches!(new, Code::Source(_)));
        cx.object(&facts.object, &new).unwrap();
        // Another variable, another name: the same function.
        let (again, known) = find(&add("b", 8, 1));
        assert!(matches!(known, Code::Object(_)) && again == facts);
        let keys = [add("a", 8, 1), add("a", 8, 2), add("a", 9, 1)].map(|low| cx.key(low.function()));
        assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2]);
        assert_eq!(keys[0], cx.key(add("c", 8, 1).function()));
    }

    #[test]
    fn targets_and_options_are_parts_of_the_key() {
        let cache = KernelCache::in_memory();
        let function = [add("f", 64, 1)];
        let target = |text| Target::parse(text).unwrap();
        let plain = Options::default();
        let unoptimised = Options { level: tilewright_llvm::OptLevel::None };
        let elf = |target: &Target, options: &Options| {
            compile(&named_functions(&function), target, options, &cache, &|_, _| ()).unwrap().objects[0].elf.clone()
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
        let functions = named_functions(&functions);
        let outcome = compile(&functions, &Target::host(), &Options::default(), &cache, &|_, _| ());
        let text = |failure: &Failure| match failure {
            Failure::Code(error) => error.to_string(),
            Failure::Lowering(found) => found.render(false),
        };
        let errors: Vec<String> = outcome.err().unwrap().iter().map(text).collect();
        assert!(errors.len() == 2 && errors[0].contains("`first`") && errors[1].contains("`last`"), "{errors:?}");
    }
}
