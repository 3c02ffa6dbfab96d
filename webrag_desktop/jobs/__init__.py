"""The durable queue's work: the runner that indexes what was added, and what starts and supervises its process."""
