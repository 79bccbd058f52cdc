\ir ../functions/search.sql
-- Where there are assets it is built later, beside those who write (`search-indexes.ts`).
do $$
begin
  if pg_relation_size('assets') = 0 then
    create index if not exists assets__fields on assets using gin (asset_fields(org_id, metadata));
    -- Statistics would be made of the fields of 30,000 assets again and again, up to a megabyte each.
    alter index assets__fields alter column 1 set statistics 0;
  end if;
end $$;
