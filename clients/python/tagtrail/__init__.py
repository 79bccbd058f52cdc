from .client import Client, is_alert, is_move
from .errors import FeedExpiredError, TagtrailError, UnexpectedAnswerError
from .rows import rows

__all__ = [
    "Client",
    "FeedExpiredError",
    "TagtrailError",
    "UnexpectedAnswerError",
    "is_alert",
    "is_move",
    "rows",
]
