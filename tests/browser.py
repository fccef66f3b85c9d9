"""Open pages in headless Chromium, and inspect them in tests."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

CHROMIUM, CHROMEDRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
DESKTOP, PHONE = (1280, 900), (390, 844)
# Impacts, as named by axe-core, that make a test fail.
GRAVE = ("serious", "critical")


@contextmanager
def open_browser() -> Iterator[Any]:
    """Start a new browser; skip the test with a message if it is not installed."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    for program in (CHROMIUM, CHROMEDRIVER):
        if not program.exists():
            pytest.skip(f"{program} is missing; install Debian's chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        service = webdriver.ChromeService(executable_path=str(CHROMEDRIVER))
        driver = webdriver.Chrome(options=options, service=service)
        try:
            set_screen(driver)
            # Otherwise a page in the background never gets the focus.
            driver.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
            yield driver
        finally:
            driver.quit()


def set_screen(driver: Any, size: tuple[int, int] = DESKTOP, *, scheme: str = "light") -> None:
    """Set the size of the screen, and the light or dark mode of the system."""
    width, height = size
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def list_grave_faults(driver: Any) -> list[str]:
    """List the violations that axe-core finds; skip the test with a message without axe-core."""
    path = os.environ.get("AXE_CORE")
    if not path:
        pytest.skip("axe-core is missing; set AXE_CORE to axe.min.js of the npm package axe-core")
    driver.execute_script(Path(path).read_text(encoding="utf8"))
    found = driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run().then((result) => done(JSON.stringify(result.violations)));"
    )
    return [
        f"{fault['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for fault in json.loads(found)
        if fault["impact"] in GRAVE
        for node in fault["nodes"]
    ]


class Shown:
    """A page in the browser."""

    def __init__(self, driver: Any, path: Path) -> None:
        self.driver = driver
        driver.get_log("browser")
        driver.get(path.as_uri())
        self.run("localStorage.clear()")

    def run(self, script: str, *args: object) -> Any:
        return self.driver.execute_script(script, *args)

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def count(self, selector: str) -> int:
        return len(self.driver.find_elements("css selector", selector))

    def visible(self, selector: str) -> list[str]:
        found = self.driver.find_elements("css selector", selector)
        return [element.text for element in found if element.is_displayed()]

    def set_score(self, value: float) -> None:
        slider = self.find("#score")
        self.run(
            "arguments[0].value = arguments[1];"
            "arguments[0].dispatchEvent(new Event('input', {bubbles: true}))",
            slider, value,
        )  # fmt: skip
        self.wait(lambda: self.find("#counts").text)

    def wait(self, is_so: Any) -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, 10).until(lambda _: is_so())

    def press(self, *keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()
