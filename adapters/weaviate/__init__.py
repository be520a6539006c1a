"""The store: search, generations, tenants, and the server that embedded mode starts. Imports nothing here, so that the
supervisor process stays small."""
