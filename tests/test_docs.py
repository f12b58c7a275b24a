import re

import pytest

from rag.config import SETTINGS
from tests.docs import PAGES, ROOT, refreshed

pytestmark = pytest.mark.usefixtures("home")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_shows_is_what_the_code_prints(page):
    text = page.read_text(encoding="utf-8")
    assert refreshed(text) == text, f"{page.name} shows old output; run: python -m tests.docs"


def test_a_page_with_old_output_is_noticed():
    old = '```console\n$ rag ask "hi"\nsomething else\n```\n'
    assert refreshed(old) != old


def test_every_setting_is_documented():
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert all(f"`{s.key}`" in text and f"`{s.env}`" in text for s in SETTINGS)


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
