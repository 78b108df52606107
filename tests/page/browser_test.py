#!/usr/bin/python3
"""Pages as `headlight page` writes them, in a real browser (chromium): what they compute, and what keyboard and mouse do in them.

    HEADLIGHT=build/release/app/headlight tests/page/browser_test.py [--pictures DIR] [NAME...]

--pictures: screenshots of every size and theme, to look at. NAME: only the tests whose names contain one of these."""
import argparse
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

import numpy
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("HEADLIGHT", str(ROOT / "build/release/app/headlight"))
LESSONS = ROOT / "assets/lessons"
WORDS = ROOT / "assets/examples/words"
GAVE = "When Ann and Tom went out , Tom gave the key to"
SIZES = ((360, 740), (1280, 800), (3840, 2160))
BOUND = 1e-5  # of a stage's largest number
HOSTILE = ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</script><style>*{display:none}</style>", "\u202eevil", "x" * 300,
           "<!--", "javascript:alert(1)", "שלום"]
# What would run, or load something, as HTML, as an attribute, as a template or as JSON in a script.
ATTACKS = [form.replace("RUN", run) for run in ("window.hit=1", "top.hit=1//") for form in (
    "<script>RUN</script>", "<img src=x onerror=RUN>", "<svg onload=RUN>", "<body onload=RUN>", "<iframe srcdoc='<script>RUN</script>'>",
    "<a href=javascript:RUN>x</a>", "'\"><script>RUN</script>", "</title><script>RUN</script>", "</textarea><script>RUN</script>",
    "<math><mtext><script>RUN</script>", "<details open ontoggle=RUN>", "<input autofocus onfocus=RUN>", "<video><source onerror=RUN>",
    "<object data=javascript:RUN>", "<embed src=javascript:RUN>", "<meta http-equiv=refresh content='0;url=javascript:RUN'>",
    "<base href=//example.org>RUN", "<link rel=stylesheet href=//example.org/RUN>", "<style>@import '//example.org/RUN'</style>",
    "<form action=javascript:RUN><button>x", "${RUN}", "{{RUN}}", "\\u003cscript\\u003eRUN\\u003c/script\\u003e",
    "&lt;script&gt;RUN&lt;/script&gt;", "</script><script>RUN</script>")]


def session_of(tokens, d_in=3, heads=4, d_out=8, title="Four heads", **attention):
    numbers = numpy.random.default_rng(3)
    return {"format": "headlight-session", "version": 1, "title": title, "notes": "", "tokens": tokens,
            "embeddings": numbers.normal(0, 1, (len(tokens), d_in)).round(2).tolist(),
            "attention": {"projection": "linear", "d_out": d_out, "num_heads": heads, "mask": "causal", **attention},
            "weights": {"init": "linear", "seed": 3}}


class Place:
    """A folder of pages, and the browser that opens them."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.look()

    def close(self):
        self.browser.quit()

    def look(self, size=SIZES[1], theme="light"):
        self.command("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def command(self, name, **values):
        return self.browser.execute_cdp_cmd(name, values)

    def saved(self, session):
        """A file of a session that is given as JSON; a file or a folder as it is."""
        if isinstance(session, pathlib.Path):
            return session
        file = self.folder / f"session{len(list(self.folder.iterdir()))}.headlight"
        file.write_text(json.dumps(session))
        return file

    def write(self, session, *options):
        file = self.folder / f"page{len(list(self.folder.iterdir()))}.html"
        subprocess.run([PROGRAM, "page", str(self.saved(session)), "-o", str(file), *options], check=True, stdout=subprocess.DEVNULL)
        return file

    def open(self, session, *options, ready="live"):
        file = self.write(session, *options)
        self.messages()
        self.browser.get(file.as_uri())
        WebDriverWait(self.browser, 20).until(lambda browser: browser.execute_script("return document.documentElement.dataset.ready") == ready)
        return file

    def messages(self):
        """What the browser complained of since it was asked last."""
        return [entry["message"] for entry in self.browser.get_log("browser")]

    def requests(self):
        """The addresses that were asked for, and not refused by the page's own policy."""
        events = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        refused = {one["params"]["requestId"] for one in events if one["method"] == "Network.loadingFailed" and one["params"].get("blockedReason") == "csp"}
        return [one["params"]["request"]["url"] for one in events if one["method"] == "Network.requestWillBeSent" and one["params"]["requestId"] not in refused]

    def js(self, text, *values):
        return self.browser.execute_script(text, *values)

    def session(self):
        return self.js("return window.headlight.session()")

    def stages(self):
        # As text: the driver has no infinity.
        text = self.js("return JSON.stringify(window.headlight.stages(), (_, v) => typeof v === 'number' && !Number.isFinite(v) ? String(v) : v)")
        return {name: numpy.array(numbers, dtype=object).astype(float) for name, numbers in json.loads(text).items()}

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector):
        # In the middle of the window, where nothing covers it.
        self.js("arguments[0].scrollIntoView({block: 'center'})", self.find(selector))
        ActionChains(self.browser).move_to_element(self.find(selector)).click().perform()

    def press(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()

    def agrees(self, session, what):
        """The page's stages are those of `headlight compute`."""
        file = self.folder / "computed.npz"
        subprocess.run([PROGRAM, "compute", str(self.saved(session)), "-o", str(file), "--force"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        expected, actual = dict(numpy.load(file)), self.stages()
        check(set(actual) == set(expected), f"{what}: the page has {sorted(actual)}, the program {sorted(expected)}")
        for name, numbers in expected.items():
            numbers, own = numbers.astype(float), actual[name]
            finite = numpy.isfinite(numbers)
            check(own.shape == numbers.shape, f"{what}: {name} is {own.shape}, expected {numbers.shape}")
            check(bool((numpy.isfinite(own) == finite).all()), f"{what}: {name} is not finite elsewhere")
            largest = max(1e-30, numpy.abs(numbers[finite]).max(initial=0))
            worst = numpy.abs(own[finite] - numbers[finite]).max(initial=0) / largest
            check(worst <= BOUND, f"{what}: {name} differs by {worst:.2g} of its largest number")


    def agrees_with_model(self, folder, text, what):
        """What the page's run() gives for a text is what `headlight compute` does."""
        file = self.folder / "model.npz"
        subprocess.run([PROGRAM, "compute", str(folder), "--text", text, "-o", str(file), "--force"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        expected, made = numpy.load(file), self.js("return window.headlight.run(arguments[0])", text)
        check(set(made) == {"tokens", "weights", "next"}, f"{what}: run() gives {sorted(made)}")
        check(len(made["tokens"]) == len(expected["ids"]), f"{what}: there are {len(made['tokens'])} tokens")
        for layer, weights in enumerate(made["weights"]):
            worst = numpy.abs(numpy.array(weights) - expected[f"layers.{layer}.weights"]).max()
            check(worst <= BOUND, f"{what}: weights of layer {layer} differ by {worst:.2g}")
        logits = expected["logits"][-1].astype(float)
        shares = numpy.exp(logits - logits.max())
        worst = numpy.abs(numpy.array([share for _, share in made["next"]]) - numpy.sort(shares / shares.sum())[::-1]).max()
        check(worst <= BOUND, f"{what}: probabilities differ by {worst:.2g}")

    def type(self, text):
        """Writes another text into the field of a model's page, as a paste does, and waits until it is drawn."""
        field = self.find(".field")
        self.js("const field = arguments[0]; field.focus(); field.select(); document.execCommand('insertText', false, arguments[1])", field, text)
        self.press(Keys.ENTER)

    def words(self):
        return self.js("return [...document.querySelectorAll('.word bdi')].map((word) => word.textContent)")

    def message(self):
        return self.find(".message").text


def check(good, what):
    if not good:
        raise AssertionError(what)


def focused(place):
    return place.js("const one = document.activeElement; return one.dataset.key ?? (one.closest('.field') ? 'field.' + one.type : one.className)")


def picture(place, file, size, theme):
    """What is seen of the whole page."""
    height = max(size[1], place.js("return document.documentElement.scrollHeight"))
    place.look((size[0], height), theme)
    file.write_bytes(base64.b64decode(place.command("Page.captureScreenshot", format="png")["data"]))


# ---- tests ----

def test_computes_as_the_program(place):
    names = ("13", "17", "19", "20", "29", "30", "31", "32", "33")
    sessions = [file for file in sorted(LESSONS.glob("*.headlight")) if file.name[:2] in names]
    words = "the bureau that approved the plan it had rejected a year before".split() * 6
    sessions.append(session_of(words[:64], d_in=48, heads=16, d_out=256, output_projection=True, dropout={"probability": 0.2, "training": True, "seed": 1}))
    for session in sessions:
        place.open(session)
        place.agrees(session, getattr(session, "name", "64 tokens, 16 heads"))
        check(place.messages() == [], f"{session}: the browser complains")


def test_no_request_leaves_the_page(place):
    place.requests()
    file = place.open(session_of(HOSTILE))
    place.click("[data-key='stage.scores']")
    place.js("const made = new Image(); made.src = 'https://example.org/x.png'; fetch('https://example.org').catch(() => {})")
    sent = [url for url in place.requests() if not url.startswith(("blob:", "data:"))]
    check(sent == [file.as_uri()], f"requests: {sent}")


def test_hostile_texts_stay_text(place):
    place.open(session_of(HOSTILE, title=HOSTILE[0]))
    check(place.js("return document.querySelectorAll('img, iframe, body style, body script').length") == 0, "a text became an element")
    shown = place.js("return [...document.querySelectorAll('.word bdi')].map((word) => word.textContent)")
    check(shown[0] == HOSTILE[0] and shown[1] == HOSTILE[1] and shown[3] == "U+202Eevil", f"the words are {shown}")
    check(place.js("return document.querySelector('h1').textContent") == HOSTILE[0], "the title is another one")
    check(place.messages() == [], "the browser complains")


def test_fifty_attacks_stay_text(place):
    place.requests()
    file = place.open(session_of(ATTACKS, title=ATTACKS[0]))
    place.click("[data-key='stage.scores']")
    check(len(ATTACKS) == 50, f"{len(ATTACKS)} attacks")
    check(place.js("return window.hit") is None, "a text was run")
    check(place.js("return document.querySelectorAll('img, iframe, object, embed, body style, body script, body link, base, video').length") == 0,
          "a text became an element")
    shown = place.js("return [...document.querySelectorAll('.word bdi')].map((word) => word.textContent)")
    check(shown == ATTACKS, f"the words are {shown}")
    check([url for url in place.requests() if not url.startswith(("blob:", "data:"))] == [file.as_uri()], "a text asked for something")
    check(place.messages() == [], "the browser complains")


def test_a_number_is_typed(place):
    place.open(session_of("Your journey starts with one step".split()))
    before = place.session()
    place.js("document.querySelector('.grid tbody td').focus()")
    place.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, "2", ".", "5")
    check(place.session()["embeddings"][1][1] == 2.5, "the page does not follow while it is typed")
    place.press(Keys.ENTER, Keys.ENTER, Keys.ARROW_UP, Keys.ENTER)
    edited = place.session()
    check(abs(edited["embeddings"][2][1] - before["embeddings"][2][1] - 0.1) < 1e-6, "an arrow does not add 0.1")
    place.agrees(edited, "typed numbers")
    ActionChains(place.browser).key_down(Keys.CONTROL).send_keys("z").send_keys("z").key_up(Keys.CONTROL).perform()
    check(place.session() == before, "undo does not bring the numbers back")
    place.press("9", Keys.ESCAPE)
    check(place.session() == before, "Escape keeps what was typed")


def test_a_number_is_pulled(place):
    place.open(session_of(list("abcdef")))
    cell = place.find(".grid tbody td")
    place.js("arguments[0].scrollIntoView({block: 'center'})", cell)
    before = place.session()["embeddings"][0][0]
    ActionChains(place.browser).move_to_element(cell).click_and_hold().move_by_offset(30, 0).move_by_offset(30, 0).release().perform()
    check(place.session()["embeddings"][0][0] > before, "pulling to the right does not add")
    place.agrees(place.session(), "a pulled number")


def test_a_drawn_weight_is_edited(place):
    place.open(session_of(list("abcdef")))
    place.js("const choice = document.querySelector('aside select'); choice.value = 'query'; choice.dispatchEvent(new Event('change'))")
    place.js("document.querySelector('.grid tbody td').focus()")
    place.press("-", "3", Keys.ENTER)
    weights = place.session()["weights"]
    check(weights["query"][0][0] == -3 and weights["seed"] == 3, "the weights are not numbers beside their recipe")
    place.agrees(place.session(), "an edited weight")


def test_the_mask(place):
    place.open(session_of(list("abcdef")))
    place.click("[data-key='mask.none']")
    check(place.session()["attention"]["mask"] == "none", "a click does not take the mask away")
    place.agrees(place.session(), "no mask")
    place.press(Keys.ARROW_LEFT)
    check(place.session()["attention"]["mask"] == "causal", "an arrow key does not set the mask")
    place.js("document.querySelector('canvas[tabindex=\"0\"]').focus()")
    place.press(Keys.HOME, Keys.ARROW_UP, "m")
    mask = place.session()["attention"]["mask"]
    check(mask[4] == [0, 1, 1, 1, 1, 0] and mask[5] == [1] * 6, f"the key m makes {mask}")
    place.agrees(place.session(), "an own mask")
    place.click("[data-key='mask']")
    check(place.session()["attention"]["mask"][4][0] == 1, "the button does not show the pair again")
    place.js("const choice = document.querySelector('aside select'); choice.value = 'mask'; choice.dispatchEvent(new Event('change'))")
    place.click(".grid.mask tbody tr:nth-child(3) td:nth-of-type(6)")
    check(place.session()["attention"]["mask"][2][5] == 1, "a click does not open a cell of the mask")
    place.agrees(place.session(), "a painted mask")


def test_heads(place):
    place.open(session_of(list("abcdef"), output_projection=True))
    place.click("[data-key='switch.1']")
    check(place.session()["attention"]["disabled_heads"] == [1], "a click does not switch the head off")
    place.js("document.querySelector('[data-key=\"switch.2\"]').focus()")
    place.press(Keys.SPACE)
    check(place.session()["attention"]["disabled_heads"] == [1, 2], "the blank does not switch the head off")
    place.agrees(place.session(), "heads that are off")
    place.click("[data-key='heads.2']")
    check(place.session()["attention"]["num_heads"] == 2, "the number of heads stays")
    place.agrees(place.session(), "two heads")
    place.click("[data-key='head.1']")
    check(len(place.browser.find_elements(By.CSS_SELECTOR, ".map")) == 1, "a head is not shown alone")


def test_scale_and_dropout(place):
    place.open(session_of(list("abcdef"), dropout={"probability": 0.5, "training": False, "seed": 7}))
    before = place.session()
    place.click("[data-key='scale.none']")
    place.agrees(place.session(), "no scale")
    place.click("[data-key='scale.number']")
    field = place.find("[data-key='scale.by']")
    field.clear()
    field.send_keys("0.25", Keys.ENTER)
    check(place.session()["attention"]["scale"] == 0.25, "the scale is not the number that was typed")
    place.click("[data-key='dropout']")
    check(place.session()["attention"]["dropout"] == {"probability": 0.5, "training": True, "seed": 7}, "dropout is not switched on")
    place.agrees(place.session(), "dropout")
    place.click(".link")
    check(place.session() == before, "not all changes are undone")


def type_into(place, key, text):
    place.js("const field = arguments[0]; field.focus(); field.select()", place.find(f"[data-key='{key}']"))
    place.press(text or Keys.DELETE, Keys.ENTER)


def test_more_settings(place):
    place.open(session_of(list("abcdef"), heads=4, d_out=16, output_projection=True))
    before = place.session()
    place.js("document.querySelector('.more-settings summary').focus()")
    place.press(Keys.ENTER)
    for key, what in (("normalization.naive_softmax", {"normalization": "naive_softmax"}), ("normalization.sum", {"normalization": "sum"}),
                      ("normalization.softmax", {"normalization": "softmax"}), ("position.alibi", {"position": {"kind": "alibi"}}),
                      ("position.rope", {"position": {"kind": "rope"}}), ("pairs.neighbours", {"position": {"kind": "rope", "pairs": "neighbours"}}),
                      ("kv_heads.2", {"num_kv_heads": 2}), ("causal", {"mask": "none"})):
        place.click(f"[data-key='{key}']")
        name, value = next(iter(what.items()))
        check(place.session()["attention"].get(name) == value, f"{key} makes {name} {place.session()['attention'].get(name)}")
        place.agrees(place.session(), key)
    for key, text, name, value in (("softcap", "1.5", "softcap", 1.5), ("theta", "50", "position", {"kind": "rope", "pairs": "neighbours", "theta": 50}),
                                   ("window.before", "2", "mask", {"window": [2, None]}), ("window.behind", "1", "mask", {"window": [2, 1]}),
                                   ("keys", "5", "mask", {"window": [2, 1], "keys": [5]}), ("offset", "1", "mask", {"window": [2, 1], "keys": [5], "offset": [1]})):
        type_into(place, key, text)
        check(place.session()["attention"][name] == value, f"{key} makes {place.session()['attention'][name]}")
        place.agrees(place.session(), key)
    for key, text in (("dims", "3"), ("keys", "9"), ("keys", "1, 2, 3"), ("theta", "-1")):
        session = place.session()
        type_into(place, key, text)
        check("does not fit" in place.message() and place.session() == session, f"{key} {text}: {place.message()!r}")
    session = place.session()
    type_into(place, "window.before", "two")
    check(place.find("[data-key='window.before']").get_attribute("aria-invalid") == "true" and place.session() == session, "words are a window")
    for key in ("window.before", "window.behind", "keys", "offset"):
        type_into(place, key, "")
    check(place.session()["attention"]["mask"] == "none", f"without rules the mask is {place.session()['attention']['mask']}")
    place.click("[data-key='causal']")
    check(place.session()["attention"]["mask"] == "causal", "the rule alone is not the causal mask")
    place.click("footer .link")
    check(place.session() == before, "not all changes are undone")
    check(place.messages() == [], "the browser complains")


def test_views_of_a_layer(place):
    for session, heads in ((session_of(HOSTILE, d_in=2, title="Views"), 4), (session_of(HOSTILE[:5], d_in=1, heads=1, d_out=1, dropout={"probability": 0.5, "training": True, "seed": 1}), 1)):
        for size in SIZES:
            place.look(size)
            place.open(session)
            place.click("[data-key='view.flow']")
            check(place.js("return [...document.querySelectorAll('.flow-row bdi')].map((one) => one.textContent)")[:3] == HOSTILE[:3], "a token is another one")
            check_room(place, f"flow at {size[0]}")
            place.click("[data-key='flow.row.1']")
            place.press(Keys.ARROW_DOWN)
            check(place.js("return document.activeElement.dataset.key") == "flow.row.2", "an arrow key does not choose the next token")
            weights = place.stages()["weights"][0, heads - 1 if heads == 1 else 0, 2]
            standing = len(place.browser.find_elements(By.CSS_SELECTOR, ".flow path.stands"))
            check(standing == sum(abs(weights) >= 0.01), f"{standing} lines stand out of {weights}")
            for stage in ("embeddings", "scores", "context", "output"):
                place.click(f"[data-key='stage.{stage}']")
                if place.js("return document.querySelector('[data-key=\"view.vectors\"]') !== null"):
                    place.click("[data-key='view.vectors']")
                    check_room(place, f"vectors of {stage} at {size[0]}")
                    told = place.find(".vectors").get_attribute("aria-label")
                    check(HOSTILE[1] in told, f"the vectors are told as {told!r}")
            check(place.js("return document.querySelectorAll('img, iframe, body style, body script').length") == 0, "a text became an element")
        place.agrees(place.session(), "views")
    check(place.messages() == [], "the browser complains")
    place.look()


def test_pointing_and_the_sum(place):
    place.open(session_of("Your journey starts with one step".split()))
    canvas = place.find("canvas[tabindex='0']")
    place.js("arguments[0].scrollIntoView({block: 'center'})", canvas)
    box = canvas.size
    ActionChains(place.browser).move_to_element_with_offset(canvas, -box["width"] // 2 + box["width"] // 12, box["height"] // 2 - 4).perform()
    check(place.find(".tip").text.startswith("step → Your"), f"the tip says {place.find('.tip').text!r}")
    ActionChains(place.browser).click().perform()
    said = place.find(".trace").text
    weight = place.stages()["weights"][0, 0, 5, 0]
    check("step asks, Your answers" in said and f"{100 * weight:.1f} %" in said, f"the sum is {said!r}")
    place.click(".chip")
    check(place.find(".trace").text.startswith("step, dim 0 in head 0"), "a term does not lead to its number")
    for stage in place.stages():
        place.click(f"[data-key='stage.{stage}']")
        check(place.find(".trace .result").text != "", f"{stage} has no derivation")
    check(place.messages() == [], "the browser complains")


def test_every_stage_of_every_kind(place):
    without_inputs = ROOT / "tests/golden/gradients/given-weights-alone.headlight"
    for file in [without_inputs, *sorted(LESSONS.glob("*.headlight"))]:
        place.open(file)
        for stage in place.stages():
            place.js("document.querySelector(arguments[0]).click()", f"[data-key='stage.{stage}']")
        said = place.messages()
        check(said == [], f"{file.name}: the browser complains: {said}")


def test_what_is_chosen_already_changes_nothing(place):
    place.open(session_of(list("abcdef")))
    before = place.session()
    for _ in range(2):
        place.js("document.querySelector(arguments[0]).click()", "[data-key='mask.none']")
    check(place.session()["attention"]["mask"] == "none", "the mask is not taken off")
    ActionChains(place.browser).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    check(place.session() == before, "what was chosen already is a step of undo")


def test_a_press_is_a_click_though_what_was_typed_is_drawn(place):
    """What loses the focus by a press draws the page anew: the pressed element has to be there until it is released."""
    place.open(session_of("Your journey starts with one step".split(), d_in=2))
    cell = "document.querySelector('.grid tbody td').focus()"
    for number, selector, holds in (
            ("2", "[data-key='mask.none']", lambda: place.session()["attention"]["mask"] == "none"),
            ("3", ".row-bars tr:nth-child(2)", lambda: "journey answers" in place.find(".trace").text),
            ("4", "[data-key='stage.output']", lambda: place.find(".trace").text.startswith("step, dim 1")),
            ("5", ".trace button.chip", lambda: "context vectors of all heads" in place.find(".trace").text),
            ("6", "[data-key='view.vectors']", lambda: place.find(".vectors").is_displayed()),
            ("7", ".vectors circle.set-0:not(.chosen)", lambda: not place.find(".trace").text.startswith("step")),
            ("8", "[data-key='stage.embeddings']", lambda: len(place.browser.find_elements(By.CSS_SELECTOR, ".vectors .pulled")) == 6),
            ("9", ".vectors .pulled:not(.chosen)", lambda: place.find(".trace").text.split(",")[0] != asks)):
        place.js(cell)
        place.press(number)
        asks = place.find(".trace").text.split(",")[0]
        place.click(selector)
        check(place.session()["embeddings"][0][0] == float(number), f"{selector}: the number that was typed is lost")
        check(holds(), f"{selector}: the click is lost: {place.find('.trace').text!r}")
    before = place.session()
    place.click(".vectors .pulled.chosen")
    check(place.session() == before, "a click pulls a point")
    place.click("[data-key='scale.number']")
    for key, text, pressed in (("scale.by", "0.25", "mask.causal"), ("dropout.p", "0.3", "dropout"), ("dropout.p", "0.4", "dropout")):
        place.js("const field = arguments[0]; field.focus(); field.select()", place.find(f"[data-key='{key}']"))
        place.press(text)
        place.click(f"[data-key='{pressed}']")
        check(focused(place) == pressed, f"{pressed}: {focused(place)} has the focus")
    attention = place.session()["attention"]
    check(attention["scale"] == 0.25 and attention["mask"] == "causal", f"a click beside a field makes {attention}")
    check(attention["dropout"] == {"probability": 0.4, "training": True, "seed": None}, f"dropout is {attention['dropout']}")
    check(place.messages() == [], "the browser complains")


def test_tab_leads_on_from_what_was_typed(place):
    place.open(session_of(list("abcdef")))
    place.js("const field = arguments[0]; field.focus(); field.select()", place.find("[data-key='dropout.p']"))
    place.press("0.3", Keys.TAB)
    check(focused(place) == "dropout", f"behind a field {focused(place)} has the focus")
    place.js("document.querySelector('.grid tbody td').focus()")
    place.press("2", Keys.TAB)
    check(focused(place) == "mask.causal", f"behind a cell {focused(place)} has the focus")
    check(place.session()["attention"]["dropout"]["probability"] == 0.3 and place.session()["embeddings"][0][0] == 2, "what was typed is lost")
    place.js("document.querySelector('.more-settings').open = true")
    for key in ("window.before", "window.behind"):
        place.js("arguments[0].focus()", place.find("[data-key='window.before']"))
        place.press("2", Keys.TAB)
    check(focused(place) == "window.behind", f"{focused(place)} has the focus")
    place.press("1")
    place.click("[data-key='causal']")
    check(place.session()["attention"]["mask"] == {"window": [22, 1]}, f"the mask is {place.session()['attention']['mask']}")


POINTER = """const [target, type, button, x, y] = arguments, box = target.getBoundingClientRect();
    target.dispatchEvent(new PointerEvent(type, {bubbles: true, cancelable: true, button, pointerType: "mouse", isPrimary: true,
        clientX: box.x + box.width / 2 + x, clientY: box.y + box.height / 2 + y}))"""


def test_only_the_primary_button_pulls_until_it_is_cancelled(place):
    """A number in its cell, and the point of an embedding."""
    place.open(session_of(list("abcdef"), d_in=2))
    place.click("[data-key='stage.embeddings']")
    place.click("[data-key='view.vectors']")
    for selector in (".vectors .pulled", ".grid tbody td"):
        before = place.session()
        for button, end in ((2, "pointerup"), (0, "pointercancel"), (0, "pointerup")):
            place.js(POINTER, place.find(selector), "pointerdown", button, 0, 0)
            place.js(POINTER, place.find("body"), "pointermove", -1, 30, 30)
            pulled = place.session()
            check((pulled != before) == (button == 0), f"{selector}: button {button} makes {pulled['embeddings']}")
            place.js(POINTER, place.find("body"), end, button, 0, 0)
            place.js(POINTER, place.find("body"), "pointermove", -1, 90, 90)
            check(place.session() == pulled, f"{selector}: it is pulled behind {end}")
            ActionChains(place.browser).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
            check(place.session() == before, f"{selector}: pulling is not one step of undo")
            place.js("window.headlight.load(arguments[0])", before)


def test_the_pager_of_a_table_keeps_the_focus(place):
    place.open(session_of(list("abcdef"), d_in=40))
    for word, pressed in (("later", 1), ("later", 1), ("earlier", 2)):
        place.js("document.querySelector(`[aria-label='${arguments[0]} columns']`).focus()", word)
        for _ in range(pressed):
            place.press(Keys.ENTER)
        check(place.js("return document.activeElement.closest('.pager') !== null"), f"{word}: {focused(place)} has the focus")
    check(place.find(".pager").text == "‹columns 0 to 15 of 40›", f"the pager says {place.find('.pager').text!r}")


def test_the_tip_ends_with_the_focus(place):
    for what in (session_of(list("abcdef")), WORDS):
        place.open(what)
        place.js("document.querySelector('canvas[tabindex=\"0\"]').focus()")
        place.press(Keys.ARROW_LEFT)
        check(place.find(".tip").is_displayed(), "an arrow key shows no tip")
        place.press(Keys.TAB)
        check(not place.find(".tip").is_displayed(), "the tip stays when the focus leaves the picture")


def test_a_stage_without_heads_keeps_the_chosen_head(place):
    place.open(session_of(list("abcdef"), output_projection=True))
    place.click("[data-key='head.2']")
    place.click("[data-key='stage.output']")
    place.js("document.querySelector('canvas[tabindex=\"0\"]').focus()")
    place.press(Keys.PAGE_DOWN, Keys.PAGE_UP, Keys.PAGE_UP)
    place.click("[data-key='stage.weights']")
    check("in head 2" in place.find(".trace").text, f"the head is another one: {place.find('.trace').text!r}")


def test_an_empty_list_of_key_tokens_is_none(place):
    session = {**session_of(list("abcdef")), "key_tokens": []}
    place.open(session_of(list("abcdef")))
    place.js("window.headlight.load(arguments[0])", session)
    place.agrees(session, "no key tokens")
    check("f asks" in place.find(".trace").text and "answers" in place.find(".trace").text, f"the sum says {place.find('.trace').text!r}")
    check(len(place.browser.find_elements(By.CSS_SELECTOR, ".bars tr")) == 6, "the row has no bars")
    check(not place.find(".words.keys").is_displayed(), "there is a line of no words")
    check(place.messages() == [], "the browser complains")


def test_by_keyboard_alone(place):
    place.open(session_of(list("abcdef")))
    reached = []
    for _ in range(40):
        place.press(Keys.TAB)
        reached.append(place.js("const one = document.activeElement; return one.dataset.key || one.className || one.tagName"))
    for wanted in ("theme.auto", "word asks", "stage.weights", "head.0", "switch.0", "CANVAS", "mask", "mask.causal", "dropout.p", "dropout"):
        check(wanted in reached, f"Tab does not reach {wanted}: {reached}")
    unnamed = place.js("""return [...document.querySelectorAll('button, input, select, canvas, [role]')].filter((one) =>
        !one.hidden && !one.closest('[aria-hidden]') && !['row', 'gridcell', 'status'].includes(one.role)
        && !one.getAttribute('aria-label') && !one.textContent.trim()).map((one) => one.outerHTML.slice(0, 80))""")
    check(unnamed == [], f"without a name: {unnamed}")


def check_room(place, what):
    wide = place.js("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    check(wide <= 0, f"{what}: the page is {wide} px too wide")
    cut = place.js("""return [...document.querySelectorAll('button, h1, h2, p, caption, summary, .sign, .result, .setting-name')].filter((one) =>
        one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0 && getComputedStyle(one).display !== 'inline').map((one) => one.outerHTML.slice(0, 80))""")
    check(cut == [], f"{what}: cut off: {cut}")


def test_sizes_and_themes(place, pictures):
    words = "The bureau that approved the plan it had rejected a year before said on Monday".split()
    for name, session in (("six", session_of("Your journey starts with one step".split(), title="Four heads on six words")),
                          ("hostile", session_of(HOSTILE, title=" ".join(HOSTILE))), ("many", session_of((words * 5)[:64], d_in=40, heads=16, d_out=64)),
                          ("cross", LESSONS / "32-cross-attention.headlight")):
        for size in SIZES:
            for theme in ("light", "dark"):
                place.look(size, theme)
                place.open(session)
                place.js("document.querySelector('.more-settings').open = true; document.querySelector('[data-key=\"position.alibi\"]').click()")
                what = f"{name} at {size[0]} x {size[1]}, {theme}"
                ground = place.js("return getComputedStyle(document.body).backgroundColor")
                check((ground == "rgb(255, 255, 255)") == (theme == "light"), f"{what}: the ground is {ground}")
                check_room(place, what)
                if pictures:
                    picture(place, pathlib.Path(pictures) / f"{name}-{size[0]}-{theme}.png", size, theme)
    place.look()


def test_a_model_computes_as_the_program(place):
    place.requests()
    file = place.open(WORDS, "--text", GAVE)
    sent = [url for url in place.requests() if not url.startswith(("blob:", "data:"))]
    check(sent == [file.as_uri()], f"requests: {sent}")
    for text in (GAVE, "Leo lost his red hat in the park . Rosa found the red hat and gave it to", "", "naïve </script> 🙂 שלום"):
        place.agrees_with_model(WORDS, text, repr(text))
    check(place.messages() == [], "the browser complains")


def test_a_model_with_a_row_for_each_output(place):
    """The bundled model with its matrices as another library stores them, in float32."""
    folder = place.folder / "rows"
    folder.mkdir()
    for name in ("config.json", "tokenizer.json"):
        (folder / name).write_bytes((WORDS / name).read_bytes())
    bytes_of = (WORDS / "model.safetensors").read_bytes()
    begin = 8 + int.from_bytes(bytes_of[:8], "little")
    header, data = {}, b""
    for name, tensor in json.loads(bytes_of[8:begin]).items():
        if name == "__metadata__":
            continue
        first, last = tensor["data_offsets"]
        numbers = numpy.frombuffer(bytes_of[begin + first:begin + last], {"F16": "<f2", "F32": "<f4"}[tensor["dtype"]]).reshape(tensor["shape"]).astype("<f4")
        if ".h." in f".{name}" and numbers.ndim == 2:
            numbers = numpy.ascontiguousarray(numbers.T)
        header[name] = {"dtype": "F32", "shape": numbers.shape, "data_offsets": [len(data), len(data) + numbers.nbytes]}
        data += numbers.tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)
    place.open(folder, "--text", GAVE)
    place.agrees_with_model(folder, GAVE, "a row for each output")
    place.agrees_with_model(WORDS, GAVE, "a row for each output, against the bundled model")


def test_a_model_reads_what_is_typed(place):
    place.open(WORDS, "--text", GAVE)
    check(place.words() == ["<start>", *GAVE.split()], f"the words are {place.words()}")
    check(place.find(".next tr").text.split()[0] == "Ann", f"next is {place.find('.next').text!r}")
    check("looks at “Ann”" in place.find(".claim").text, f"it opens with {place.find('.claim').text!r}")
    place.js("document.querySelector('.field').focus()")
    place.press(Keys.END, " ", "A")  # without Enter: computed after a pause
    WebDriverWait(place.browser, 10).until(lambda _: place.words()[-1] == "A")
    place.type("On Monday Ann went to the park , and on")
    check(place.find(".next tr").text.split()[0] == "Tuesday", f"next is {place.find('.next').text!r}")
    check(place.words()[-1] == "on" and place.find(".word.asks").text.startswith("on"), "the last word does not ask")
    check("11 of at most 96 tokens" in place.message(), f"it says {place.message()!r}")
    place.click("[data-key='next.0']")
    check(place.find(".field").get_attribute("value").endswith("and on Tuesday") and place.words()[-1] == "Tuesday", "a click writes no next word")
    place.press(Keys.ENTER)
    check(place.js("return document.activeElement.dataset.key") == "next.0", "the focus is lost")
    place.click(".link")
    check(place.words() == ["<start>", *GAVE.split()], "the first text does not come back")
    check(place.messages() == [], "the browser complains")


def test_a_model_refuses_a_text_and_its_picture_stays(place):
    place.open(WORDS, "--text", GAVE)
    for text, said in (("a " * 200, "positions for 96"), ("x" * 1000000, "more than 20000 characters")):
        place.js("const field = document.querySelector('.field'); field.value = arguments[0]; field.dispatchEvent(new Event('input'))", text)
        place.js("document.querySelector('.field').focus()")
        place.press(Keys.ENTER)
        check(said in place.message(), f"it says {place.message()!r}")
        check(place.find(".field").get_attribute("aria-invalid") == "true", "the field is not marked")
        check(place.words() == ["<start>", *GAVE.split()], "the picture does not stay")
    place.press(Keys.ESCAPE)
    check(place.find(".field").get_attribute("value") == GAVE and place.find(".field").get_attribute("aria-invalid") is None, "Escape does not bring the text back")
    for text in HOSTILE:
        place.type(text[:60])
    check(place.js("return document.querySelectorAll('img, iframe, body style').length") == 0, "a text became an element")
    place.type("\u202eevil <script>")
    check("\u202e" not in "".join(place.words()), "a mark that turns letters round is drawn")
    check(place.messages() == [], "the browser complains")


def test_a_model_by_keyboard_alone(place):
    place.open(WORDS, "--text", GAVE)
    reached = []
    for _ in range(20):
        place.press(Keys.TAB)
        reached.append(place.js("const one = document.activeElement; return one.dataset.key || one.className || one.tagName"))
    for wanted in ("theme.auto", "text", "word asks", "head.2.3", "CANVAS", "next.0", "link"):
        check(wanted in reached, f"Tab does not reach {wanted}: {reached}")
    focus = "document.querySelector(arguments[0]).focus()"
    place.js(focus, "[data-key='head.2.3']")
    place.press(Keys.ARROW_UP, Keys.ARROW_RIGHT)
    check(place.find(".picture-alone figcaption").text == "layer 1, head 4", "arrows do not choose a head")
    place.press(Keys.END)
    check(place.find(".picture-alone figcaption").text == "layer 2, mean of 6 heads", "End does not choose the last mean")
    place.js(focus, ".word.asks")
    place.press(Keys.ARROW_LEFT)
    check(place.find(".word.asks").text.startswith("key"), "an arrow does not choose the word before")
    place.js(focus, "canvas[tabindex='0']")
    place.press(Keys.HOME, Keys.ARROW_UP, Keys.PAGE_UP)
    told = place.js("return document.activeElement.getAttribute('aria-label')")
    check(told.startswith("Attention weights, layer 2, head 5: the → <start>, "), f"the picture is told as {told!r}")
    weight = place.js("return window.headlight.run(arguments[0]).weights[2][5][10][0]", GAVE)
    check(f"{weight:.4f}" in place.find(".tip").text, f"the tip says {place.find('.tip').text!r}")
    unnamed = place.js("""return [...document.querySelectorAll('button, textarea, canvas, section, [role]')].filter((one) =>
        !one.hidden && !one.closest('[aria-hidden]') && !['status'].includes(one.role)
        && !one.getAttribute('aria-label') && !one.textContent.trim()).map((one) => one.outerHTML.slice(0, 80))""")
    check(unnamed == [], f"without a name: {unnamed}")


def test_a_model_as_a_flow(place):
    place.open(WORDS, "--text", GAVE)
    place.click("[data-key='view.flow']")
    check(not place.find(".picture-alone canvas").is_displayed(), "the map stays behind the flow")
    weights = numpy.array(place.js("return window.headlight.run(arguments[0]).weights[2][3]", GAVE))
    stands = len(place.browser.find_elements(By.CSS_SELECTOR, ".flow path.stands"))
    check(stands == (weights[12] >= 0.01).sum(), f"{stands} lines stand out of {weights[12]}")
    place.click("[data-key='flow.column.2']")
    stands = len(place.browser.find_elements(By.CSS_SELECTOR, ".flow path.stands"))
    check(stands == (weights[:, 2] >= 0.01).sum(), f"{stands} lines to the column stand out of {weights[:, 2]}")
    place.press(Keys.ARROW_DOWN)
    check(place.js("return document.activeElement.dataset.key") == "flow.column.3", "an arrow key does not choose the next token")
    for size in SIZES:
        place.look(size)
        check_room(place, f"flow of a model at {size[0]}")
    place.look()
    place.type("Ann")
    check(len(place.browser.find_elements(By.CSS_SELECTOR, ".flow-row button")) == len(place.words()), "the flow does not follow the text")
    check(place.messages() == [], "the browser complains")


def test_a_model_in_every_size_and_theme(place, pictures):
    long = "Leo lost his red hat in the park . Rosa found the red hat and gave it to Leo . " * 4
    for name, text in (("gave", GAVE), ("long", long), ("hostile", " ".join((HOSTILE[0], HOSTILE[1], HOSTILE[3], HOSTILE[-1])))):
        for size in SIZES:
            for theme in ("light", "dark"):
                place.look(size, theme)
                place.open(WORDS, "--text", text)
                what = f"model, {name} at {size[0]} x {size[1]}, {theme}"
                ground = place.js("return getComputedStyle(document.body).backgroundColor")
                check((ground == "rgb(255, 255, 255)") == (theme == "light"), f"{what}: the ground is {ground}")
                check_room(place, what)
                side = place.find(".picture-alone canvas").size["width"]
                check(side >= min(260, size[0] * 0.6), f"{what}: the picture is {side} px wide")
                if pictures:
                    picture(place, pathlib.Path(pictures) / f"model-{name}-{size[0]}-{theme}.png", size, theme)
    place.look()


def test_a_model_stands_still(place):
    file = place.open(WORDS, "--text", GAVE, "--still", ready="still")
    check("stands still" in place.find(".hint").text and place.find("svg").size["height"] > 100, "it does not say that it stands still")
    check("Ann" in place.find(".numbers").text, "the next words are missing")
    place.open(LESSONS / "20-two-heads.headlight")
    page = place.write(WORDS, "--text", GAVE).read_text()
    # A tokenizer that only the browser refuses: the picture of the program stays, with the reason.
    refused = place.folder / "refused.html"
    refused.write_text(page.replace('"type":"ByteLevel"', '"type":"Unknown"'))
    place.browser.get(refused.as_uri())
    WebDriverWait(place.browser, 20).until(lambda browser: browser.execute_script("return document.documentElement.dataset.ready") == "still")
    check('decoder.type: "Unknown" is not computed in a page' in place.find(".hint").text, f"it says {place.find('.hint').text!r}")
    check(place.find("svg").size["height"] > 100 and place.find("svg").is_displayed(), "there is no picture")
    place.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        place.browser.get(place.write(WORDS, "--text", GAVE).as_uri())
        check(place.find("svg").is_displayed(), "without scripts there is no picture")
    finally:
        place.command("Emulation.setScriptExecutionDisabled", value=False)


def test_a_model_without_a_tokenizer_reads_ids(place):
    folder = ROOT / "tests/golden/library/gpt2"
    place.open(folder, "--ids", "1,2,3")
    check(place.find(".field").get_attribute("value") == "1, 2, 3" and place.words() == ["1", "2", "3"], "the ids are not shown")
    place.type("3, 2, 1, 0")
    check(place.words() == ["3", "2", "1", "0"], f"the words are {place.words()}")
    place.click("[data-key='next.0']")
    check(len(place.words()) == 5, "a click writes no next id")
    place.type("three")
    check("give ids of tokens" in place.message(), f"it says {place.message()!r}")


def test_colours_can_be_chosen(place):
    place.open(session_of(list("abcdef")))
    place.click("[data-key='theme.dark']")
    check(place.js("return getComputedStyle(document.body).backgroundColor") == "rgb(27, 30, 36)", "the page is not dark")
    pdf = base64.b64decode(place.command("Page.printToPDF", printBackground=False)["data"])
    check(pdf.startswith(b"%PDF"), "the page is not printed")
    check(place.js("return document.documentElement.dataset.theme") == "dark", "printing changes the colours on screen")


def test_another_session_is_loaded(place):
    place.open(session_of(list("abcdef")))
    other = session_of(list("xy"), heads=1, d_out=2, scale="none", mask="none")
    place.js("window.headlight.load(arguments[0])", other)
    place.agrees(other, "a session that was loaded")
    failed = place.js("try { window.headlight.load({format: 'headlight-session'}); return '' } catch (error) { return error.message }")
    check(failed != "" and place.session() == other, "a session that is none is loaded")


def test_without_script(place):
    file = place.write(session_of("Your journey starts".split()))
    place.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        place.browser.get(file.as_uri())
        check(place.find("noscript svg").size["height"] > 100, "there is no picture")
        check(place.find("noscript table caption").get_attribute("textContent").startswith("Attention weights"), "there is no table")
    finally:
        place.command("Emulation.setScriptExecutionDisabled", value=False)


def test_still(place, pictures):
    session = session_of([f"w{i}" for i in range(65)])
    place.open(session, ready="still")
    check("stands still" in place.find("header").text and place.find("svg").size["height"] > 100, "it does not say that it stands still")
    place.look()
    place.open(LESSONS / "20-two-heads.headlight", "--still", ready="still")
    weights = place.stages()["weights"]
    check(weights.shape == (2, 2, 6, 6) and abs(weights.sum() - 24) < 1e-3, "the numbers of the picture are missing")
    if pictures:
        pathlib.Path(pictures, "still.png").write_bytes(base64.b64decode(place.command("Page.captureScreenshot", format="png")["data"]))


def run_tests(tests):
    """Runs those of `tests` whose names begin with test_, as the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pictures")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        try:
            for name, test in [(name, test) for name, test in tests.items() if name.startswith("test_")]:
                if given.names and not any(word in name for word in given.names):
                    continue
                try:
                    test(place, *([given.pictures] if "pictures" in test.__code__.co_varnames[:test.__code__.co_argcount] else []))
                    print(f"passed: {name}", flush=True)
                except Exception as error:
                    failed += 1
                    print(f"FAILED: {name}: {error}" if isinstance(error, AssertionError) else f"FAILED: {name}\n{traceback.format_exc()}", flush=True)
        finally:
            place.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
