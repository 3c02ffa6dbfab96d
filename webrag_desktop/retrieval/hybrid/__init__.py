"""Documents and evidence for one set of preferences, as programs that answer questions need them."""
