"""What the program runs on, and looking after the library: dialogs and strips."""
