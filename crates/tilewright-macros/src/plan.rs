//! The expansions of `derive(Plan)` and `derive(Choice)`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Error, Expr, ExprLit, Fields, Lit, LitStr, Meta, Result};

/// A field of a plan.
struct Field<'a> {
    ident: &'a syn::Ident,
    ty: &'a syn::Type,
    name: String,
    doc: String,
    range: Option<Expr>,
    power_of_two: bool,
    default: Option<Expr>,
    alias: Option<LitStr>,
}

/// The doc comment as one line.
fn doc(attrs: &[Attribute]) -> String {
    let line = |attr: &Attribute| match &attr.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    };
    attrs.iter().filter_map(line).collect::<Vec<_>>().join(" ")
}

impl<'a> Field<'a> {
    fn of(field: &'a syn::Field) -> Result<Self> {
        let ident = field.ident.as_ref().ok_or_else(|| Error::new_spanned(field, "a plan has named fields"))?;
        let doc = doc(&field.attrs);
        if doc.is_empty() {
            return Err(Error::new_spanned(field, "a field of a plan is documented, with its unit"));
        }
        let name = ident.to_string();
        let mut found =
            Self { ident, ty: &field.ty, name, doc, range: None, power_of_two: false, default: None, alias: None };
        for attr in field.attrs.iter().filter(|attr| attr.path().is_ident("plan")) {
            attr.parse_nested_meta(|meta| {
                if meta.path.is_ident("range") {
                    found.range = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("power_of_two") {
                    found.power_of_two = true;
                } else if meta.path.is_ident("default") {
                    found.default = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("alias") {
                    found.alias = Some(meta.value()?.parse()?);
                } else {
                    return Err(meta.error("expected `range`, `power_of_two`, `default` or `alias`"));
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    fn param(&self) -> TokenStream {
        let name = &self.name;
        let default = match &self.default {
            None => quote!(crate::primitive::Default::Required),
            Some(Expr::Lit(ExprLit { lit: Lit::Bool(value), .. })) => quote!(crate::primitive::Default::Bool(#value)),
            Some(Expr::Lit(ExprLit { lit: Lit::Int(value), .. })) => quote!(crate::primitive::Default::Int(#value)),
            Some(choice) => quote!(crate::primitive::Default::Str(#choice.name())),
        };
        quote!((#name, #default))
    }

    fn checks(&self) -> TokenStream {
        let (ident, name) = (self.ident, &self.name);
        let range = self.range.iter().map(|range| quote!(crate::plan::check_range(#name, #ident, #range)?;));
        let power = self.power_of_two.then(|| quote!(crate::plan::check_power_of_two(#name, #ident)?;));
        quote!(#(#range)* #power)
    }
}

/// The function named by `#[plan(check = …)]` of the struct.
fn check_of(input: &DeriveInput) -> Result<Option<Expr>> {
    let mut check = None;
    for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("plan")) {
        attr.parse_nested_meta(|meta| {
            if !meta.path.is_ident("check") {
                return Err(meta.error("expected `check`"));
            }
            check = Some(meta.value()?.parse()?);
            Ok(())
        })?;
    }
    Ok(check)
}

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else { return Err(Error::new_spanned(input, "a plan is a struct")) };
    let Fields::Named(fields) = &data.fields else { return Err(Error::new_spanned(input, "a plan has named fields")) };
    let fields = fields.named.iter().map(Field::of).collect::<Result<Vec<_>>>()?;
    let ident = &input.ident;
    let idents: Vec<_> = fields.iter().map(|field| field.ident).collect();
    let params = fields.iter().map(Field::param);
    let docs = fields.iter().map(|field| {
        let (name, doc) = (&field.name, &field.doc);
        quote!((#name, #doc))
    });
    let choices = fields.iter().map(|field| {
        let (name, ty) = (&field.name, field.ty);
        quote!((#name, <#ty as crate::plan::PlanField>::CHOICES))
    });
    let aliases = fields.iter().filter_map(|field| {
        let (name, alias) = (&field.name, field.alias.as_ref()?);
        Some(quote!((#alias, #name)))
    });
    let reads = fields.iter().enumerate().map(|(at, field)| {
        let (ident, ty, at) = (field.ident, field.ty, at + 1);
        quote!(let #ident = <#ty as crate::plan::PlanField>::read(call, #at)?;)
    });
    let checks = fields.iter().map(Field::checks);
    let check = check_of(input)?.map(|check| quote!(#check(&found)?;));
    Ok(quote! {
        #[automatically_derived]
        impl crate::plan::Plan for #ident {
            const PARAMS: &'static [(&'static str, crate::primitive::Default)] =
                &[("block", crate::primitive::Default::Required), #(#params),*];
            const DEF: crate::primitive::PlanDef = crate::primitive::PlanDef {
                aliases: &[#(#aliases),*],
                docs: &[#(#docs),*],
                choices: &[#(#choices),*],
            };

            fn of_call(
                call: &crate::primitive::Call<'_>,
            ) -> ::core::result::Result<Self, crate::fault::Fault> {
                #(#reads)*
                #(#checks)*
                let found = Self { #(#idents),* };
                #check
                ::core::result::Result::Ok(found)
            }

            fn attrs(&self) -> ::std::vec::Vec<::tilewright_ir::Attr> {
                ::std::vec![#(crate::plan::PlanField::attr(&self.#idents)),*]
            }
        }
    })
}

/// The text of a variant: `#[choice = "…"]`.
fn name_of(variant: &syn::Variant) -> Result<LitStr> {
    for attr in &variant.attrs {
        if let Meta::NameValue(pair) = &attr.meta
            && pair.path.is_ident("choice")
            && let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value
        {
            return Ok(text.clone());
        }
    }
    Err(Error::new_spanned(variant, "a variant of a choice has a name: #[choice = \"…\"]"))
}

pub(crate) fn expand_choice(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else { return Err(Error::new_spanned(input, "a choice is an enum")) };
    let ident = &input.ident;
    let names = data.variants.iter().map(name_of).collect::<Result<Vec<_>>>()?;
    let variants: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    Ok(quote! {
        #[automatically_derived]
        impl #ident {
            /// As traces write it.
            pub(crate) const fn name(self) -> &'static str {
                match self { #(Self::#variants => #names),* }
            }
        }

        #[automatically_derived]
        impl crate::plan::PlanField for #ident {
            const CHOICES: &'static [&'static str] = &[#(#names),*];

            fn read(
                call: &crate::primitive::Call<'_>,
                at: usize,
            ) -> ::core::result::Result<Self, crate::fault::Fault> {
                crate::plan::choice(call.text(at)?, &[#((#names, Self::#variants)),*])
            }

            fn attr(&self) -> ::tilewright_ir::Attr {
                ::tilewright_ir::Attr::str(self.name())
            }
        }
    })
}
