"""The support day: a published study's experiment, played on the real product."""
