"""Chat with coding agents that speak the Agent Client Protocol, in a notebook cell."""
