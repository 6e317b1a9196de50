//! Saving and loading.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::shape::{Layout, Role, Shape};

impl Shape {
    /// The variables of the fields that are saved.
    fn kept(&self, prefix: &str) -> Vec<Ident> {
        let all = self.parts.iter().zip(self.names(prefix));
        all.filter(|(part, _)| part.role != Role::Identity).map(|(_, name)| name).collect()
    }

    pub(super) fn save(&self) -> TokenStream {
        let pattern = self.pattern("a");
        let (name, kept) = (&self.name, self.kept("a"));
        let unused = self.parts.iter().zip(self.names("a")).filter(|(part, _)| part.role == Role::Identity);
        let unused = unused.map(|(_, a)| quote!(let _ = #a;));
        let body = match self.layout() {
            Layout::Nothing => return quote!(#pattern => out.text(#name),),
            Layout::One => quote!(#(::tilewright_expr::node::IrNode::save(#kept, out);)*),
            Layout::List => quote! {
                out.open('[');
                #(out.item(); ::tilewright_expr::node::IrNode::save(#kept, out);)*
                out.close(']');
            },
            Layout::Object(keys) => quote! {
                out.open('{');
                #(out.key(#keys); ::tilewright_expr::node::IrNode::save(#kept, out);)*
                out.close('}');
            },
        };
        let body = if self.variant { quote!(out.open('{'); out.key(#name); #body out.close('}');) } else { body };
        quote!(#pattern => { #(#unused)* #body })
    }

    /// Makes the shape from the value `input`.
    fn load(&self) -> TokenStream {
        let (rebuilt, name, kept) = (self.pattern("b"), &self.name, self.kept("b"));
        let count = kept.len();
        let inputs: Vec<Ident> = (0..count).map(|i| format_ident!("input{i}")).collect();
        let split = match self.layout() {
            Layout::Nothing => return quote!(::core::result::Result::Ok(#rebuilt)),
            Layout::One => quote!(#(let #inputs = input;)*),
            Layout::List => quote!(let [#(#inputs),*] = input.tuple::<#count>(#name)?;),
            Layout::Object(keys) => quote!(let [#(#inputs),*] = input.fields(#name, [#(#keys),*])?;),
        };
        let fresh = self.parts.iter().zip(self.names("b")).filter(|(part, _)| part.role == Role::Identity);
        let fresh = fresh.map(|(_, b)| quote!(let #b = ::tilewright_expr::node::VarId::fresh();));
        quote! {
            #split
            #(let #kept = ::tilewright_expr::node::IrNode::load(#inputs, cx)?;)*
            #(#fresh)*
            ::core::result::Result::Ok(#rebuilt)
        }
    }
}

/// The body of `load`.
pub(super) fn load(ident: &Ident, shapes: &[Shape]) -> TokenStream {
    if let [shape] = shapes
        && !shape.variant
    {
        return shape.load();
    }
    let names: Vec<&String> = shapes.iter().map(|shape| &shape.name).collect();
    let arms = shapes.iter().map(|shape| {
        let (name, load) = (&shape.name, shape.load());
        match shape.layout() {
            Layout::Nothing => quote!(#name => { variant.alone()?; #load }),
            _ => quote!(#name => { let input = variant.body()?; #load }),
        }
    });
    let what = ident.to_string();
    quote! {
        let variant = input.variant()?;
        match &*variant.name {
            #(#arms)*
            _ => variant.unknown(#what, &[#(#names),*]),
        }
    }
}
