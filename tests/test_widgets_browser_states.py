"""RecurrentView and ProbabilityView in a real browser, with no kernel and no network."""

from __future__ import annotations

from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect
from test_widgets_browser import browser, picture, show

from seq2seq_attention.widgets import ProbabilityView, RecurrentView

pytestmark = pytest.mark.browser
__all__ = ["browser", "show"]

TOKENS = ["three", "hundred", "and"]
STATES = [[0.5, -0.1], [0.49, 0.8], [-0.2, 0.8]]  # (S=3, H=2)
VOCAB = ["<eos>", "drei", "zehn", "und"]
LOGITS = np.log([[0.1, 0.6, 0.2, 0.1], [0.7, 0.1, 0.1, 0.1]])  # (T=2, V=4)
ALL = "three hundred and"


def recurrent(**more) -> RecurrentView:
    gates = (np.full((3, 2), 0.5), np.array([[0.9, 0.1], [0.8, 0.2], [0.0, 1.0]]))
    settings = {"title": "Reads", "gates": gates, "step": 0, "unit": 0} | more
    return RecurrentView(STATES, TOKENS, **settings)


def probability(**more) -> ProbabilityView:
    settings = {"gold": ["drei", "<eos>"], "src": ["three"], "title": "Next word"} | more
    return ProbabilityView(LOGITS, VOCAB, **settings)


def states(units: int = 128, words: int = 60) -> RecurrentView:
    walk = np.random.default_rng(0).normal(size=(words, units)).cumsum(axis=0)
    return RecurrentView(np.tanh(walk / 3), [f"word{i}" for i in range(words)])


def says(page: Page, kind: str, text: str) -> None:
    expect(page.get_by_test_id(f"{kind}-sentence")).to_have_text(text)


def number(page: Page, word: str) -> str:
    """What stands beside the bar of a word."""
    row = page.get_by_role("option").filter(has=page.get_by_text(word, exact=True))
    return row.locator(".prob-number").inner_text()


# --- RecurrentView


def test_reading_word_by_word_with_slider_and_buttons(show):
    page = show(recurrent())
    expect(page.get_by_role("group", name="Reads")).to_be_visible()
    start = "h₁ has read “three”. Unit 0 is 0.500, was 0.000 at the start. "
    says(page, "recurrent", start + "The whole state moved by 0.51.")
    first = picture(page)
    slider = page.get_by_test_id("recurrent-step")
    slider.focus()
    slider.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "step 2 of 3: hundred"
    assert picture(page.locator(".rec-scroll")) != first
    page.get_by_label("One step forward").click()
    expect(page.get_by_test_id("recurrent-sentence")).to_contain_text(f"h₃ = c has read “{ALL}”")
    expect(page.get_by_label("One step forward")).to_be_disabled()
    page.locator(".rec-word").first.click()
    expect(slider).to_have_value("0")


def test_play_reads_to_the_end_and_is_silent_meanwhile(show):
    page = show(recurrent())
    page.clock.install()
    play, slider = page.get_by_test_id("recurrent-play"), page.get_by_test_id("recurrent-step")
    sentence = page.get_by_test_id("recurrent-sentence")
    expect(sentence).to_have_attribute("aria-live", "polite")
    play.click()
    expect(sentence).to_have_attribute("aria-live", "off")
    page.clock.run_for(1150)
    expect(slider).to_have_value("1")
    play.click()
    page.clock.run_for(5000)
    expect(slider).to_have_value("1")
    play.click()
    page.clock.run_for(5000)
    expect(slider).to_have_value("2")
    expect(sentence).to_have_attribute("aria-live", "polite")


def test_pointing_at_a_cell_tells_its_number_and_leaves_no_trace(show):
    page = show(recurrent(step=1))
    rest = page.get_by_test_id("recurrent-sentence").inner_text()
    shown = picture(page.locator(".rec-scroll"))
    field, box = page.get_by_test_id("recurrent-map"), page.get_by_test_id("recurrent-map")
    size = box.bounding_box()
    field.hover(position={"x": size["width"] / 6, "y": size["height"] * 0.75})
    text = "h₁ has read “three”. Unit 1 is −0.100, was 0.000 at the start. "
    says(page, "recurrent", text + "The whole state moved by 0.51.")
    field.hover(position={"x": size["width"] * 5 / 6, "y": 5})
    says(page, "recurrent", "“and” has not been read yet: the encoder is at “hundred”.")
    page.mouse.move(0, 0)
    says(page, "recurrent", rest)
    assert picture(page.locator(".rec-scroll")) == shown
    field.click(position={"x": 5, "y": size["height"] * 0.75})
    page.mouse.move(0, 0)
    expect(page.get_by_test_id("recurrent-unit")).to_have_value("1")


def test_units_and_words_by_keyboard(show):
    page = show(recurrent())
    field = page.get_by_role("slider", name="Unit followed through time")
    field.focus()
    for key, unit in {"ArrowDown": 1, "Home": 0, "End": 1, "PageUp": 0, "PageDown": 1}.items():
        page.keyboard.press(key)
        expect(field).to_have_attribute("aria-valuenow", str(unit))
    expect(field).to_have_attribute("aria-valuetext", "unit 1: −0.100")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("recurrent-step")).to_have_value("1")
    expect(field).to_have_attribute("aria-valuetext", "unit 1: 0.800")
    page.get_by_test_id("recurrent-unit").press("Home")
    expect(field).to_have_attribute("aria-valuenow", "0")


def test_gates_and_the_order_of_units(show):
    page = show(recurrent(step=2, unit=1))
    shown = picture(page.locator(".rec-scroll"))
    page.get_by_test_id("recurrent-shows-update").check()
    text = "Reading “and”, the update gate z₃ of unit 1 is 1.000: 1.000 of its old value 0.800"
    says(page, "recurrent", f"{text} stays, 0.000 of the new candidate comes in.")
    assert picture(page.locator(".rec-scroll")) != shown
    expect(page.locator(".rec-legend:visible")).to_have_text("▬ from 0 to 1")
    page.get_by_test_id("recurrent-shows-state").check()
    page.get_by_test_id("recurrent-order-change").check()  # unit 1 changes at the second word
    field = page.get_by_test_id("recurrent-map")
    expect(field).to_have_attribute("aria-valuenow", "0")
    expect(field).to_have_attribute("aria-valuetext", "unit 1: 0.800")


def test_a_backward_network_reads_from_the_end_and_has_no_gates(show):
    page = show(recurrent(backward=STATES))
    page.get_by_test_id("recurrent-shows-update").check()
    page.get_by_test_id("recurrent-reading-backward").check()
    start = "Backward, h₃ has read “and”. Unit 0 is −0.200, was 0.000 at the start. "
    says(page, "recurrent", start + "The whole state moved by 0.82.")
    expect(page.get_by_test_id("recurrent-shows-update")).to_be_disabled()
    page.get_by_test_id("recurrent-map").press("ArrowLeft")  # on, in this direction
    expect(page.get_by_test_id("recurrent-step")).to_have_value("1")
    page.get_by_test_id("recurrent-reading-forward").check()
    expect(page.get_by_test_id("recurrent-shows-update")).to_be_enabled()


def test_no_control_is_shown_that_does_nothing(show):
    page = show(RecurrentView([[0.5]], ["one"]), ProbabilityView([1.0], ["one"]))
    first, second = page.locator(".att").all()
    controls = ["recurrent-unit", "recurrent-shows-state", "recurrent-order-index"]
    for name in [*controls, "recurrent-reading-forward"]:
        expect(first.get_by_test_id(name)).to_have_count(0)
    expect(first.get_by_test_id("recurrent-play")).to_be_disabled()
    for name in ("probability-step", "probability-top-k", "probability-top-p"):
        expect(second.get_by_test_id(name)).to_have_count(0)
    text = "One step: “one” is most probable (1.000). 1 of 1 word can be drawn; entropy 0.00 bits."
    says(page, "probability", text)


def test_table_of_states_follows(show):
    page = show(recurrent())
    table = page.get_by_test_id("recurrent-table")
    table.locator("summary").click()
    expect(table.get_by_role("row").nth(1)).to_have_text("00.5000.490−0.200")
    page.get_by_test_id("recurrent-shows-update").check()
    expect(table.get_by_role("row").nth(1)).to_have_text("00.9000.8000.000")


def test_a_large_figure_takes_each_step_within_a_frame(show):
    page = show(states())
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(m["value"] for m in metrics if m["name"] == "TaskDuration")

    times = []
    for i in range(20):
        before = spent()
        page.evaluate(
            """async (i) => {
              const slider = document.querySelector("[data-testid=recurrent-step]");
              slider.value = (i * 7) % 60;
              slider.dispatchEvent(new Event("input"));
              const frame = () => new Promise((done) => requestAnimationFrame(done));
              await frame();
              await frame();
            }""",
            i,
        )
        times.append(spent() - before)
    assert np.median(times) < 1000 / 60


# --- ProbabilityView


def test_the_first_step_as_the_model_says_it(show):
    page = show(probability())
    text = "Step 1 of 2: “drei” is most probable (0.600). 4 of 4 words can be drawn; entropy 1.57"
    says(page, "probability", text + " bits.")
    name = "drei (greedy choice, right word) 0.600"
    expect(page.get_by_role("option", name=name)).to_be_visible()
    assert [number(page, word) for word in ("drei", "zehn", "und")] == ["0.600", "0.200", "0.100"]
    expect(page.get_by_test_id("probability-context")).to_have_text("three → ?")
    expect(page.get_by_test_id("probability-reset")).to_be_disabled()


def test_temperature_top_k_and_top_p_by_keyboard(show):
    page = show(probability())
    shown = picture(page)
    slider = page.get_by_test_id("probability-top-k")
    slider.press("Home")
    assert slider.get_attribute("aria-valuetext") == "the 1 most probable are kept"
    assert (number(page, "drei"), number(page, "zehn")) == ("1.000", "cut")
    expect(page.get_by_test_id("probability-sentence")).to_contain_text("entropy 0.00 bits")
    assert picture(page) != shown
    slider.press("End")
    assert picture(page) == shown
    page.get_by_test_id("probability-top-p").fill("0.7")
    assert (number(page, "drei"), number(page, "zehn")) == ("0.750", "0.250")
    expect(page.get_by_test_id("probability-sentence")).to_contain_text("2 of 4 words")
    page.get_by_test_id("probability-top-p").press("End")
    page.get_by_test_id("probability-temperature").press("Home")
    hottest = page.get_by_test_id("probability-temperature").get_attribute("aria-valuetext")
    assert (hottest, number(page, "drei")) == ("temperature 0.10", "1.000")
    page.get_by_test_id("probability-temperature").press("End")
    assert float(number(page, "drei")) == pytest.approx(0.358, abs=0.001)
    page.get_by_test_id("probability-reset").click()
    assert number(page, "drei") == "0.600"
    assert picture(page) == shown


def test_draws_repeat_and_are_forgotten_when_something_changes(show):
    page = show(probability())

    def counts() -> list[str]:
        return page.locator(".prob-drawn").all_inner_texts()

    page.get_by_test_id("probability-draw").click()
    expect(page.get_by_test_id("probability-sentence")).to_contain_text("Draw 1: “")
    page.get_by_test_id("probability-clear").click()
    page.get_by_test_id("probability-draw-100").click()
    first = counts()
    assert sum(int(count[:-1]) for count in first) == 100
    assert 45 < int(first[0][:-1]) < 75  # of a probability of 0.6
    page.get_by_test_id("probability-clear").click()
    assert set(counts()) == {""}
    page.get_by_test_id("probability-draw-100").click()
    assert counts() == first
    page.get_by_test_id("probability-top-k").press("Home")
    assert set(counts()) == {""}
    page.get_by_test_id("probability-draw-100").click()
    assert counts() == ["100×", "0×", "0×", "0×"]


def test_steps_and_marks(show):
    page = show(probability(chosen=["zehn", "und"]))
    page.get_by_test_id("probability-step").press("ArrowRight")
    expect(page.get_by_test_id("probability-context")).to_have_text("three → zehn ?")
    for name in ("<eos> (greedy choice, right word) 0.700", "und (said) 0.100"):
        expect(page.get_by_role("option", name=name)).to_be_visible()
    page.clock.install()
    page.get_by_test_id("probability-play").click()  # from the end it starts over
    expect(page.get_by_test_id("probability-step")).to_have_value("0")
    page.clock.run_for(1600)
    expect(page.get_by_test_id("probability-step")).to_have_value("1")


def test_words_by_pointer_and_keyboard(show):
    page = show(probability(top_k=2))
    rest = page.get_by_test_id("probability-sentence").inner_text()
    page.get_by_role("option").nth(1).hover()
    text = "“zehn” is drawn with probability 0.250; the model itself says 0.200."
    says(page, "probability", text)
    page.mouse.move(0, 0)
    says(page, "probability", rest)
    page.get_by_role("option").first.focus()
    text = "“drei” is drawn with probability 0.750; the model itself says 0.600. "
    says(page, "probability", text + "It is the right word, and costs 0.511 nats.")
    page.keyboard.press("End")
    text = "“und” is cut: its 0.100 goes to the words that are kept; the model itself says 0.100."
    says(page, "probability", text)
    expect(page.locator('[role="option"][tabindex="0"]')).to_have_count(1)
    expect(page.get_by_role("option").nth(3)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    says(page, "probability", rest)


def test_many_words_share_a_bar(show):
    vocab = [f"wort{i}" for i in range(60)]
    page = show(ProbabilityView(np.linspace(3, 0, 60), vocab, gold=["wort59"]))
    rows = page.get_by_role("option")
    assert rows.count() == 13
    expect(rows.nth(11)).to_contain_text("wort59")  # the right word is never among the others
    rows.nth(12).click()
    says_others = page.get_by_test_id("probability-sentence")
    expect(says_others).to_contain_text("The other 48 words hold 0.")
    rows.nth(12).press("Home")
    expect(says_others).to_contain_text("“wort0” is drawn")


def test_table_of_probabilities(show):
    page = show(probability())
    table = page.get_by_test_id("probability-table")
    table.locator("summary").click()
    expect(table.get_by_role("row").nth(2)).to_have_text(
        "zehn−1.6090.2000yes0.20000".replace("−", "-")
    )
    page.get_by_test_id("probability-top-k").press("Home")
    expect(table.get_by_role("row").nth(2)).to_have_text("zehn-1.6090.2000no0.00000")


# --- both


@pytest.mark.parametrize("kind", ["recurrent", "probability"])
def test_follows_the_theme_live_and_prints_light(show, kind):
    page = show(recurrent() if kind == "recurrent" else probability(), color_scheme="light")
    figure = page.get_by_test_id(kind)
    light = picture(page)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    expect(figure).to_have_attribute("data-att-theme", "dark")
    assert picture(page) != light
    page.emulate_media(media="print")
    assert figure.evaluate("e => getComputedStyle(e).color") == "rgb(31, 35, 40)"
    expect(page.get_by_test_id(f"{kind}-play")).to_be_hidden()
    sheet = Image.open(BytesIO(figure.locator(".att-view").screenshot())).convert("L")
    assert np.asarray(sheet).mean() > 180


def test_phone_by_touch(show):
    page = show(states(), probability(), width=390, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    field = page.get_by_test_id("recurrent-map")
    last = page.locator(".rec-word").last.bounding_box()  # its box has scrolled to the last word
    assert 0 < last["x"] < last["x"] + last["width"] <= 390
    page.touchscreen.tap(last["x"], field.bounding_box()["y"] + 100)
    expect(page.get_by_test_id("recurrent-unit")).to_have_value("33")
    page.get_by_test_id("recurrent-step").fill("0")
    first = page.locator(".rec-word").first.bounding_box()
    assert 0 < first["x"] < 390
    page.get_by_role("option").nth(1).tap()
    expect(page.get_by_test_id("probability-sentence")).to_contain_text("“zehn” is drawn")
    page.get_by_test_id("probability-draw").tap()
    expect(page.get_by_test_id("probability-sentence")).to_contain_text("Draw 1")
    for control in page.locator(".att :is(button, input, [role=option], summary):visible").all():
        box = control.bounding_box()
        small = min(box["width"], box["height"])
        assert small >= 24 or control.get_attribute("type") == "radio", control  # its label is


def test_odd_tokens_are_text(show):
    odd = ["<b>x</b>", " ", "", "שלום"]
    first = RecurrentView(np.zeros((4, 2)), odd, title="</script><i>")
    page = show(first, ProbabilityView([3.0, 2, 1, 0], odd, src=odd, title="<i>x</i>"))
    assert page.locator(".rec-word").all_inner_texts()[:1] == ["<b>x</b>"]
    assert page.locator(".att").locator("i, p b:not(.prob-next)").count() == 0
    expect(page.get_by_role("option", name="∅ 0.087")).to_be_visible()


@pytest.mark.parametrize("kind", ["recurrent", "probability"])
def test_what_is_saved(show, kind):
    page = show(recurrent() if kind == "recurrent" else probability(), accept_downloads=True)
    for end in ("svg", "png"):
        with page.expect_download(timeout=60_000) as waiting:
            page.get_by_test_id(f"{kind}-save-{end}").click()
        data = waiting.value.path().read_bytes()
        if end == "svg":
            text = "".join(ElementTree.fromstring(data).itertext())
            assert all(word in text for word in (TOKENS if kind == "recurrent" else VOCAB))
        else:
            assert len(Image.open(BytesIO(data)).getcolors(1 << 20)) > 5
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_test_id(f"{kind}-copy-csv").click()
    expect(page.get_by_test_id(f"{kind}-status")).to_contain_text("on the clipboard")
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("unit of h,three," if kind == "recurrent" else "word,logit,softmax")
    assert len(text.splitlines()) == (4 if kind == "recurrent" else 5)


def test_every_control_has_a_name(show):
    page = show(recurrent(backward=STATES), probability())
    for role in ("slider", "button", "radio", "option", "listbox", "radiogroup"):
        for item in page.get_by_role(role).all():
            name = item.evaluate("e => e.ariaLabel || e.labels?.[0]?.textContent || e.textContent")
            assert name, item
