//! The names of the script's namespaces in a file.

use ruff_python_ast as ast;
use tilewright_support::Map;

/// The meanings of plain names of the text: each is a dotted path below the package, such as `script.tir` for `T` or
/// `script.tir.Buffer` for a name that was imported from there; `tvm` is the package itself.
#[derive(Clone, Default, Debug)]
pub struct Names {
    meanings: Map<String, String>,
}

/// The packages whose modules the script's namespaces are.
const PACKAGES: [&str; 2] = ["tvm", "tilewright"];

impl Names {
    /// `T`, `R`, `I` and `tvm` with their usual meanings.
    pub fn usual() -> Self {
        [("T", "script.tir"), ("R", "script.relax"), ("I", "script.ir"), ("tvm", "tvm")].into_iter().collect()
    }

    /// The names in the comments at the top of a text, as printed ones have them: `# from tvm.script import tir as T`;
    /// the usual ones without such comments.
    pub(crate) fn of_comments(text: &str) -> Self {
        let mut names = Self::usual();
        let said = text.lines().map_while(|line| line.strip_prefix("# from tvm.script import "));
        for (module, name) in said.filter_map(|line| line.trim_end().split_once(" as ")) {
            let meaning = format!("script.{module}");
            if ["script.ir", "script.tir", "script.relax"].contains(&meaning.as_str()) {
                names.meanings.retain(|_, known| *known != meaning);
                names.insert(name.to_owned(), meaning);
            }
        }
        names
    }

    /// The names by the imports of a file; `None` if there are none.
    pub(crate) fn of_imports(body: &[ast::Stmt]) -> Option<Self> {
        let mut names = Self::default();
        for stmt in body {
            match stmt {
                ast::Stmt::Import(import) => import.names.iter().for_each(|alias| names.import(alias)),
                ast::Stmt::ImportFrom(import) if import.level == 0 => names.import_from(import),
                _ => {}
            }
        }
        (!names.meanings.is_empty()).then_some(names)
    }

    fn import(&mut self, alias: &ast::Alias) {
        let Some(path) = below_package(&alias.name) else { return };
        match &alias.asname {
            Some(name) => self.insert(name.to_string(), path),
            None => {
                let package = alias.name.split('.').next().unwrap_or_default();
                self.insert(package.to_owned(), "tvm".to_owned());
            }
        }
    }

    fn import_from(&mut self, import: &ast::StmtImportFrom) {
        let Some(path) = import.module.as_ref().and_then(|module| below_package(module)) else { return };
        for alias in &import.names {
            let name = alias.asname.as_ref().unwrap_or(&alias.name).to_string();
            let prefix = if path == "tvm" { String::new() } else { format!("{path}.") };
            self.insert(name, format!("{prefix}{}", alias.name));
        }
    }

    /// Says what a name means.
    pub fn insert(&mut self, name: String, meaning: String) {
        self.meanings.insert(name, canonical(&meaning));
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.meanings.get(name).map(String::as_str)
    }

    /// The name of the file for a namespace such as `script.tir`.
    pub(crate) fn spelling_of(&self, namespace: &str) -> Option<&str> {
        self.meanings.iter().filter(|(_, meaning)| *meaning == namespace).map(|(name, _)| name.as_str()).min()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.meanings.keys().map(String::as_str)
    }
}

impl<A: Into<String>, B: Into<String>> FromIterator<(A, B)> for Names {
    fn from_iter<I: IntoIterator<Item = (A, B)>>(pairs: I) -> Self {
        let mut names = Self::default();
        pairs.into_iter().for_each(|(name, meaning)| names.insert(name.into(), meaning.into()));
        names
    }
}

/// The dotted path below the package, if the module is one of the package's.
fn below_package(module: &str) -> Option<String> {
    let (package, rest) = module.split_once('.').unwrap_or((module, ""));
    let known = PACKAGES.contains(&package);
    known.then(|| if rest.is_empty() { "tvm".to_owned() } else { rest.to_owned() })
}

/// The canonical path of each thing, however it was reached.
pub(crate) fn canonical(path: &str) -> String {
    let path = path.strip_prefix("tvm.").unwrap_or(path);
    let path = path.replacen("script.parser.", "script.", 1);
    match path.as_str() {
        "script.ir_module" => "script.ir.ir_module".to_owned(),
        _ => path,
    }
}
