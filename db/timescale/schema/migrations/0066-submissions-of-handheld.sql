-- The last submission of each handheld, which the list of handhelds shows: it looked through all of the organization's. Where
-- there are many it is built afterwards (`search-indexes.ts`), since handhelds that send would wait.
do $$
begin
  if not exists (select from submissions offset 100000) then
    create index submissions__org_id_handheld_id_received_at on submissions (org_id, handheld_id, received_at);
  end if;
end $$;
