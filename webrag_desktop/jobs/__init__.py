"""The durable work: taking in what the user gives, and the runner that turns it into a searchable library."""
