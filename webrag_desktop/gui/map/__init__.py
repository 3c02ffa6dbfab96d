"""The Map: how a question's answer was looked for from page to page, and how the library's own pages link."""
