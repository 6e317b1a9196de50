"""The models of the table in PyTorch, at their published sizes. Weights are drawn by `row.draw`."""
