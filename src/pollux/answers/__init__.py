"""Every JSON answer of the commands, made in one place. It imports the library and what lies below; views import it."""
