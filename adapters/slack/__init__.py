"""Slack: what happens there -> a question at the desk, a reply -> blocks in the thread."""

from adapters.slack.bot import SlackBot, slack_bot

__all__ = ["SlackBot", "slack_bot"]
