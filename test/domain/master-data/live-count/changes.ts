import fc from 'fast-check';

/** One statement about the rows of one table; `$1` is an organization, `$2` some number that picks rows. */
const CHANGES = [
  `insert into TABLE (org_id, external_key, name) values ($1, gen_random_uuid()::text, 'one' || $2::integer)`,
  `insert into TABLE (org_id, external_key, name, is_active, valid_from, valid_to, deleted_at)
   select $1, gen_random_uuid()::text, 'bulk', n % 3 > 0, WINDOW_FROM, WINDOW_TO, case when n % 7 = 0 then now() end
   from generate_series(1, 20 + $2::integer) n`,
  `insert into TABLE (org_id, external_key, name) values ($1, 'KEY-' || $2::integer % 5, 'upsert')
   on conflict (org_id, external_key) where deleted_at is null do update set is_active = not TABLE.is_active`,
  `insert into TABLE (org_id, external_key, name) values ($1, 'KEY-' || $2::integer % 5, 'ignored')
   on conflict (org_id, external_key) where deleted_at is null do nothing`,
  `merge into TABLE using (select $1::integer as org_id, 'KEY-' || $2::integer % 5 as key) given
   on TABLE.org_id = given.org_id and TABLE.external_key = given.key and TABLE.deleted_at is null
   when matched and TABLE.is_active then update set deleted_at = now()
   when matched then delete
   when not matched then insert (org_id, external_key, name) values (given.org_id, given.key, 'merged')`,
  `update TABLE set deleted_at = now() where PICKED and deleted_at is null`,
  `update TABLE set deleted_at = null where PICKED and external_key not like 'KEY-%'`,
  `update TABLE set is_active = not is_active where PICKED`,
  `update TABLE set name = 'changed' where PICKED`,
  `update TABLE set valid_from = WINDOW_FROM, valid_to = WINDOW_TO from generate_series($2::integer, $2::integer) n
   where PICKED`,
  `delete from TABLE where PICKED`,
  `update TABLE set name = 'of all organizations', is_active = not is_active where $1 > 0 and id % 13 = $2 % 13`,
];

/** A transaction: what it does, and whether it is kept. */
export interface Change {
  statements: { sql: string; picks: number }[];
  isKept: boolean;
}

/** Windows that are open, over, not yet open, and never: over before it opens, now, in the past or in the future. */
const WINDOW_FROM = `now() + ((n * 5) % 7 - 4) * interval '100 milliseconds'`;
const WINDOW_TO = `case when n % 4 > 0 then now() + ((n * 3) % 11 - 5) * interval '100 milliseconds' end`;

export const aChange: fc.Arbitrary<Change> = fc.record({
  statements: fc.array(
    fc.record({
      sql: fc
        .tuple(fc.constantFrom(...CHANGES), fc.constantFrom('assets', 'locations'))
        .map(([sql, table]) =>
          sql
            .replaceAll('TABLE', table)
            .replaceAll('PICKED', 'org_id = $1 and id % 5 = $2 % 5')
            .replaceAll('WINDOW_FROM', WINDOW_FROM)
            .replaceAll('WINDOW_TO', WINDOW_TO),
        ),
      picks: fc.nat({ max: 60 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  isKept: fc.boolean(),
});
