import pytest

from tests.cli.conftest import Run


@pytest.fixture
def stamp(kb: Run) -> str:
    made = kb(
        "article", "new", "kb", "a", "--publish", "--json", typed=b"# Leave\n\nAnnual leave.\n"
    )
    return str(made.json["updated_at"])


def test_a_search_answers_programs_as_the_tool_does(kb: Run, stamp: str) -> None:
    found = kb("search", "kb", "annual", "--json").json
    assert found["latest_sequence"] == 1
    assert found["results"][0]["citation"] == {
        "knowledge_base_id": "kb",
        "article_id": "a",
        "updated_at": stamp,
    }


def test_a_search_tells_people_one_hit_a_line(kb: Run, stamp: str) -> None:
    assert kb("search", "kb", "annual").out == f"a\tLeave\t{stamp}\tAnnual leave.\n"
    assert kb("search", "kb", "nothing here").out == ""


def test_a_poll_answers_programs_as_the_tool_does(kb: Run, stamp: str) -> None:
    event = {
        "sequence": 1,
        "type": "article.published",
        "article_id": "a",
        "updated_at": stamp,
    }
    assert kb("poll", "knowledge_base", "kb", "--json").json == {
        "events": [event],
        "next_sequence": 1,
        "latest_sequence": 1,
        "has_more": False,
    }
    assert kb("poll", "knowledge_base", "kb").out == f"1\tarticle.published\ta\t{stamp}\t\n"
    assert kb("poll", "knowledge_base", "kb", "--after", "1").out == ""
    assert kb("poll", "channel", "none", "--json").json["latest_sequence"] == 0


def test_limits_are_refused_by_name(kb: Run) -> None:
    for command, field in (
        (("search", "kb", "annual", "--limit", "21"), "limit"),
        (("search", "kb", "x" * 201), "query"),
        (("poll", "knowledge_base", "kb", "--limit", "0"), "limit"),
        (("poll", "knowledge_base", "kb", "--after", "-1"), "after_sequence"),
    ):
        error = kb(*command, "--json").error
        assert (error["code"], error["details"]["field"]) == ("invalid_input", field)
    ahead = kb("poll", "knowledge_base", "kb", "--after", "9", "--json").error
    assert (ahead["code"], ahead["details"]) == ("cursor_ahead", {"latest_sequence": 0})


def test_a_type_that_there_is_not_is_wrong_usage(kb: Run) -> None:
    ran = kb("poll", "article", "kb")
    assert ran.code == 2
    assert "article is none of channel, note, knowledge_base, record, session." in ran.err
