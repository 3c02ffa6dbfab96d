"""Model servers over HTTP: one client, one retry policy, one classification of failures, for embedding and for chat."""
