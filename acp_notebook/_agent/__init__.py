"""The agent's side of the house: its process, the wire, and the JSON-RPC peer that speaks over it."""
