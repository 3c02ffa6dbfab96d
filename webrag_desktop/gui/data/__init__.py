"""What views show: plain, frozen data that operations make from the core's answers."""
