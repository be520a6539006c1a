"""The desk: decides who may ask, what is searched, how much at once, and what is remembered. It knows no platform."""

from bot.desk.desk import FrontDesk
from bot.desk.opening import Office, open_desk, open_office

__all__ = ["FrontDesk", "Office", "open_desk", "open_office"]
