-- Search (`q`) finds a text however it is composed: `é` as one letter or as two, and what only looks different, such as letters
-- of full width, by Unicode's form NFKC. Both stored and searched texts are folded by this function.
create or replace function folded(text_to_fold text) returns text language sql immutable parallel safe
return case
  when octet_length(text_to_fold) = char_length(text_to_fold) then lower(text_to_fold collate "pg_c_utf8")
  when lower(upper(normalize(text_to_fold, nfkc) collate "pg_c_utf8")) !~ '[ŉǰΐΰևẖẗẘẙẚὐὒὔὖᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾲᾳᾴᾶᾷῂῃῄῆῇῒΐῖῗῢΰῤῦῧῲῳῴῶῷﬀﬁﬂﬃﬄﬅﬆﬓﬔﬕﬖﬗ]'
  then replace(lower(upper(normalize(text_to_fold, nfkc) collate "pg_c_utf8")), 'ß', 'ss')
  else folded_by_letter(replace(lower(upper(normalize(text_to_fold, nfkc) collate "pg_c_utf8")), 'ß', 'ss'))
end;

-- The indexes have texts as they were folded before. Where there are assets, `migrate` and `npm start` build them afterwards,
-- beside those who write (`search-indexes.ts`); until then searches read all rows of the organization.
drop index if exists assets__searched_text, locations__searched_text, tags__searched_text;
do $$
begin
  if not exists (select from assets) then
    perform create_search_indexes();
  end if;
end $$;
