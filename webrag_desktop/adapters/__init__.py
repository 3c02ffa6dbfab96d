"""The library as a retriever of other frameworks, a module and an extra for each; see ``docs/integrations.md``."""
