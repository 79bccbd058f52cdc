/** Values of PostgreSQL's settings by name. They are constants of the code: they become part of a statement. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * Settings that the code relies on in each connection. PostgreSQL's default `random_page_cost`, made for rotating
 * disks, makes it scan 200 locations instead of using an index: a third of a look-up (102 us instead of 71).
 */
export const COMMON_SETTINGS: SessionSettings = {
  timezone: 'UTC',
  datestyle: 'ISO',
  random_page_cost: '1.1',
};

/** As the `options` that a connection starts with. */
export function asOptions(settings: SessionSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/** As a statement without result rows that sets them until its transaction ends. */
export function asStatement(settings: SessionSettings): string {
  const entries = Object.entries(settings);
  const set = entries.map(
    ([name, value], index) => `set_config('${name}', '${value}', true) as set_${index}`,
  );
  const isNone = entries.map((_, index) => `set_${index} is null`);
  return `select from (select ${set.join(', ')} offset 0) setting where ${isNone.join(' or ')}`;
}
