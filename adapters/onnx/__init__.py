"""The models that come with Candor, on onnxruntime: no hub, no torch, CPU only."""

from adapters.onnx.embedder import OnnxEmbedder
from adapters.onnx.grader import OnnxGrader

__all__ = ["OnnxEmbedder", "OnnxGrader"]
