"""Slack: what happens there -> a question at the desk, a reply -> blocks in the thread."""

from adapters.slack.bot import SlackBot, slack_bot
from adapters.slack.checkup import look_over

__all__ = ["SlackBot", "look_over", "slack_bot"]
