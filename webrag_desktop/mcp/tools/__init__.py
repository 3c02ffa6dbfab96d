"""The tools that a client is offered, a module for each."""
