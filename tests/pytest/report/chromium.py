"""
Chromium without a window, driven over its debugging protocol.

The protocol goes through a pair of pipes, as JSON texts that end in a zero byte, so this needs no
package and no port. Clicks and keys are those that a person would make: what lies above an element
gets them in its place.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Final, Literal, Self

Scheme = Literal["light", "dark"]
"""The colours that the reader likes."""

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
TIMEOUT: Final = 60.0
"""Seconds to wait for anything."""

# The browser reads from descriptor 3 and writes to 4.
LAUNCHER: Final = """\
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for number, end in zip((3, 4), ends): os.dup2(end, number)
os.execv(sys.argv[3], sys.argv[3:])
"""
FLAGS: Final = (
    "--headless",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--no-first-run",
    "--remote-debugging-pipe",
)


def find_chromium() -> str | None:
    """The path of the browser, if there is one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class BrowserError(Exception):
    """The browser did not do what it was told."""


class Chromium:
    """A browser; `with Chromium(path) as browser:` ends it."""

    def __init__(self, path: str):
        self._folder = TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        to_browser, self._output = os.pipe()
        self._input, from_browser = os.pipe()
        # A browser that root starts refuses to run in its own sandbox.
        flags = (*FLAGS, *(("--no-sandbox",) if os.geteuid() == 0 else ()))
        command = (path, *flags, f"--user-data-dir={self._folder.name}", "about:blank")
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, str(to_browser), str(from_browser), *command],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._last_id = 0
        self._pages: dict[str, Page] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        try:
            self._process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._output)
        os.close(self._input)
        self._folder.cleanup()

    def call(self, method: str, session: str = "", **parameters: Any) -> Any:
        """Calls a method of the protocol and returns its result."""
        self._last_id += 1
        number = self._last_id
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._output, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + TIMEOUT
        while True:
            answer = self._read(deadline, method)
            if answer.get("id") == number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _read(self, deadline: float, method: str) -> dict[str, Any]:
        """The next message; events go to their pages on the way."""
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._input], [], [], max(0, deadline - time.monotonic()))
            data = os.read(self._input, 1 << 20) if ready else b""
            if not data:
                raise BrowserError(f"no answer to {method}")
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        page = self._pages.get(message.get("sessionId", ""))
        if page is not None and "method" in message:
            page.notice(message["method"], message["params"])
        return message

    def add(self, page: Page) -> None:
        """Lets a page know what happens in it."""
        self._pages[page.session] = page
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.call(f"{domain}.enable")

    def open(
        self,
        path: Path,
        *,
        width: int = 1500,
        height: int = 900,
        scheme: Scheme = "light",
        before: str = "",
    ) -> Page:
        """Shows a file in a new page, whose first script is `before`."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session, target)
        self.add(page)
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        page.call("Emulation.setDeviceMetricsOverride", **metrics)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        page.call("Emulation.setEmulatedMedia", features=[feature])
        if before:
            page.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        page.call("Page.navigate", url=path.as_uri())
        return page


@dataclass
class Page:
    """A page that is shown."""

    browser: Chromium
    session: str
    target: str
    errors: list[str] = field(default_factory=list[str])
    """What scripts did wrong, and what the browser complained about."""
    requests: list[str] = field(default_factory=list[str])
    """The addresses of all that was asked for."""
    frames: list[str] = field(default_factory=list[str])
    """The sessions of frames that run on their own."""

    def call(self, method: str, **parameters: Any) -> Any:
        return self.browser.call(method, self.session, **parameters)

    def close(self) -> None:
        self.browser.call("Target.closeTarget", targetId=self.target)

    def frame(self) -> Page:
        """What is shown in the only frame of this page, which it must not be able to reach."""
        attach = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
        self.call("Target.setAutoAttach", **attach)
        deadline = time.monotonic() + TIMEOUT
        while not self.frames and time.monotonic() < deadline:
            self.evaluate("new Promise((done) => setTimeout(done, 10))")
        (session,) = self.frames
        frame = Page(self.browser, session, "")
        self.browser.add(frame)
        return frame

    def notice(self, event: str, parameters: Mapping[str, Any]) -> None:
        """Takes down an event."""
        match event:
            case "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                self.errors.append(details.get("exception", details).get("description", "error"))
            case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "assert"):
                self.errors.append(str(parameters["args"]))
            case "Log.entryAdded" if parameters["entry"]["level"] == "error":
                self.errors.append(parameters["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Target.attachedToTarget":
                self.frames.append(parameters["sessionId"])
            case _:
                pass

    def evaluate(self, expression: str) -> Any:
        """The value of an expression."""
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in result:
            raise BrowserError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, expression: str) -> Any:
        """The value of an expression as soon as there is one that counts as true."""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            # Elements have no value on this side.
            if value := self.evaluate(f"((it) => it instanceof Node || it)({expression})"):
                return value
            time.sleep(0.01)
        raise BrowserError(f"this did not come true: {expression}; {self.errors}")

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements that a selector finds."""
        quoted = json.dumps(selector)
        return self.evaluate(
            f"Array.from(document.querySelectorAll({quoted}), (each) => each.textContent)"
        )

    def _middle(self, element: str) -> tuple[float, float]:
        """Where an element is that an expression gives, at the left of its middle."""
        box = self.wait(
            f"(() => {{ const element = {element}; if (!element) return null;"
            "element.scrollIntoView({block: 'nearest', inline: 'nearest'});"
            "const box = element.getBoundingClientRect();"
            "const x = box.x + Math.min(box.width / 2, 60);"
            "return box.width && [x, box.y + box.height / 2]; })()"
        )
        return box[0], box[1]

    def point(self, element: str) -> None:
        """Moves the pointer onto an element."""
        x, y = self._middle(element)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, element: str) -> None:
        """Clicks on an element, given by a selector or an expression in brackets."""
        if not element.startswith("("):
            element = f"(document.querySelector({json.dumps(element)}))"
        x, y = self._middle(element)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = "none" if kind == "mouseMoved" else "left"
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1)

    def type(self, text: str) -> None:
        """Types into what has the focus."""
        self.call("Input.insertText", text=text)

    def press(self, key: str) -> None:
        """Presses a key that has a name or a character."""
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def screenshot(self) -> bytes:
        """What the page looks like, as PNG."""
        return b64decode(self.call("Page.captureScreenshot", format="png")["data"])
