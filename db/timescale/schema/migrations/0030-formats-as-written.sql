-- A user's own format as it was written, with its keys in the order of whoever wrote it, which `jsonb` does not keep.
-- `definition` is what it means: what processes of the version before read, and what refuses text that no table can hold.
alter table formats add column source json;

-- Those stored so far get the order in which people write them.
create function format_as_written(value jsonb) returns text language sql as $$
  select case jsonb_typeof(value)
    when 'object' then (
      select '{' || coalesce(string_agg(to_json(key)::text || ':' || format_as_written(member), ','
        order by array_position(array[
          'name', 'description', 'decode', 'ignore', 'topics', 'texts', 'rules',
          'each', 'split', 'only', 'warn', 'fields',
          'tag_type', 'value', 'antenna', 'rssi', 'observed_at', 'reader', 'policies',
          'identity', 'time', 'report_unknown', 'element', 'item', 'parent', 'root', 'topic', 'const',
          'exists', 'in', 'not', 'join', 'with', 'where', 'take', 'if', 'transform',
          'scale', 'substring', 'decimal-to-hex', 'hex-to-decimal', 'epoch', 'rfc3339', 'date', 'pattern', 'zone'
        ], key), key), '') || '}'
      from jsonb_each(value) as members (key, member))
    when 'array' then (
      select '[' || coalesce(string_agg(format_as_written(element), ',' order by index), '') || ']'
      from jsonb_array_elements(value) with ordinality as elements (element, index))
    else value::text
  end
$$;

update formats set source = format_as_written(definition)::json;
drop function format_as_written;

alter table formats alter column source set not null;
