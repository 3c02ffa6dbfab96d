"""Documents and evidence for one set of preferences: what another program that answers questions asks for."""
