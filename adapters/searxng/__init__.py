"""The room of SearXNG: web search."""

from adapters.searxng.retriever import SearxngRetriever

__all__ = ["SearxngRetriever"]
