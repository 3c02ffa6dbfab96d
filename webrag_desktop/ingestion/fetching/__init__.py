"""Getting pages from the network: safely, politely, and only if they changed."""
