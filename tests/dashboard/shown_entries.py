"""The widgets that show settings, on a page under test."""

from streamlit.testing.v1 import AppTest


def key(at: AppTest, name: str) -> str:
    """Of the widget that shows a setting now: where it was changed from elsewhere, that is another one."""
    version = at.session_state["settings: versions"].get(name, 0)
    return f"entry: {name}, {version}" if version else f"entry: {name}"
