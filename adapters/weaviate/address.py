"""Where a Weaviate server is."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Address:
    """Both ports of one server; `secure` means TLS on both. The key never shows in a log."""

    host: str
    http_port: int
    grpc_port: int
    secure: bool = False
    api_key: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"{'https' if self.secure else 'http'}://{self.host}:{self.http_port} (gRPC {self.grpc_port})"
