//! Ops of images.

mod interpolation;
mod resized;

family! {
    grid_sample,
    resize2d,
}
