"""TLS by the files of a certificate and its key, and what is said of those that cannot be used."""

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.e2e.conftest import Running
from tests.web.conftest import Web

from fugue_tui.errors import FugueError
from fugue_tui.web.certificate import load_certificate

OPENSSL = shutil.which("openssl") or ""
pytestmark = pytest.mark.skipif(not OPENSSL, reason="there is no openssl")


class Files(NamedTuple):
    """A certificate and its key, both in PEM format."""

    certificate: str
    key: str


def openssl(*words: str) -> None:
    """Run openssl."""
    done = subprocess.run((OPENSSL, *words), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def self_signed(directory: Path, name: str) -> Files:
    """A certificate of `localhost` that signs itself."""
    certificate, key = str(directory / f"{name}.pem"), str(directory / f"{name}.key")
    openssl(
        *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"),
        *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"),
        *("-keyout", key, "-out", certificate),
    )
    return Files(certificate, key)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return self_signed(tmp_path_factory.mktemp("tls"), "server")


def said(*given: str) -> str:
    """What is said of files that cannot be used."""
    with pytest.raises(FugueError) as refused:
        load_certificate(*given)
    return str(refused.value)


def test_a_certificate_and_its_key_may_be_in_one_file(files: Files, tmp_path: Path) -> None:
    both = tmp_path / "both.pem"
    both.write_text(Path(files.certificate).read_text() + Path(files.key).read_text())
    assert load_certificate(str(both)).cert_store_stats() is not None
    assert load_certificate(*files).get_ciphers()


def test_a_file_that_is_missing_or_no_file_is_named(files: Files, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    assert said(missing, files.key) == f"{missing}: No such file or directory"
    assert said(files.certificate, missing) == f"{missing}: No such file or directory"
    assert said(str(tmp_path), files.key) == f"{tmp_path}: Is a directory"


def test_files_without_what_they_are_given_for_are_named(files: Files, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_bytes(bytes(range(256)))
    assert said(str(wrong), files.key).startswith(f"{wrong}: no certificate in it; --certificate requires")
    assert said(files.key, files.certificate).startswith(f"{files.key}: no certificate in it")
    assert said(files.certificate, str(wrong)).startswith(f"{wrong}: no private key in it; --key requires")
    assert said(files.certificate) == f"{files.certificate}: no private key in it; give the file of the key by --key"


def test_a_damaged_file_is_named(files: Files, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.pem"
    damaged.write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    assert said(str(damaged), files.key).startswith(f"{damaged} and {files.key}: cannot be used")


def test_a_key_of_another_certificate_is_named(files: Files, tmp_path: Path) -> None:
    other = self_signed(tmp_path, "other")
    assert said(files.certificate, other.key) == (
        f"{other.key}: the key does not belong to the certificate in {files.certificate}"
    )


def test_an_encrypted_key_is_refused_without_a_question(files: Files, tmp_path: Path) -> None:
    encrypted = str(tmp_path / "encrypted.key")
    openssl("pkey", "-in", files.key, "-aes256", "-passout", "pass:secret", "-out", encrypted)
    assert said(files.certificate, encrypted).startswith(f"{encrypted}: the key is encrypted; openssl pkey")


@pytest.mark.slow
@pytest.mark.forked
def test_errors_of_certificates_end_the_command_and_print_no_link(running: Running, files: Files) -> None:
    done = running.shell("web", "--certificate", files.certificate)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"fugue-tui: {files.certificate}: no private key in it; give the file of the key by --key\n"


@pytest.mark.slow
@pytest.mark.forked
def test_pages_are_served_by_tls(running: Running, files: Files) -> None:
    web = Web(running, "--certificate", files.certificate, "--key", files.key)
    assert web.url.startswith("https://127.0.0.1:")
    answer = web.request("POST", "login", content=web.token, headers={"Origin": web.origin})
    assert "; Secure" in answer.headers["set-cookie"]
    assert (
        f"connect-src 'self' wss://{web.origin.removeprefix('https://')};" in answer.headers["content-security-policy"]
    )
    insecure = web.origin.replace("https", "http", 1)
    assert web.request("POST", "login", content="A" * 43, headers={"Origin": insecure}).status_code == 403
    web.host.send("\r")
    web.host.wait_until(lambda: len(web.tokens) == 2)
    with web.page(*web.log_in()) as page:
        page.shows(b"ready")
        page.type(b"typed over TLS\r")
        page.shows(b"typed over TLS")


@pytest.mark.slow
@pytest.mark.forked
def test_with_tls_other_machines_are_told_of_but_not_of_what_they_could_read(running: Running, files: Files) -> None:
    words = ("--bind", "0.0.0.0", "--host", "fugue.example", "--certificate", files.certificate, "--key", files.key)
    web = Web(running, *words)
    assert web.url.startswith("https://fugue.example:")
    text = web.host.received.decode()
    assert "WARNING: other machines can reach this server" in text
    assert "WITHOUT ENCRYPTION" not in text
