"""The state of the servers, backups, checks and repairs: dialogs and strips."""
