"""Growing the library along links: for a question until it is answered, or to capture a site."""
