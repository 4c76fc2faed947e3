"""Who may release, raise a budget and correct the ledger: where a login is configured, those who were named."""

import streamlit as st

from dpbi.dashboard.session import options


def login_is_configured() -> bool:
    """Whether Streamlit's secrets have a section [auth]."""
    return "is_logged_in" in st.user.to_dict()


def name() -> str:
    """Of whoever is logged in, as the login gives it; empty without. An address that its provider did not verify may be
    anybody's: the provider's own mark of the person stands for it.
    """
    known = st.user.to_dict()
    if not known.get("is_logged_in"):
        return ""
    verified = known.get("email_verified", True) not in (False, "false")
    return str((verified and known.get("email")) or known.get("sub") or "")


def refusal() -> str:
    """Why whoever looks at the page may not release, raise or correct; empty where they may."""
    named, here = options.stewards(), name()
    if not login_is_configured():
        return "" if not named else (
            "Only those named may release, raise a budget or correct the ledger, and no login is configured by which "
            "they could be known: configure one in Streamlit's secrets, section auth.")
    if not here:
        return "Log in first: only those named may release, raise a budget or correct the ledger."
    if here.casefold() not in {one.casefold() for one in named}:
        return (f"{here} is not among those who may release, raise a budget or correct the ledger. They are named when "
                "the app is started, with --stewards.")
    return ""


def offer_login() -> None:
    """The way in, where a login is configured and nobody is logged in."""
    if login_is_configured() and not name():
        st.button("Log in", on_click=st.login)
