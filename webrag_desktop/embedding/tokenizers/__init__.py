"""What counts tokens: the embedded model's, OpenAI's, and those of HuggingFace."""
