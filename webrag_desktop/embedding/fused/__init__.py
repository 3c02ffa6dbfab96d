"""The embedded model rewritten into operators that compute with its 8-bit weights as they are stored."""
