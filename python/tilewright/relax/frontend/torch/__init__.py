"""Models of PyTorch: traced by `torch.fx` or exported by `torch.export`. PyTorch is imported when it is needed."""

from .dynamo import dynamo_capture_subgraphs, relax_dynamo
from .exported_program_translator import from_exported_program
from .fx_translator import TorchFXImporter, from_fx

__all__ = ["TorchFXImporter", "dynamo_capture_subgraphs", "from_exported_program", "from_fx", "relax_dynamo"]
