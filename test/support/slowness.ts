import type { TestDatabase } from './database.ts';

/** Recording a scan of {@link SLOW_TAG} takes as long as it is on. A lock would not do: what waits for one goes aside. */
export interface Slowness {
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Resolves when such a scan is being recorded. */
  isUnderWay(): Promise<void>;
}

export const SLOW_TAG = 'E28-SLOW';

export function slownessOn(database: TestDatabase): Slowness {
  before(() =>
    database.rows(
      `create table slowness (is_on boolean);
       grant select on slowness to public;
       create function take_long() returns trigger language plpgsql as
         $$ begin while exists (select from slowness) loop perform pg_sleep(0.005); end loop; return new; end $$;
       create trigger take_long before insert on scan_events
         for each row when (new.tag_value = '${SLOW_TAG}') execute function take_long()`,
    ),
  );
  return {
    begin: async () => {
      await database.rows('insert into slowness values (true)');
    },
    end: async () => {
      await database.rows('delete from slowness');
    },
    isUnderWay: async () => {
      const sleeping = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
      while ((await database.rows(sleeping)).length === 0) {
        // The database is asked again.
      }
    },
  };
}
