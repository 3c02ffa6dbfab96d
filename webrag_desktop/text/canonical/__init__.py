"""The one form in which texts are compared: what reads the same is the same in it, and each place leads back."""
