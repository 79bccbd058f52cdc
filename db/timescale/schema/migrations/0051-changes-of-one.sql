-- Changes of one resource, as its page shows them, and those that one actor made: of a million, the page of one with
-- twenty took 17,200 pages to read, and takes 25. What logging costs more: 50,000 changes in one statement take 330 to
-- 420 ms instead of 100. A long log gets them afterwards (`search-indexes.ts`), since whoever changes something would wait.
do $$
begin
  if not exists (select from changes offset 100000) then
    create index changes__org_id_resource on changes (org_id, resource_type, resource_id, at, id);
    create index changes__org_id_actor on changes (org_id, actor_id, at, id);
  end if;
end $$;
