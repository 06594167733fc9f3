"""What a view holds: all sessions of this machine, and the services that answer questions about them."""
