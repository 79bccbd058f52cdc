-- Search (`q`) by an index of trigrams, where the extensions for it are there.

-- Letters that full Unicode case folding turns into several (CaseFolding.txt, status F), as they are after simple folding.
create function folded_by_letter(text_to_fold text) returns text language sql immutable strict parallel safe
return (
  select string_agg(coalesce('{"ŉ":"ʼn","ǰ":"ǰ","ΐ":"ΐ","ΰ":"ΰ","և":"եւ","ẖ":"ẖ","ẗ":"ẗ","ẘ":"ẘ","ẙ":"ẙ","ẚ":"aʾ","ὐ":"ὐ",
    "ὒ":"ὒ","ὔ":"ὔ","ὖ":"ὖ","ᾀ":"ἀι","ᾁ":"ἁι","ᾂ":"ἂι","ᾃ":"ἃι","ᾄ":"ἄι","ᾅ":"ἅι","ᾆ":"ἆι","ᾇ":"ἇι",
    "ᾐ":"ἠι","ᾑ":"ἡι","ᾒ":"ἢι","ᾓ":"ἣι","ᾔ":"ἤι","ᾕ":"ἥι","ᾖ":"ἦι","ᾗ":"ἧι","ᾠ":"ὠι","ᾡ":"ὡι","ᾢ":"ὢι","ᾣ":"ὣι",
    "ᾤ":"ὤι","ᾥ":"ὥι","ᾦ":"ὦι","ᾧ":"ὧι","ᾲ":"ὰι","ᾳ":"αι","ᾴ":"άι","ᾶ":"ᾶ","ᾷ":"ᾶι","ῂ":"ὴι","ῃ":"ηι","ῄ":"ήι",
    "ῆ":"ῆ","ῇ":"ῆι","ῒ":"ῒ","ΐ":"ΐ","ῖ":"ῖ","ῗ":"ῗ","ῢ":"ῢ","ΰ":"ΰ","ῤ":"ῤ","ῦ":"ῦ","ῧ":"ῧ",
    "ῲ":"ὼι","ῳ":"ωι","ῴ":"ώι","ῶ":"ῶ","ῷ":"ῶι","ﬀ":"ff","ﬁ":"fi","ﬂ":"fl","ﬃ":"ffi","ﬄ":"ffl","ﬅ":"st",
    "ﬆ":"st","ﬓ":"մն","ﬔ":"մե","ﬕ":"մի","ﬖ":"վն",
    "ﬗ":"մխ"}'::jsonb ->> letter, letter), '' order by place)
  from regexp_split_to_table(text_to_fold, '') with ordinality as split (letter, place)
);

-- Letter case aside, by Unicode, whatever the server's locale: to upper case first, so that both forms of sigma meet. One
-- expression and not strict, so that it is computed in place. Most texts are ASCII, and of the letters that become several
-- only sharp s is frequent: by letter, a text takes 25 us.
create function folded(text_to_fold text) returns text language sql immutable parallel safe
return case
  when octet_length(text_to_fold) = char_length(text_to_fold) then lower(text_to_fold collate "pg_c_utf8")
  when lower(upper(text_to_fold collate "pg_c_utf8")) !~ '[ŉǰΐΰևẖẗẘẙẚὐὒὔὖᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾲᾳᾴᾶᾷῂῃῄῆῇῒΐῖῗῢΰῤῦῧῲῳῴῶῷﬀﬁﬂﬃﬄﬅﬆﬓﬔﬕﬖﬗ]'
  then replace(lower(upper(text_to_fold collate "pg_c_utf8")), 'ß', 'ss')
  else folded_by_letter(replace(lower(upper(text_to_fold collate "pg_c_utf8")), 'ß', 'ss'))
end;

-- What is searched in an asset or a location, tags aside. A control character, which no searched text has, keeps the parts
-- apart.
create function searched_text(name text, external_key text, description text) returns text
language sql immutable parallel safe
return folded(name || E'\x01' || external_key || E'\x01' || coalesce(description, ''));

-- The index has the organization in it, so that nobody's search reads what others have. Where there are assets already it is
-- not built here, since writers would wait for it, a minute for a million assets, but afterwards and beside them
-- (`search-indexes.ts`). It takes 50,000 new assets from 2.5 s to 7, since what is new is gathered
-- and sorted in by 4 MB (`fastupdate`); one by one it would be 28.
--
-- False where an extension is not installed or may not be created; searches then read all rows of the organization. Once it
-- is there, an administrator calls this again.
create function create_search_indexes() returns boolean language plpgsql as $$
begin
  begin
    create extension if not exists pg_trgm;
    create extension if not exists btree_gin;
  exception when insufficient_privilege or undefined_file or feature_not_supported then
    return false;
  end;
  create index if not exists assets__searched_text on assets
    using gin (org_id, searched_text(name, external_key, description) gin_trgm_ops);
  create index if not exists locations__searched_text on locations
    using gin (org_id, searched_text(name, external_key, description) gin_trgm_ops);
  create index if not exists tags__searched_text on tags
    using gin (org_id, folded(value) gin_trgm_ops) where detached_at is null;
  return true;
end $$;
revoke execute on function create_search_indexes from public;

do $$
begin
  if exists (select from assets) then
    begin
      create extension if not exists pg_trgm;
      create extension if not exists btree_gin;
    exception when insufficient_privilege or undefined_file or feature_not_supported then
      null;
    end;
  else
    perform create_search_indexes();
  end if;
end $$;

-- The rows of an organization that have a text in them or in a live tag. Under row-level security a condition that might
-- tell of rows it rejects is not looked up in an index before the policy has been applied to all rows, and `like` is
-- counted among those. So this runs with its owner's rights, and applies the policy itself: it finds nothing but what
-- belongs to the organization that the request has named. Planned anew for each text, because how many rows have it is
-- what decides.
create function find_by_text(of_resource text, of_org_id integer, searched text) returns setof integer
language plpgsql stable security definer rows 100 set search_path = pg_catalog, public, pg_temp as $$
declare
  pattern text := '%' || regexp_replace(folded(searched), '([\\%_])', '\\\1', 'g') || '%';
begin
  if of_org_id is distinct from current_org_id() then
    return;
  end if;
  case of_resource
    when 'asset' then
      return query execute
        'select id from assets
         where org_id = $1 and searched_text(name, external_key, description) like $2
         union
         select asset_id from tags
         where org_id = $1 and asset_id is not null and detached_at is null and folded(value) like $2'
        using of_org_id, pattern;
    when 'location' then
      return query execute
        'select id from locations
         where org_id = $1 and searched_text(name, external_key, description) like $2
         union
         select location_id from tags
         where org_id = $1 and location_id is not null and detached_at is null and folded(value) like $2'
        using of_org_id, pattern;
  end case;
end $$;
