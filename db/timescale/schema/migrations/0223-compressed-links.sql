-- Compressed Digital Links have GS1 keys now: the keys of organizations that have links are looked at again (`renewNext`).
delete from normal_key_progress progress where exists (
  select from tags where tags.org_id = progress.org_id and tags.value ilike '%http%');
