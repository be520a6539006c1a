"""The engine: Corrective RAG (Yan et al. 2024, arXiv:2401.15884). It knows no platform, no vendor, no environment."""
