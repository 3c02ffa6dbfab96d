"""Chat servers: one HTTP client, the protocols of OpenAI and Ollama, replies whole and in pieces, and how they fail."""
