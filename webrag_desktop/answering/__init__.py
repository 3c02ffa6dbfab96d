"""What an answer needs beyond evidence: a chat model to ask, and the rules that keep it to what was found."""
