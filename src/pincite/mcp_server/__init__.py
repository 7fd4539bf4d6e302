"""Serves the tools over the Model Context Protocol: both eras, stdio and Streamable HTTP.

``server`` puts the handlers together; ``stdio`` and ``http`` carry it. No handler decides
anything and none keeps an identity: each call is read by ``wire``, asked of the service with
the caller's credential, and written by ``wire``.
"""
