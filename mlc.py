"""`import mlc` is `import mlc_compiler`; `TORCH_LOGS="+mlc"` is for PyTorch the log of a module, which is this one."""

from mlc_compiler import __dir__, __getattr__

__all__ = ["__dir__", "__getattr__"]
