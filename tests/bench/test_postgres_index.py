"""What the measurements on PostgreSQL are made on is a store like any other."""

from pathlib import Path

from bench.postgres_index import KB, Articles, save
from pincite.storage import create_store
from tests.postgres_cluster import Cluster


def test_a_filled_knowledge_base_is_searched_edited_and_proved(
    postgres: Cluster, tmp_path: Path
) -> None:
    store = create_store(postgres.new_place(), index_folder=tmp_path)
    articles = Articles(30)
    articles.fill(store)
    saved = [save(store, *edit) for edit in articles.edits("somebody", 3)]
    with store.view() as view:
        found = view.find_knowledge_base(KB)
        hits = view.search(KB, "somebody", 10)
    assert saved == [31, 32, 33]
    assert found is not None
    assert (found.article_count, found.latest_sequence) == (30, 33)
    assert {hit.article_id for hit in hits} == {"article-0", "article-1", "article-2"}
    assert store.upkeep.check() == []
    store.close()
