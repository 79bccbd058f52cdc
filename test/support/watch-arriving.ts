import { movedTables } from '../../db/timescale/cells/moved-tables.ts';
import type { TestDatabase } from './database.ts';

/**
 * Notes what is changed of organizations that are not there yet, whatever process does it, in whatever table: all but the
 * command that moves them, whose triggers are off.
 *
 * @returns what was.
 */
export async function watchArriving({ pool, rows }: TestDatabase): Promise<() => Promise<string[]>> {
  await rows('create table changes_of_arriving (what text not null)');
  await rows(`create function note_change_of_arriving() returns trigger language plpgsql as $$
    declare
      changed jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
    begin
      if exists (
        select from unnest(tg_argv) as owner
        where changed ->> owner is not null
          and not exists (select from organizations where id = (changed ->> owner)::integer)
      ) then
        insert into changes_of_arriving values (tg_op || ' of ' || tg_table_name);
      end if;
      return null;
    end $$`);
  const client = await pool.connect();
  const tables = await movedTables(client);
  client.release();
  for (const { identifier, owners } of tables) {
    const names = owners.map((owner) => `'${owner}'`).join(', ');
    await rows(`create trigger note_change_of_arriving after insert or update or delete on ${identifier}
      for each row execute function note_change_of_arriving(${names})`);
  }
  return async () =>
    (await rows<{ what: string }>('select distinct what from changes_of_arriving')).map(({ what }) => what);
}
