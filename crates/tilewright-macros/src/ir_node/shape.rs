//! The shape of a node: its fields, and the traversals of it.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Field, Fields, LitStr, Result, spanned::Spanned};

/// The role of a field in its node.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Role {
    Child,
    Bind,
    Define,
    Scope,
    Skip,
    Identity,
}

/// A field with its attributes.
pub(super) struct Part {
    ident: Option<Ident>,
    pub(super) role: Role,
    /// Its name in paths and saved graphs.
    name: Option<String>,
    flatten: bool,
    unhashed: bool,
}

impl Part {
    fn of(field: &Field) -> Result<Self> {
        let name = field.ident.as_ref().map(|ident| ident.to_string().trim_start_matches("r#").to_owned());
        let mut part = Self { ident: field.ident.clone(), role: Role::Child, name, flatten: false, unhashed: false };
        for attribute in field.attrs.iter().filter(|a| a.path().is_ident("ir")) {
            attribute.parse_nested_meta(|meta| {
                match () {
                    () if meta.path.is_ident("bind") => part.role = Role::Bind,
                    () if meta.path.is_ident("define") => part.role = Role::Define,
                    () if meta.path.is_ident("scope") => part.role = Role::Scope,
                    () if meta.path.is_ident("skip") => part.role = Role::Skip,
                    () if meta.path.is_ident("identity") => part.role = Role::Identity,
                    () if meta.path.is_ident("flatten") => part.flatten = true,
                    () if meta.path.is_ident("unhashed") => part.unhashed = true,
                    () if meta.path.is_ident("name") => part.name = Some(meta.value()?.parse::<LitStr>()?.value()),
                    () => {
                        let known = "`bind`, `define`, `scope`, `skip`, `identity`, `flatten`, `unhashed` or `name`";
                        return Err(meta.error(format!("expected {known}")));
                    }
                }
                Ok(())
            })?;
        }
        Ok(part)
    }

    fn is_child(&self) -> bool {
        !matches!(self.role, Role::Skip | Role::Identity)
    }
}

/// One struct, or one variant of an enum.
pub(super) struct Shape {
    /// `Self::Variant` or `Self`.
    pub(super) path: TokenStream,
    pub(super) parts: Vec<Part>,
    fields: Fields,
    /// The variant's name, or the struct's.
    pub(super) name: String,
    pub(super) variant: bool,
    /// Whether what the parts define is defined in here only.
    local: bool,
}

/// The form of a shape in a saved graph.
pub(super) enum Layout {
    Nothing,
    One,
    List,
    /// By these keys.
    Object(Vec<String>),
}

pub(super) fn shapes(input: &DeriveInput) -> Result<Vec<Shape>> {
    let parts = |fields: &Fields| fields.iter().map(Part::of).collect::<Result<Vec<_>>>();
    match &input.data {
        Data::Struct(data) => Ok(vec![Shape {
            path: quote!(Self),
            parts: parts(&data.fields)?,
            fields: data.fields.clone(),
            name: input.ident.to_string(),
            variant: false,
            local: false,
        }]),
        Data::Enum(data) => {
            let shape = |variant: &syn::Variant| {
                let ident = &variant.ident;
                Ok(Shape {
                    path: quote!(Self::#ident),
                    parts: parts(&variant.fields)?,
                    fields: variant.fields.clone(),
                    name: ident.to_string(),
                    variant: true,
                    local: is_local(variant)?,
                })
            };
            data.variants.iter().map(shape).collect()
        }
        Data::Union(data) => Err(syn::Error::new(data.union_token.span(), "a union is no IR node")),
    }
}

/// Whether the variant has the attribute `#[ir(local)]`.
fn is_local(variant: &syn::Variant) -> Result<bool> {
    let mut local = false;
    for attribute in variant.attrs.iter().filter(|a| a.path().is_ident("ir")) {
        attribute.parse_nested_meta(|meta| match meta.path.is_ident("local") {
            true => {
                local = true;
                Ok(())
            }
            false => Err(meta.error("expected `local`")),
        })?;
    }
    Ok(local)
}

impl Shape {
    /// A pattern that binds field `i` to `{prefix}{i}`; also the expression that is made of such variables.
    pub(super) fn pattern(&self, prefix: &str) -> TokenStream {
        let path = &self.path;
        let names = self.names(prefix);
        match &self.fields {
            Fields::Named(_) => {
                let fields = self.parts.iter().map(|part| &part.ident);
                quote!(#path { #(#fields: #names),* })
            }
            Fields::Unnamed(_) => quote!(#path(#(#names),*)),
            Fields::Unit => quote!(#path),
        }
    }

    pub(super) fn names(&self, prefix: &str) -> Vec<Ident> {
        (0..self.parts.len()).map(|i| format_ident!("{prefix}{i}")).collect()
    }

    pub(super) fn layout(&self) -> Layout {
        let kept = || self.parts.iter().filter(|part| part.role != Role::Identity);
        let keys: Option<Vec<String>> = kept().map(|part| part.name.clone()).collect();
        match (&self.fields, kept().count(), keys) {
            (Fields::Unit, ..) => Layout::Nothing,
            (Fields::Unnamed(_), 1, _) => Layout::One,
            (_, _, Some(keys)) => Layout::Object(keys),
            _ => Layout::List,
        }
    }

    /// The variable of the only field, where the shape is a mere wrapper of that.
    pub(super) fn wrapped(&self) -> Option<Ident> {
        let wraps = self.variant && self.parts.len() == 1 && self.parts.iter().all(|part| part.name.is_none());
        wraps.then(|| format_ident!("a0"))
    }

    /// The name of a part in paths; `None` where the part has no step of its own.
    fn step(&self, index: usize, part: &Part) -> Option<String> {
        let alone = self.wrapped().is_some() || part.flatten;
        (!alone).then(|| part.name.clone().unwrap_or_else(|| index.to_string()))
    }

    pub(super) fn visit(&self) -> TokenStream {
        let pattern = self.pattern("a");
        let body = self.parts.iter().zip(self.names("a")).map(|(part, a)| match part.is_child() {
            false => quote!(let _ = #a;),
            true => quote!(::tilewright_expr::node::IrNode::visit_children(#a, visitor);),
        });
        quote!(#pattern => { #(#body)* })
    }

    pub(super) fn map(&self) -> TokenStream {
        let pattern = self.pattern("a");
        let rebuilt = self.pattern("b");
        let children = self.parts.iter().filter(|part| part.is_child()).count();
        let (mut mapping, mut finishing, mut changed) = (TokenStream::new(), TokenStream::new(), Vec::new());
        for ((part, a), b) in self.parts.iter().zip(self.names("a")).zip(self.names("b")) {
            let map = quote!(::tilewright_expr::node::IrNode::map_children(#a, mapper));
            match part.role {
                Role::Identity => finishing.extend(quote! {
                    let _ = #a;
                    let #b = ::tilewright_expr::node::VarId::fresh();
                }),
                Role::Skip => finishing.extend(quote!(let #b = ::core::clone::Clone::clone(#a);)),
                _ if children == 1 => mapping.extend(quote!(let #b = #map?;)),
                _ => {
                    mapping.extend(quote!(let #b = #map;));
                    finishing.extend(quote!(let #b = #b.unwrap_or_else(|| ::core::clone::Clone::clone(#a));));
                    changed.push(b);
                }
            }
        }
        if children == 0 {
            let unused = self.names("a");
            return quote!(#pattern => { #(let _ = #unused;)* ::core::option::Option::None });
        }
        let unchanged =
            (!changed.is_empty()).then(|| quote!(if #(#changed.is_none())&&* { return ::core::option::Option::None; }));
        quote!(#pattern => {
            #mapping
            #unchanged
            #finishing
            ::core::option::Option::Some(#rebuilt)
        })
    }

    pub(super) fn equal(&self) -> TokenStream {
        let (left, right) = (self.pattern("a"), self.pattern("b"));
        let parts = self.parts.iter().enumerate().zip(self.names("a")).zip(self.names("b"));
        let body = parts.map(|(((i, part), a), b)| {
            let compare = match self.step(i, part) {
                Some(name) => quote!(cx.field(#name, #a, #b)),
                None => quote!(::tilewright_expr::node::IrNode::node_eq(#a, #b, cx)),
            };
            match part.role {
                Role::Skip | Role::Identity => quote!(let _ = (#a, #b);),
                Role::Child => quote!(if !#compare { return false; }),
                Role::Bind => quote!(if !cx.binding(|cx| #compare) { return false; }),
                Role::Define => quote!(if !cx.defining(|cx| #compare) { return false; }),
                Role::Scope => quote!(if !cx.scope(|cx| #compare) { return false; }),
            }
        });
        match self.local {
            true => quote!((#left, #right) => { cx.local(|cx| { #(#body)* true }) }),
            false => quote!((#left, #right) => { #(#body)* true }),
        }
    }

    pub(super) fn hash(&self, tag: usize) -> TokenStream {
        let pattern = self.pattern("a");
        let body = self.parts.iter().zip(self.names("a")).map(|(part, a)| match part.role {
            _ if part.unhashed => quote!(let _ = #a;),
            Role::Skip | Role::Identity => quote!(let _ = #a;),
            Role::Child => quote!(::tilewright_expr::node::IrNode::node_hash(#a, cx);),
            Role::Bind => quote!(cx.binding(#a);),
            Role::Define => quote!(cx.defining(#a);),
            Role::Scope => quote!(cx.scope(#a);),
        });
        match self.local {
            true => quote!(#pattern => { cx.word(#tag as u64); cx.local(|cx| { #(#body)* }) }),
            false => quote!(#pattern => { cx.word(#tag as u64); #(#body)* }),
        }
    }

    pub(super) fn parts(&self) -> TokenStream {
        let pattern = self.pattern("a");
        let body = self.parts.iter().enumerate().zip(self.names("a")).map(|((i, part), a)| {
            if !part.is_child() {
                return quote!(let _ = #a;);
            }
            match self.step(i, part) {
                None => quote!(::tilewright_expr::node::IrNode::parts(#a, each);),
                Some(name) => quote! {
                    if let ::core::option::Option::Some(part) = ::tilewright_expr::node::IrNode::solid(#a) {
                        each(::tilewright_expr::node::Step::field(#name), part);
                    }
                },
            }
        });
        quote!(#pattern => { #(#body)* })
    }

    pub(super) fn solid(&self) -> TokenStream {
        let pattern = self.pattern("a");
        match self.wrapped() {
            Some(inner) => quote!(#pattern => ::tilewright_expr::node::IrNode::solid(#inner),),
            None => {
                let unused = self.names("a");
                quote!(#pattern => { #(let _ = #unused;)* ::core::option::Option::Some(self) })
            }
        }
    }
}
