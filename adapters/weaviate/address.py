"""Where a Weaviate server is."""

from __future__ import annotations

from dataclasses import dataclass, field

from crag.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Address:
    """Both ports of one server; `secure` means TLS on both. The key never shows in a log."""

    host: str
    http_port: int
    grpc_port: int
    secure: bool = False
    api_key: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if self.http_port == self.grpc_port:
            raise SettingsError(
                f"Weaviate can't have one port, {self.http_port}, for both REST and gRPC.",
                advice="Correct CANDOR_WEAVIATE__URL (usually port 8080) or CANDOR_WEAVIATE__GRPC_PORT (50051).",
            )

    def __str__(self) -> str:
        return f"{'https' if self.secure else 'http'}://{self.host}:{self.http_port} (gRPC {self.grpc_port})"
