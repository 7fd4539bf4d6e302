"""For those who build agents: calls, connections and a ledger of what an agent cited.

Everything here works with any server that offers the four core tools under their names;
what Pincite offers beyond them is used where it is there.
"""
