/** What the server says when a table cannot grow (SQLSTATE 53100). */
export const DISK_FULL = `create function disk_full() returns trigger language plpgsql as $$
  begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`;

/** Beside {@link DISK_FULL}. */
export function fullDiskUnder(table: string): string {
  return `create trigger disk_full before insert on ${table} for each row execute function disk_full()`;
}
