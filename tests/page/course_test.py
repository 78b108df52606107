#!/usr/bin/python3
"""A course as `headlight page` writes it, in a real browser (chromium), by keyboard and mouse.

    HEADLIGHT=build/release/app/headlight tests/page/course_test.py [--pictures DIR] [NAME...]

COURSE=FOLDER: a course that was written already."""
import json
import os
import pathlib
import subprocess
import sys
import time

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from browser_test import LESSONS, PROGRAM, SIZES, check, focused, picture, run_tests, session_of  # noqa: E402

READ_BY_KEYS = 3  # lessons


class Course:
    """The pages of the program's own lessons."""

    def __init__(self, place):
        self.place = place
        self.folder = pathlib.Path(os.environ.get("COURSE") or place.folder / "course")
        if not self.folder.exists():
            subprocess.run([PROGRAM, "page", str(LESSONS), "-o", str(self.folder)], check=True, stdout=subprocess.DEVNULL)

    def open(self, file, step=None):
        self.place.browser.get("about:blank")  # another step of the same page would not be loaded anew
        self.place.browser.get((self.folder / file).as_uri() + (f"#{step}" if step else ""))
        self.wait()

    def wait(self):
        WebDriverWait(self.place.browser, 20).until(lambda browser: browser.execute_script("return document.documentElement.dataset.ready"))

    def forget(self):
        self.open("index.html")
        self.place.js("localStorage.clear()")

    def file(self):
        return self.place.js("return decodeURIComponent(location.pathname.split('/').pop())")

    def step(self):
        return self.place.js("return window.headlight.step()")

    def steps(self):
        return self.place.js("return document.querySelectorAll('.dot').length")

    def live_files(self):
        return [file for file in sorted(self.folder.glob("*.html")) if file.name != "index.html" and "window.headlight" in file.read_text()]


def tab_to(place, wanted, most=60):
    for _ in range(most):
        if wanted(focused(place)):
            return
        place.press(Keys.TAB)
    raise AssertionError(f"Tab does not lead there: {focused(place)} has the focus")


def alt(place, key):
    ActionChains(place.browser).key_down(Keys.ALT).send_keys(key).key_up(Keys.ALT).perform()


def answer_by_keys(place):
    """Answers the question of the step, if it has one that is open."""
    if not place.js("return document.querySelector('[data-key=see]') !== null"):
        return False
    if place.js("return document.querySelector('.field button, .field input:enabled') !== null"):
        tab_to(place, lambda key: key.startswith(("answer.", "mark.", "word.", "field.range")))
        key = focused(place)
        place.press(Keys.SPACE if key.startswith("mark.") else Keys.ARROW_RIGHT)
        if key.startswith("mark."):
            place.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.SPACE)
            check(place.js("return document.querySelectorAll('.mark[aria-pressed=true]').length") == 2, "two cells are not marked by keys")
    tab_to(place, lambda key: key == "see")
    place.press(Keys.ENTER)
    said = place.find(".verdict").text
    check(said.startswith(("Right.", "Not quite.")) and len(said) > 20, f"the verdict is {said!r}")
    return True


def test_three_lessons_by_keys_alone(place):
    course = Course(place)
    course.forget()
    course.open("index.html")
    tab_to(place, lambda key: key == "primary")
    place.press(Keys.ENTER)
    read, asked = [], 0
    while len(read) < READ_BY_KEYS:
        course.wait()
        read.append(course.file())
        steps = course.steps()
        for step in range(steps):
            check(course.step() == step, f"{read[-1]}: step {course.step()} is shown, expected {step}")
            texts = place.js("return [...document.querySelectorAll('.text, .question, .try p')].map((one) => one.textContent)")
            check(texts and all(len(text) > 10 and "undefined" not in text for text in texts), f"{read[-1]}, step {step}: {texts}")
            asked += answer_by_keys(place)
            place.messages_of_page = place.messages()
            check(place.messages_of_page == [], f"{read[-1]}: the browser complains: {place.messages_of_page}")
            if step + 1 < steps:
                alt(place, Keys.PAGE_DOWN)
        alt(place, Keys.PAGE_UP)
        check(course.step() == steps - 2, "Alt+Page Up does not go back")
        alt(place, Keys.PAGE_DOWN)
        before = course.file()
        tab_to(place, lambda key: key == "next")
        place.press(Keys.ENTER)
        WebDriverWait(place.browser, 20).until(lambda _: course.file() != before)
    check(asked >= READ_BY_KEYS - 1, f"{asked} questions were asked")
    course.open("index.html")
    done = [link.get_attribute("data-lesson") + ".html" for link in place.browser.find_elements(By.CSS_SELECTOR, "a.read")]
    check(done == read, f"read are {done}, expected {read}")
    check(place.find("#go-on a").text.startswith("Go on: "), "the list does not say where to go on")


def test_a_lesson_goes_on_where_it_was_left(place):
    course = Course(place)
    course.forget()
    course.open("20-two-heads.html", 3)
    check(course.step() == 2, "the address does not name the step")
    alt(place, Keys.PAGE_DOWN)
    course.open("20-two-heads.html")
    check(course.step() == 3, f"it goes on at step {course.step()}")


def test_do_it_and_restore(place):
    course = Course(place)
    course.open("20-two-heads.html", 7)
    before = place.session()
    check(answer_by_keys(place), "the last step asks nothing")
    check(place.session()["attention"]["disabled_heads"] == [0], "the head is not switched off")
    check("at first" in place.find(".try").text, "what to try does not say what was there at first")
    place.agrees(place.session(), "after the change of a question")
    place.click("[data-key=again]")
    check(place.session() == before, "the change stays when it is asked again")
    check(answer_by_keys(place), "it is not asked again")
    place.click("[data-key=restore]")
    check(place.session() == before, "the lesson's own numbers are not restored")
    check(place.js("return document.querySelector('.verdict')") is None, "the question is not asked again")


def test_the_text_follows_an_edit(place):
    course = Course(place)
    course.open("04-softmax-and-context.html", 2)
    before = place.find(".text").text
    place.js("document.querySelector('.grid tbody td').focus()")
    place.press("2", Keys.ENTER)
    check(place.find(".text").text != before, "the text stays")
    place.click("[data-key=restore]")
    check(place.find(".text").text == before, "the text is another one after Restore")


def test_a_slider_in_the_text(place):
    course = Course(place)
    course.open("11-scaled-scores.html", 7)
    slider = place.find("input.in-text")
    place.js("arguments[0].focus()", slider)
    place.press(Keys.END)
    check(place.session()["attention"]["scale"] == 5, "the slider does not move the scale")
    check(place.js("return document.activeElement === arguments[0]", slider), "the slider loses the focus while the text follows")
    place.agrees(place.session(), "a scale from the text")


def test_the_view_that_a_step_asks_for(place):
    course = Course(place)
    course.open("05-all-queries-at-once.html", 4)
    shares = place.stages()["weights"][0, 0]
    said = place.find(".flow-row").text.split("\n")
    check([said[1], said[3]] == [f"{100 * shares[0, 1]:.0f} %", f"{100 * shares[1, 1]:.0f} %"], f"the flow says {said}")
    check(len(place.browser.find_elements(By.CSS_SELECTOR, ".flow path.stands")) == 6, "not every query has a line to the column")
    place.click("[data-key='flow.column.3']")
    place.press(Keys.ARROW_DOWN)
    check(place.find(".trace").text.startswith("Your asks, one answers"), f"the flow does not choose: {place.find('.trace').text}")
    place.click("[data-key='view.map']")
    check(place.find("canvas[tabindex='0']").is_displayed() and not place.find(".other").is_displayed(), "the map does not come back")
    course.open("23-why-the-dot-product.html", 1)
    check(len(place.browser.find_elements(By.CSS_SELECTOR, ".vectors circle")) == 5, "not every token is a point")
    before = place.session()
    point = place.browser.find_elements(By.CSS_SELECTOR, ".vectors .pulled")[1]
    ActionChains(place.browser).move_to_element(point).click_and_hold().move_by_offset(30, 0).move_by_offset(30, -40).release().perform()
    changed = [row for row, (a, b) in enumerate(zip(before["embeddings"], place.session()["embeddings"])) if a != b]
    check(len(changed) == 1, f"pulling a point changes the rows {changed}")
    place.agrees(place.session(), "a pulled point")
    ActionChains(place.browser).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    check(place.session() == before, "pulling is not one step of undo")
    check(place.messages() == [], "the browser complains")


def test_many_draws(place):
    course = Course(place)
    course.open("18-dropout-after-the-weights.html", 3)
    weights, before = place.stages()["weights"][0, 0], place.session()
    for _ in range(10):
        place.click("[data-key='many_draws']")
    check("The mean of 1000 draws." in place.find(".caption").text, f"the caption is {place.find('.caption').text!r}")
    said = place.find(".text").text
    mean = float(said.split("on itself is ")[1].split(",")[0])
    check(abs(mean - weights[5, 5]) < 0.02 and mean != round(weights[5, 5], 4), f"the mean of the draws is {mean}, the weight {weights[5, 5]}")
    place.click("[data-key='draw_again']")
    check(place.session()["attention"]["dropout"]["seed"] == 1 and before["attention"]["dropout"]["seed"] is None, "no other draw")
    check("mean of the draws for" not in place.find(".text").text, "the mean stays when another draw is made")
    place.agrees(place.session(), "another draw")


def test_training_plays_and_goes_back(place):
    course = Course(place)
    course.open("35-a-step.html", 1)
    before = place.session()
    place.click("[data-key='learn.play']")
    WebDriverWait(place.browser, 10).until(lambda _: place.session()["training"]["steps"] > 4)
    place.click("[data-key='learn.play']")
    steps = place.session()["training"]["steps"]
    check(place.session()["training"]["steps"] == steps, "Pause does not stop it")
    label = place.find(".loss-curve").get_attribute("aria-label")
    check(label.endswith(f"in {steps} steps"), f"the curve is {label!r}")
    place.js("document.querySelector('.back').focus()")
    place.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    check(place.session()["training"]["steps"] == steps - 2, "the slider does not go back")
    place.click("[data-key='learn.1']")
    check(place.session()["training"]["steps"] == steps - 1, "it does not go on from there")
    trained = place.session()
    place.agrees(trained, "a trained layer")
    place.click("[data-key='learn.reset']")
    check(place.session() == before, "Reset does not go back to the beginning")
    place.click("[data-key='learn.10']")
    file = place.saved({**before})
    made = place.folder / "trained.headlight"
    subprocess.run([PROGRAM, "train", str(file), "--steps", "10", "-o", str(made), "--force"], check=True, stdout=subprocess.DEVNULL)
    expected, own = json.loads(made.read_text())["weights"]["query"], place.session()["weights"]["query"]
    worst = max(abs(a - b) for one, other in zip(expected, own) for a, b in zip(one, other))
    check(worst < 1e-5, f"ten steps differ from the program's by {worst}")
    check(place.messages() == [], "the browser complains")


def test_pairs_are_painted(place):
    course = Course(place)
    course.open("16-causal-mask.html", 1)
    place.click("[data-key='stage.weights']")
    place.click("[data-key='paint']")
    canvas = place.find(".picture canvas")
    place.js("arguments[0].scrollIntoView({block: 'center'})", canvas)
    box = canvas.size
    ActionChains(place.browser).move_to_element_with_offset(canvas, box["width"] // 2 - 6, 6 - box["height"] // 2).click().perform()
    check(place.session()["attention"]["mask"][0] == [1, 0, 0, 0, 0, 1], f"the mask is {place.session()['attention']['mask']}")
    place.agrees(place.session(), "a painted pair")


def result_of(place):
    return float(place.find(".trace .result").text.replace("−", "-").strip("∂ "))


def sum_of(place):
    """The sum of products that the derivation shows, of its rounded numbers."""
    numbers = [float(one.text.replace("−", "-")) for one in place.browser.find_elements(By.CSS_SELECTOR, ".trace .chip")]
    return sum(a * b for a, b in zip(numbers[::2], numbers[1::2]))


def test_gradients_are_taken_apart(place):
    course = Course(place)
    course.open("34-what-a-loss-is.html", 3)
    weights = place.stages()["weights"][0, 0]
    check(abs(result_of(place) + 1 / weights[3, 2]) < 1e-3, f"the gradient of the weight is {place.find('.trace').text!r}")
    course.open("34-what-a-loss-is.html", 4)
    check(abs(result_of(place) - (weights[3, 2] - 1)) < 1e-3, f"the gradient of the score is {place.find('.trace').text!r}")
    course.open("34-what-a-loss-is.html", 5)
    check(abs(result_of(place) - sum_of(place)) < 0.02, f"the gradient of the query is {place.find('.trace').text!r}")
    said = place.find(".text").text.split("column 0 is ")[1].split(":")[0]
    place.js("document.querySelector('.grid tbody td').focus()")
    check(abs(result_of(place) - float(said)) < 1e-4 and abs(result_of(place) - sum_of(place)) < 0.02, f"the gradient of the weight is {place.find('.trace').text!r}")
    arrow = place.find(".grid tbody td .arrow").text
    check(arrow == ("↓" if float(said) > 0 else "↑"), f"the arrow is {arrow}, the gradient {said}")
    place.press("2", Keys.ENTER)
    check(place.js("return document.querySelector('.grid tbody td').textContent").endswith("2.00"), "a cell with an arrow is not edited")
    for stage in place.stages():
        place.click(f"[data-key='stage.{stage}']")
        check(place.find(".trace .result").text.startswith("∂ "), f"{stage} has no derivation")
    check(place.messages() == [], "the browser complains")


def test_meanings_of_words(place):
    course = Course(place)
    course.open("08-attention-mechanism-all.html", 5)
    words = [one.text for one in place.browser.find_elements(By.CSS_SELECTOR, ".text .term")]
    check(words == ["embeddings", "dimension", "weights"], f"the words with a meaning are {words}")
    check(not place.find(".meaning").is_displayed(), "a meaning is shown that nobody asked for")
    place.js("document.querySelector('.term').focus()")
    place.press(Keys.TAB, Keys.ENTER)
    check(place.find(".meaning").text == "dimension: One of the numbers of a vector, and its place in it.", f"it means {place.find('.meaning').text!r}")
    check(place.js("return document.activeElement.getAttribute('aria-expanded')") == "true", "the word has lost the focus")
    place.press(Keys.ENTER)
    check(not place.find(".meaning").is_displayed(), "the meaning is not hidden again")
    check("undefined" not in place.find(".reading").text, "a word is missing")


def test_colours_are_kept(place):
    course = Course(place)
    course.forget()
    course.open("20-two-heads.html", 1)
    place.click("[data-key='theme.dark']")
    for file in ("index.html", "16-causal-mask.html", "20-two-heads.html"):
        course.open(file)
        ground = place.js("return getComputedStyle(document.body).backgroundColor")
        check(ground == "rgb(27, 30, 36)", f"{file}: the ground is {ground}")
    place.js("localStorage.setItem('headlight.colours', '<b>')")
    course.open("16-causal-mask.html")
    check(place.js("return document.documentElement.dataset.theme") == "light", "colours that do not exist are shown")
    course.forget()


def open_lesson(place, steps, session=None, **lesson):
    """A course of one lesson with these steps, opened at its first one."""
    session = {**(session or session_of("Your journey starts with one step".split(), heads=2, d_out=4)), "title": "A lesson",
               "lesson": {"order": 1, "chapter": "Tests", "source": "", **lesson, "steps": steps}}
    folder = place.folder / f"lessons{len(list(place.folder.iterdir()))}"
    folder.mkdir()
    (folder / "one.headlight").write_text(json.dumps(session))
    pages = folder / "pages"
    subprocess.run([PROGRAM, "page", str(folder), "-o", str(pages)], check=True, stdout=subprocess.DEVNULL)
    place.messages()
    place.browser.get((pages / "one.html").as_uri() + "#1")
    WebDriverWait(place.browser, 20).until(lambda browser: browser.execute_script("return document.documentElement.dataset.ready") == "live")


def test_each_step_has_its_own_slider(place):
    steps = [{"title": "One", "text": "The scale is {slide scale 0.1 4}."}, {"title": "Two", "text": "Of all {slide dropout 0 0.8} are dropped."}]
    open_lesson(place, steps)
    for step, most in ((0, 4), (1, 0.8)):
        alt(place, Keys.PAGE_DOWN if step else Keys.PAGE_UP)
        place.js("document.querySelector('input.in-text').focus()")
        place.press(Keys.END)
        attention = place.session()["attention"]
        check(attention["scale"] if step == 0 else attention["dropout"]["probability"] == most, f"step {step}: the slider makes {attention}")
        check(place.find("input.in-text").get_attribute("aria-label") == ("dropout" if step else "scale"), "the slider is another one's")
    check(place.messages() == [], "the browser complains")


def test_terms_have_any_sign(place):
    names = ["Skalar-Produkt", "d.k", "a+b", "(x)", "1/2", "C#", "$W", "x|y"]
    open_lesson(place, [{"title": "Eins", "text": "Hier ist " + ", ".join(names) + " und dk, aab."}], decimal=",", glossary={name: f"Es ist {name}." for name in names})
    found = [one.text for one in place.browser.find_elements(By.CSS_SELECTOR, ".text .term")]
    check(found == names, f"the terms are {found}")
    check(place.messages() == [], "the browser complains")


def test_a_step_may_hold_the_colours_of_many_weights_from_zero(place):
    session = session_of([f"t{i}" for i in range(20)], heads=1, d_out=2)
    open_lesson(place, [{"title": "One", "text": "Weights.", "stage": "weights", "range": [0, 0.5]}], session)
    said = place.find(".color-bar").get_attribute("aria-label")
    check(said == "colours: share of attention from 0 to 50\u00a0%", f"it has {said}")
    check("power of ten" not in place.find(".caption").text, f"the caption says {place.find('.caption').text!r}")
    open_lesson(place, [{"title": "One", "text": "Scores.", "stage": "scores", "range": [-1, 3]}], session)
    check(place.find(".bar-ticks").text.split() == ["−1.00", "1.00", "3.00"], f"the colours are {place.find('.bar-ticks').text!r}")
    check(place.messages() == [], "the browser complains")


def test_what_a_step_compares_with_leaves_its_own_numbers(place):
    """The kept picture has gradients where the session has a goal; the step shows numbers."""
    session = session_of("Your journey starts with one step".split(), heads=2, d_out=4)
    session["goal"] = {"stage": "weights", "loss": "squared", "target": [[0.5] * 6]}
    steps = [{"title": "One", "text": "Both.", "stage": "weights", "view": "compare", "against": {"mask": "none"}},
             {"title": "Two", "text": "Gradients.", "stage": "weights", "view": "compare", "against": {"mask": "none"}, "gradients": True}]
    open_lesson(place, steps, session)
    check(place.js("return document.querySelectorAll('.pictures canvas').length") == 4, "nothing is compared")
    for step, sign in ((0, False), (1, True)):
        check(place.find(".trace .result").text.startswith("∂") == sign, f"step {step}: the sum says {place.find('.trace').text!r}")
        check(("Gradients" in place.find(".caption").text or "gradient" in place.find(".color-bar").get_attribute("aria-label")) == sign, f"step {step} is told of as another one")
        labels = place.js("return [...document.querySelectorAll('.pictures canvas')].map((one) => one.getAttribute('aria-label'))")
        check(all(("∂" in label) == sign for label in labels), f"step {step}: the pictures are {labels}")
        alt(place, Keys.PAGE_DOWN)


def test_a_click_counts_while_training_plays(place):
    course = Course(place)
    course.open("35-a-step.html", 1)
    place.click("[data-key='learn.play']")
    for key in ("stage.scores", "stage.weights", "stage.queries"):
        x, y = place.js("const {x, y} = document.querySelector(arguments[0]).getBoundingClientRect(); return [x + 9, y + 9]", f"[data-key='{key}']")
        for kind in ("mousePressed", "mouseReleased"):
            place.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
            time.sleep(0.3)  # of several steps
        check(place.js("return document.querySelector(arguments[0]).ariaChecked", f"[data-key='{key}']") == "true", f"{key}: the click is lost")
    steps = place.session()["training"]["steps"]
    WebDriverWait(place.browser, 10).until(lambda _: place.session()["training"]["steps"] > steps)
    place.js("arguments[0].focus()", place.find("[data-key='stage.keys']"))
    ActionChains(place.browser).key_down(Keys.SPACE).pause(0.3).key_up(Keys.SPACE).perform()
    check(place.js("return document.querySelector('[data-key=\"stage.keys\"]').ariaChecked") == "true", "the space bar is lost")
    place.js("const field = document.querySelector('[data-key=\"dropout.p\"]'); field.focus(); field.select()")
    for letter in "0.25":
        place.press(letter)
        time.sleep(0.2)
    place.press(Keys.ENTER)
    check(place.session()["attention"]["dropout"]["probability"] == 0.25, "what is typed is drawn over")
    steps = place.session()["training"]["steps"]
    WebDriverWait(place.browser, 10).until(lambda _: place.session()["training"]["steps"] > steps)
    place.click("[data-key='learn.play']")
    place.js("const field = arguments[0]; field.focus(); field.select()", place.find("[data-key='learn.rate']"))
    place.press("0.25")
    place.click("[data-key='learn.optimizer.adam']")
    training = place.session()["training"]
    check(training["rate"] == 0.25 and training["optimizer"] == "adam", f"a click beside the rate makes {training}")
    check(place.messages() == [], "the browser complains")


def test_a_bar_is_drawn_though_what_was_typed_is_drawn(place):
    course = Course(place)
    course.open("20-two-heads.html", 7)
    place.js("document.querySelector('.grid tbody td').focus()")
    place.press("2")
    bar = place.find(".bar input")
    place.js("arguments[0].scrollIntoView({block: 'center'})", bar)
    ActionChains(place.browser).move_to_element(bar).click_and_hold().move_by_offset(10, 0).move_by_offset(20, 0).release().perform()
    near = float(place.find(".bar .value").text.replace("−", "-"))
    check(near > 0.1, f"the bar is drawn to {near}")
    check(place.session()["embeddings"][0][0][0] == 2, "what was typed is lost")


def test_a_button_that_goes_leaves_the_focus_beside_it(place):
    course = Course(place)
    course.open("20-two-heads.html", 7)
    answer_by_keys(place)
    for key in ("again", "restore"):
        if key == "restore":
            answer_by_keys(place)
        tab_to(place, lambda now, key=key: now == key)
        place.press(Keys.ENTER)
        check(place.js("return document.activeElement.closest('.reading') !== null"), f"behind {key} {focused(place)!r} has the focus")


def test_every_step_of_every_lesson(place):
    course = Course(place)
    for file in course.live_files():
        course.open(file.name, 1)
        for step in range(course.steps()):
            place.js("document.querySelector(`[data-key='dot.${arguments[0]}']`).click()", step)
            check(course.step() == step, f"{file.name}: step {step} is not shown")
            place.js("""const answer = document.querySelector('.field [role=radio], .field .mark'); answer?.click();
                document.querySelector('[data-key=see]:enabled')?.click();""")
            check("undefined" not in place.find(".reading").text, f"{file.name}, step {step}: {place.find('.reading').text}")
        said = place.messages()
        check(said == [], f"{file.name}: the browser complains: {said}")


def test_no_request_leaves_the_course(place):
    course = Course(place)
    place.requests()
    course.open("00-why-attention.html")
    place.js("const made = new Image(); made.src = 'https://example.org/x.png'; fetch('https://example.org').catch(() => {})")
    sent = [url for url in place.requests() if not url.startswith(("blob:", "data:", "about:"))]
    check(all(url.startswith("file:") for url in sent), f"requests: {sent}")
    place.messages()


def test_course_at_every_size(place, pictures):
    course = Course(place)
    pages = (("index.html", None), ("05-all-queries-at-once.html", 5), ("03-naive-softmax.html", 3), ("22-two-heads-with-dropout.html", 3))
    for size in SIZES:
        for theme in ("light", "dark"):
            for file, step in pages:
                place.look(size, theme)
                course.open(file, step)
                what = f"{file} at {size[0]} x {size[1]}, {theme}"
                ground = place.js("return getComputedStyle(document.body).backgroundColor")
                check((ground == "rgb(255, 255, 255)") == (theme == "light"), f"{what}: the ground is {ground}")
                wide = place.js("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                check(wide <= 0, f"{what}: the page is {wide} px too wide")
                if pictures:
                    picture(place, pathlib.Path(pictures) / f"course-{file[:5]}-{size[0]}-{theme}.png", size, theme)
    place.look()


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
