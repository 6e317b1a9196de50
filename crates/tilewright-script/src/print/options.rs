//! How modules are laid out and spelled as text.

use tilewright_tensor::DataType;

use super::underline::Marks;

/// How text is laid out and spelled. Whatever is said here, what is printed is read back as the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintOptions {
    /// Writes the constants after the module, so that the text is the whole module. Otherwise a comment says that they
    /// are left out.
    pub show_meta: bool,
    /// The line width above which brackets are broken over lines; `None` never breaks one.
    pub width: Option<usize>,
    /// Blanks per level.
    pub indent: usize,
    /// The name of a module's class.
    pub name: String,
    /// The names of the three namespaces.
    pub prefixes: Prefixes,
    /// The name of the module in a graph function; empty: the module's name.
    pub module_alias: String,
    /// Temporaries of this type are declared without it, if that is the type which the reader takes then.
    pub buffer_dtype: DataType,
    /// Integer constants of loops are written without their type if it is this one and the one which the reader takes.
    pub int_dtype: DataType,
    /// Float constants of loops are written without their type if it is this one and the one which the reader takes;
    /// `void`: none does.
    pub float_dtype: DataType,
    /// Loops directly inside each other are one grid, axes that follow their loops are remapped, the root block is
    /// implicit and buffers are among the parameters. Otherwise each is written out.
    pub syntax_sugar: bool,
    /// Annotates every binding of a graph with its struct info, not only those whose value does not say it.
    pub show_all_struct_info: bool,
    /// An expression by itself is printed after declarations of the variables and buffers in it.
    pub verbose_expr: bool,
    /// Every line begins with its number, which is then no script any more.
    pub line_numbers: bool,
    /// Parts that are underlined or annotated.
    pub marks: Marks,
}

/// The names of the namespaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefixes {
    pub ir: String,
    pub tir: String,
    pub relax: String,
}

impl Default for PrintOptions {
    /// No metadata, no limit, four blanks, all sugar: as the field's documents show modules.
    fn default() -> Self {
        Self {
            show_meta: false,
            width: None,
            indent: 4,
            name: "Module".into(),
            prefixes: Prefixes { ir: "I".into(), tir: "T".into(), relax: "R".into() },
            module_alias: "cls".into(),
            buffer_dtype: DataType::F32,
            int_dtype: DataType::I32,
            float_dtype: DataType::VOID,
            syntax_sugar: true,
            show_all_struct_info: true,
            verbose_expr: false,
            line_numbers: false,
            marks: Marks::default(),
        }
    }
}

impl PrintOptions {
    /// Words that variables must not hide.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        let Prefixes { ir, tir, relax } = &self.prefixes;
        [ir, tir, relax, &self.name, &self.module_alias].into_iter().map(String::as_str).filter(|word| !word.is_empty())
    }
}

/// The lines of a text after their numbers.
pub(super) fn numbered(text: &str) -> String {
    let digits = text.lines().count().to_string().len();
    text.lines().enumerate().map(|(at, line)| format!("{:>digits$}| {line}\n", at + 1)).collect()
}
