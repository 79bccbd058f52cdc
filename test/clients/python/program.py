"""What an integrator would write. The tests run it, and by night check its types."""

import os
from datetime import datetime, timezone

from tagtrail import Client, TagtrailError, rows


def main() -> None:
    client = Client(os.environ["TAGTRAIL_URL"], os.environ["TAGTRAIL_KEY"])
    assert "assets:write" in client.get_own_organization()["data"]["scopes"]

    site = client.create_location({"name": "Halle Süd", "external_key": "SITE"})["data"]
    dock = client.create_location(
        {"name": "Dock", "parent_id": site["id"], "tags": [{"tag_type": "ble", "value": "beacon-1"}]}
    )["data"]
    assert dock["parent_external_key"] == "SITE" and dock["tags"][0]["tag_type"] == "ble"
    assert client.get_location(site["id"])["data"]["name"] == "Halle Süd"
    assert client.list_location_descendants(site["id"], limit=5)["total_count"] == 1
    assert client.update_location(dock["id"], {"parent_id": None})["data"]["parent_id"] is None
    renamed = client.rename_location(dock["id"], {"external_key": "DOCK-1"})
    assert renamed["descendant_count_affected"] == 0 and renamed["data"]["external_key"] == "DOCK-1"

    asset = client.create_asset({"name": "Pallet", "metadata": {"weights": [1, 2.5]}})["data"]
    changed = client.update_asset(asset["id"], {"description": "Blue", "updated_at": asset["updated_at"]})["data"]
    assert client.list_assets(metadata={"metadata.weights": "[1, 2.5]"}, limit=1)["total_count"] == 1
    assert changed["description"] == "Blue" and changed["metadata"] == {"weights": [1, 2.5]}
    tag = client.attach_asset_tag(asset["id"], {"tag_type": "barcode", "value": "A+1 ü/&?"})["data"]
    assert [found["id"] for found in client.list_assets(tag_value="A+1 ü/&?")["data"]] == [asset["id"]]
    client.detach_asset_tag(asset["id"], tag["id"])
    written = client.write_assets(
        {"items": [{"external_key": f"CRATE-{number}", "name": f"Crate {number}"} for number in range(7)]}
    )["data"]
    assert [each["result"] for each in written] == ["created"] * 7

    crates = [row["external_key"] for row in rows(client.list_assets, q="crate", sort="-external_key", limit=3)]
    assert crates == [f"CRATE-{number}" for number in reversed(range(7))]
    some = client.list_assets(external_key=["CRATE-1", "CRATE-2", "NONE"], is_active=True)["data"]
    assert len(some) == 2
    unsorted = []
    for row in rows(client.list_assets, q="crate", limit=3):
        unsorted.append(row["external_key"])
        client.delete_asset(row["id"])
    assert unsorted == [f"CRATE-{number}" for number in range(7)]
    since = datetime(2026, 5, 4, 8, tzinfo=timezone.utc)
    assert list(rows(client.list_asset_history, asset["id"], from_=since, to="2026-05-05T08:00:00Z")) == []
    assert list(rows(client.report_presence, state=["overdue", "missing"], asset_id=asset["id"])) == []
    assert client.report_stays(from_=since, to=datetime.now(timezone.utc))["total_count"] == 0

    client.delete_asset(asset["id"])
    for refused, kind, status in (
        (lambda: client.get_asset(asset["id"]), "not_found", 404),
        (lambda: client.create_asset({"name": ""}), "validation_error", 400),
        (lambda: client.get_alert("a/b"), "validation_error", 400),
    ):
        try:
            refused()
        except TagtrailError as error:
            assert (error.type, error.status) == (kind, status), error
            assert error.title and error.detail and len(error.request_id) == 26
            if kind == "validation_error":
                assert error.fields[0]["code"] in ("too_short", "invalid_value")
        else:
            raise AssertionError(kind)


main()
print('"done"')
