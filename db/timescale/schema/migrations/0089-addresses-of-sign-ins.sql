-- Finds the addresses of sign-ins that are past their time in a log of millions. A long log gets it afterwards
-- (`search-indexes.ts`), as in 0051.
do $$
begin
  if not exists (select from changes offset 100000) then
    create index changes__at_of_address on changes (at) where action = 'sign_in' and after ->> 'address' is not null;
  end if;
end $$;
