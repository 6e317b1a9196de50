//! The expansion of `derive(IrNode)`.

mod saved;
mod shape;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Result};

use shape::{Shape, shapes};

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let ident = &input.ident;
    let shapes = shapes(input)?;
    let visit = shapes.iter().map(Shape::visit);
    let map = shapes.iter().map(Shape::map);
    let equal = shapes.iter().map(Shape::equal);
    let hash = shapes.iter().enumerate().map(|(tag, shape)| shape.hash(tag));
    let parts = shapes.iter().map(Shape::parts);
    let save = shapes.iter().map(Shape::save);
    let load = saved::load(ident, &shapes);
    let otherwise = (shapes.len() > 1).then(|| quote!(_ => cx.differ(),));
    let solid = shapes.iter().any(|shape| shape.wrapped().is_some()).then(|| {
        let solid = shapes.iter().map(Shape::solid);
        quote! {
            fn solid(&self) -> ::core::option::Option<&dyn ::tilewright_expr::node::IrNode> {
                match self { #(#solid)* }
            }
        }
    });
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
            fn parts<'n>(
                &'n self,
                each: &mut dyn ::core::ops::FnMut(
                    ::tilewright_expr::node::Step,
                    &'n dyn ::tilewright_expr::node::IrNode,
                ),
            ) {
                let _ = &each;
                match self { #(#parts)* }
            }
            #solid
            fn save(&self, out: &mut ::tilewright_expr::node::Saver) {
                match self { #(#save)* }
            }
            fn load(
                input: ::tilewright_expr::node::Input<'_>,
                cx: &mut ::tilewright_expr::node::Loader<'_>,
            ) -> ::core::result::Result<Self, ::tilewright_expr::node::LoadError> {
                let _ = &cx;
                #load
            }
        }
    })
}
