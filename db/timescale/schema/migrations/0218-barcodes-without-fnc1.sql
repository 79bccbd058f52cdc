-- Barcodes with FNC1 whose key kept it: scanners that leave it out found none of them. As `storedKeys` makes keys now.
update tags set tag_key = plain.key, normal_key = coalesce(stored.normal_key, stored.tag_key)
from tags stored
  cross join lateral (
    select replace(regexp_replace(stored.value, '^\](?:C1|d2|Q3|e0|J1)', ''), chr(29), '') as key) plain
where stored.tag_type = 'barcode' and stored.tag_key like '%' || chr(29) || '%' and plain.key <> ''
  and tags.org_id = stored.org_id and tags.id = stored.id;
