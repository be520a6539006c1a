"""Fixtures for all tests."""

from tests.servers.ollama import ollama
from tests.servers.weaviate import weaviate_collection, weaviate_server

__all__ = ["ollama", "weaviate_collection", "weaviate_server"]
