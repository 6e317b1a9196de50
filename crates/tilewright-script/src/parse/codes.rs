//! The codes of the parser's diagnostics. A code is stable: it means the same in every version. The crate `tilewright`
//! has the list of all codes, with a page for each.

/// Python's grammar is violated.
pub const SYNTAX: &str = "TW0101";
/// Brackets, operators or blocks are nested deeper than [`super::MAX_NESTING`].
pub const NESTING: &str = "TW0102";
/// The text does not have exactly the one requested module or function.
pub const DEFINITION: &str = "TW0103";
/// A form of Python that the script does not have.
pub const FORM: &str = "TW0104";

/// A name that nothing defines, here or outside of the script.
pub const UNKNOWN_NAME: &str = "TW0201";
/// A function of `T`, `R` or `I` that does not exist.
pub const UNKNOWN_FUNCTION: &str = "TW0202";
/// A name that is bound already.
pub const BOUND_TWICE: &str = "TW0203";
/// An attribute or function that the value or module does not have.
pub const UNKNOWN_ATTRIBUTE: &str = "TW0204";
/// A constant whose values are in the metadata, which are missing or wrong.
pub const METADATA: &str = "TW0205";
/// A dataflow variable that is used outside of its block.
pub const DATAFLOW_VARIABLE: &str = "TW0206";

/// Too few, too many or unknown arguments.
pub const ARGUMENTS: &str = "TW0301";
/// A value of the wrong kind, such as a buffer where a number is expected.
pub const KIND: &str = "TW0302";
/// Operands or values of the wrong data type.
pub const DTYPE: &str = "TW0303";
/// A number of indices that is not the number of dimensions.
pub const INDICES: &str = "TW0304";
/// Shapes, or other struct infos, that cannot be as written.
pub const STRUCT_INFO: &str = "TW0305";
/// A number that its type cannot hold.
pub const RANGE: &str = "TW0306";

/// A statement or call that is not allowed here.
pub const PLACE: &str = "TW0401";
/// An axis of a block that is bound wrongly.
pub const AXIS: &str = "TW0402";
/// A function that does not return as it has to.
pub const RETURN: &str = "TW0403";
/// A side effect where there may be none.
pub const SIDE_EFFECT: &str = "TW0404";
/// Functions without a return annotation that call each other in a circle.
pub const CYCLE: &str = "TW0405";
/// Part of the language that this version does not read.
pub const NOT_YET: &str = "TW0406";

/// The extent of an unrolled loop that is no constant: a property of well-formed modules, reported at the loop.
pub const UNROLLED: &str = "TW0507";
