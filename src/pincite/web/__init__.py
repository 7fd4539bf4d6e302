"""The web app: pages for people, made on the server; they run no script and load nothing of others.

``routes`` takes requests, ``views`` asks the service and makes ``pages``, which templates show.
"""
