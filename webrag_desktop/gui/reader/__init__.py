"""The reader: one stored text with what is cited, matched or found in it marked, exactly."""
