"""The certificate of the server, from files that the user gives."""

import ssl
from pathlib import Path
from typing import Final

from fugue_tui.errors import FugueError

LARGEST: Final = 1 << 20
"""Most bytes of a file."""
_CERTIFICATE: Final = "-----BEGIN CERTIFICATE-----"
_KEY: Final = "PRIVATE KEY-----"


def load_certificate(certificate: str, key: str = "") -> ssl.SSLContext:
    """A certificate chain with its key, which is in the same file if none is given. Raises FugueError."""
    if _CERTIFICATE not in _text(certificate):
        raise FugueError(f"{certificate}: no certificate in it; --certificate requires a file in PEM format")
    if _KEY not in _text(key or certificate):
        raise FugueError(
            f"{key}: no private key in it; --key requires a file in PEM format"
            if key
            else f"{certificate}: no private key in it; give the file of the key by --key"
        )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key or None, password=lambda: _refuse(key or certificate))
    except ssl.SSLError as error:
        raise FugueError(_reason(error, certificate, key)) from None
    return context


def _text(file: str) -> str:
    """The content of a file. Raises FugueError."""
    try:
        with Path(file).open("rb") as opened:
            return opened.read(LARGEST).decode("ascii", "replace")
    except (OSError, ValueError) as error:
        raise FugueError(f"{file}: {getattr(error, 'strerror', None) or error}") from None


def _refuse(file: str) -> str:
    raise FugueError(f"{file}: the key is encrypted; openssl pkey -in {file} -out FILE writes one that is not")


def _reason(error: ssl.SSLError, certificate: str, key: str) -> str:
    if error.reason == "KEY_VALUES_MISMATCH":
        return f"{key or certificate}: the key does not belong to the certificate in {certificate}"
    files = " and ".join(filter(None, (certificate, key)))
    return f"{files}: cannot be used as a certificate with its key: {error.reason or error}"
