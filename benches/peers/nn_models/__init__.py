"""The models of the table as modules of `relax.frontend.nn`, with the names of weights of their twins in PyTorch."""
