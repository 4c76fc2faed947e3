"""Who may release, raise a budget and correct the ledger: where a login is configured, those who were named."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import streamlit as st

from dpbi.dashboard.session import options


def login_is_configured() -> bool:
    """Whether Streamlit's secrets have a section [auth]."""
    return "is_logged_in" in st.user.to_dict()


class _Known(NamedTuple):
    """Whoever is logged in. by_address: whether the name is an address that the login verified."""

    name: str = ""
    by_address: bool = False


def _known() -> _Known:
    """By the claims of the identity token, which Streamlit's cookie holds for the session.

    An address that is not said to be verified may be anybody's. Issuer and subject are the only claims that tell
    people apart for certain (OpenID Connect Core 1.0, section 5.7); a subject alone may be another's at another issuer.
    """
    claims: Mapping[str, Any] = st.user.to_dict()
    if claims.get("is_logged_in") is not True:
        return _Known()
    verified = claims.get("email_verified")  # some write it as text
    if claims.get("email") and (verified is True or verified == "true"):
        return _Known(str(claims["email"]), by_address=True)
    return _Known("#".join(str(claims[name]) for name in ("iss", "sub") if claims.get(name)))


def name() -> str:
    """Of whoever is logged in: the address that the login verified, else issuer and subject; empty without."""
    return _known().name


def known_as() -> str:
    """Which of them it is, in a sentence; empty without a login."""
    here = _known()
    if not here.name:
        return ""
    if here.by_address:
        return f"You are logged in as {here.name}, the address that the login has verified."
    return (f"You are logged in as {here.name}: issuer and subject of the login, which gives no address that it says "
            "is verified. By this --stewards must name you.")


def may_look() -> bool:
    """Whether the ledger's entries may be shown: where a login is configured, to whoever is logged in."""
    return not login_is_configured() or bool(name())


def refusal() -> str:
    """Why whoever looks at the page may not release, raise or correct; empty where they may."""
    named, here = options.stewards(), _known()
    if not login_is_configured():
        return "" if not named else (
            "Only those named may release, raise a budget or correct the ledger, and no login is configured by which "
            "they could be known: configure one in Streamlit's secrets, section auth.")
    if not here.name:
        return "Log in first: only those named may release, raise a budget or correct the ledger."
    known = here.name in named or (here.by_address and here.name.casefold() in {one.casefold() for one in named})
    if not known:
        return (f"{here.name} is not among those who may release, raise a budget or correct the ledger. They are named "
                "when the app is started, with --stewards.")
    return ""


def offer_login() -> None:
    """The way in, where a login is configured and nobody is logged in: one for each provider that has a name."""
    if login_is_configured() and not name():
        for provider in _providers():
            st.button(f"Log in with {provider}" if provider else "Log in", on_click=st.login, args=(provider,),
                      key=f"log in: {provider}")  # fmt: skip


def _providers() -> list[str | None]:
    """As Streamlit's secrets have them: None is the one without a name."""
    found: list[str | None] = []
    with suppress(FileNotFoundError, KeyError):
        auth: Mapping[str, Any] = st.secrets["auth"]
        found = [None] if "client_id" in auth else []
        found += [name for name, section in auth.items() if isinstance(section, Mapping)]
    return found or [None]
