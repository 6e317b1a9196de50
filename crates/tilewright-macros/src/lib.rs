//! Derive macros of the IR.
//!
//! [`macro@IrNode`] writes the traversals of a node (visiting, rewriting, structural equality, structural hash, paths,
//! saving, loading) from the fields' order and attributes, so that no traversal can forget a field.
//!
//! [`macro@Plan`] and [`macro@Choice`] give the plans of kernels their arguments, defaults, checks and trace text.
//!
//! Invariants: `IrNode` expands to code that names only `tilewright_expr::node`, `Plan` and `Choice` to code of the
//! crate `tilewright-schedule`, the only one that uses them; all look at syntax only.

mod ir_node;
mod plan;

use proc_macro::TokenStream;

/// Derives `tilewright_expr::node::IrNode` for a struct or an enum.
///
/// Fields are children in the order in which they are written. Attributes of a field:
///
/// | attribute | meaning |
/// |---|---|
/// | `#[ir(bind)]` | holds variables that this node binds: they correspond to each other from here on |
/// | `#[ir(define)]` | an unbound variable met inside is bound here (symbolic shapes of parameters) |
/// | `#[ir(scope)]` | shares no variable with its siblings: variables correspond anew in here |
/// | `#[ir(skip)]` | no child; ignored by equality and hash, saved all the same (origins, names of variables) |
/// | `#[ir(identity)]` | the `VarId` of a variable: a new one in every copy, never saved |
/// | `#[ir(unhashed)]` | compared, but not hashed |
/// | `#[ir(name = "…")]` | what paths and saved graphs call the field, where that is not the Rust name |
/// | `#[ir(flatten)]` | no step in paths: its parts are parts of the node |
///
/// A variant with `#[ir(local)]` defines variables for itself alone: outside of it they are free again.
///
/// A variant of one field that has no name is a mere wrapper in paths. Saved, a variant is `{"Name": …}`, fields with
/// names are an object, others a list, a single one is not wrapped.
#[proc_macro_derive(IrNode, attributes(ir))]
pub fn derive_ir_node(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    ir_node::expand(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Derives `Plan` for a struct with named, documented fields: the parameters of the primitive that builds the kernel,
/// how they are read from a call and checked, and how they are written into a trace.
///
/// | attribute | meaning |
/// |---|---|
/// | `#[plan(range = 1..=64)]` | values of the field that are accepted |
/// | `#[plan(power_of_two)]` | the value is a power of two |
/// | `#[plan(default = …)]` | the value where a call leaves it out: a boolean, an integer, or a variant of a `Choice` |
/// | `#[plan(alias = "…")]` | another name by which calls may give the field |
/// | `#[plan(check = path)]` on the struct | a function that checks fields against each other |
#[proc_macro_derive(Plan, attributes(plan))]
pub fn derive_plan(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    plan::expand(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Derives `PlanField` and `name` for an enum whose variants traces write as `#[choice = "…"]` says.
#[proc_macro_derive(Choice, attributes(choice))]
pub fn derive_choice(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    plan::expand_choice(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
