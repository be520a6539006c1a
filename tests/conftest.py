"""Fixtures for all tests."""

from tests.servers.weaviate import weaviate_collection, weaviate_server

__all__ = ["weaviate_collection", "weaviate_server"]
