"""The JSON contract that servers and the client share; it decides nothing.

``tools`` is the list of tools with their schemas, ``calls`` reads arguments into values,
``results`` writes values as results, ``errors`` carries refusals both ways.
"""
