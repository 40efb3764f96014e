"""What runs in production: the matcher, what it explains, and what it saves."""
