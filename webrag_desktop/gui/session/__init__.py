"""The open library as the window uses it: work in the background, failures, what can be taken back."""
