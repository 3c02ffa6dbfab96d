"""Growing the library along links: for a question, or to capture a site."""
