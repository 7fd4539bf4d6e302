"""What ends an experiment."""


class DisagreementError(Exception):
    """Pincite and the truth disagree: a defect, and the end of the experiment."""
