//! The expansion of `derive(IrNode)`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Field, Fields, Result, spanned::Spanned};

/// What a field is to its node.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Child,
    Bind,
    Define,
    Skip,
}

fn role(field: &Field) -> Result<Role> {
    let mut role = Role::Child;
    for attribute in field.attrs.iter().filter(|a| a.path().is_ident("ir")) {
        attribute.parse_nested_meta(|meta| {
            role = match () {
                () if meta.path.is_ident("bind") => Role::Bind,
                () if meta.path.is_ident("define") => Role::Define,
                () if meta.path.is_ident("skip") => Role::Skip,
                () => return Err(meta.error("expected `bind`, `define` or `skip`")),
            };
            Ok(())
        })?;
    }
    Ok(role)
}

/// One struct, or one variant of an enum: how to match it and the parts of its four traversals.
struct Shape {
    /// `Self::Variant` or `Self`.
    path: TokenStream,
    fields: Fields,
    /// The variant's name, which a mismatch reports.
    name: String,
}

impl Shape {
    /// A pattern that binds field `i` to `{prefix}{i}`.
    fn pattern(&self, prefix: &str) -> TokenStream {
        let path = &self.path;
        let names = self.names(prefix);
        match &self.fields {
            Fields::Named(named) => {
                let fields = named.named.iter().map(|f| &f.ident);
                quote!(#path { #(#fields: #names),* })
            }
            Fields::Unnamed(_) => quote!(#path(#(#names),*)),
            Fields::Unit => quote!(#path),
        }
    }

    fn names(&self, prefix: &str) -> Vec<Ident> {
        (0..self.fields.len()).map(|i| format_ident!("{prefix}{i}")).collect()
    }

    fn visit(&self) -> Result<TokenStream> {
        let pattern = self.pattern("a");
        let mut body = TokenStream::new();
        for (field, a) in self.fields.iter().zip(self.names("a")) {
            body.extend(match role(field)? {
                Role::Skip => quote!(let _ = #a;),
                _ => quote!(::tilewright_expr::node::IrNode::visit_children(#a, visitor);),
            });
        }
        Ok(quote!(#pattern => { #body }))
    }

    fn map(&self) -> Result<TokenStream> {
        let pattern = self.pattern("a");
        let rebuilt = self.pattern("b");
        let children = self.fields.iter().map(role).filter(|role| !matches!(role, Ok(Role::Skip))).count();
        let (mut mapping, mut finishing, mut changed) = (TokenStream::new(), TokenStream::new(), Vec::new());
        for ((field, a), b) in self.fields.iter().zip(self.names("a")).zip(self.names("b")) {
            let map = quote!(::tilewright_expr::node::IrNode::map_children(#a, mapper));
            match role(field)? {
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
            return Ok(quote!(#pattern => { #(let _ = #unused;)* ::core::option::Option::None }));
        }
        let unchanged =
            (!changed.is_empty()).then(|| quote!(if #(#changed.is_none())&&* { return ::core::option::Option::None; }));
        Ok(quote!(#pattern => {
            #mapping
            #unchanged
            #finishing
            ::core::option::Option::Some(#rebuilt)
        }))
    }

    fn equal(&self) -> Result<TokenStream> {
        let (left, right) = (self.pattern("a"), self.pattern("b"));
        let mut body = TokenStream::new();
        for (i, ((field, a), b)) in self.fields.iter().zip(self.names("a")).zip(self.names("b")).enumerate() {
            let name = field.ident.as_ref().map_or_else(|| i.to_string(), Ident::to_string);
            let name = format!("{}.{name}", self.name);
            body.extend(match role(field)? {
                Role::Skip => quote!(let _ = (#a, #b);),
                Role::Child => quote!(if !cx.field(#name, #a, #b) { return false; }),
                Role::Bind => quote!(if !cx.binding(#name, #a, #b) { return false; }),
                Role::Define => quote!(if !cx.defining(#name, #a, #b) { return false; }),
            });
        }
        Ok(quote!((#left, #right) => { #body true }))
    }

    fn hash(&self, tag: usize) -> Result<TokenStream> {
        let pattern = self.pattern("a");
        let mut body = TokenStream::new();
        for (field, a) in self.fields.iter().zip(self.names("a")) {
            body.extend(match role(field)? {
                Role::Skip => quote!(let _ = #a;),
                Role::Child => quote!(::tilewright_expr::node::IrNode::node_hash(#a, cx);),
                Role::Bind => quote!(cx.binding(#a);),
                Role::Define => quote!(cx.defining(#a);),
            });
        }
        Ok(quote!(#pattern => { cx.word(#tag as u64); #body }))
    }
}

fn shapes(input: &DeriveInput) -> Result<Vec<Shape>> {
    let name = input.ident.to_string();
    match &input.data {
        Data::Struct(data) => Ok(vec![Shape { path: quote!(Self), fields: data.fields.clone(), name }]),
        Data::Enum(data) => Ok(data
            .variants
            .iter()
            .map(|variant| {
                let ident = &variant.ident;
                Shape { path: quote!(Self::#ident), fields: variant.fields.clone(), name: ident.to_string() }
            })
            .collect()),
        Data::Union(data) => Err(syn::Error::new(data.union_token.span(), "a union is no IR node")),
    }
}

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let ident = &input.ident;
    let shapes = shapes(input)?;
    let visit = shapes.iter().map(Shape::visit).collect::<Result<Vec<_>>>()?;
    let map = shapes.iter().map(Shape::map).collect::<Result<Vec<_>>>()?;
    let equal = shapes.iter().map(Shape::equal).collect::<Result<Vec<_>>>()?;
    let hash = shapes.iter().enumerate().map(|(tag, shape)| shape.hash(tag)).collect::<Result<Vec<_>>>()?;
    let otherwise = (shapes.len() > 1).then(|| quote!(_ => cx.differ(),));
    Ok(quote! {
        #[automatically_derived]
        impl ::tilewright_expr::node::IrNode for #ident {
            fn visit_children(&self, visitor: &mut dyn ::tilewright_expr::node::Visitor) {
                let _ = &visitor;
                match self { #(#visit)* }
            }
            fn map_children(&self, mapper: &mut dyn ::tilewright_expr::node::Mapper) -> ::core::option::Option<Self> {
                let _ = &mapper;
                match self { #(#map)* }
            }
            fn node_eq(&self, other: &Self, cx: &mut ::tilewright_expr::node::EqCx) -> bool {
                match (self, other) { #(#equal)* #otherwise }
            }
            fn node_hash(&self, cx: &mut ::tilewright_expr::node::HashCx) {
                match self { #(#hash)* }
            }
        }
    })
}
