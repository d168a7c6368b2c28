"""Serving in the background: it starts, it stops, and it says so when it cannot."""

from __future__ import annotations

import socket
import threading

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from device.errors import UserError
from device.screen.server import serve


def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


APP = Starlette(routes=[Route("/", hello)])


def test_it_serves_on_loopback_until_it_is_stopped() -> None:
    with serve(APP, port=0) as serving:
        assert serving.url == f"http://127.0.0.1:{serving.port}"
        assert httpx.get(serving.url).text == "hello"
    with pytest.raises(httpx.ConnectError):
        httpx.get(serving.url)


def test_its_thread_ends_and_the_port_is_free_again() -> None:
    before = set(threading.enumerate())
    first = serve(APP, port=0)
    first.stop()
    first.stop()
    assert set(threading.enumerate()) <= before
    with serve(APP, port=first.port) as again:
        assert httpx.get(again.url).text == "hello"


def test_a_port_in_use_is_one_clear_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=rf"port {port} on 127.0.0.1 is in use.*--port") as e:
            serve(APP, port=port)
    assert "\n" not in str(e.value)


@pytest.mark.parametrize(("host", "port", "told"), [("127.0.0.1", 70000, "65535"), ("203.0.113.7", 0, "--host")])
def test_an_impossible_address_is_one_clear_line(host: str, port: int, told: str) -> None:
    with pytest.raises(UserError, match=told):
        serve(APP, host, port)
