import type { TestDatabase } from '../support/database.ts';
import { keyOf } from '../support/key-of.ts';
import { until } from '../support/subscribed-ingest.ts';
import { ApiProgram } from './api-program.ts';
import { Follower } from './follower.ts';

/** Processes of the API, and a consumer that follows the feed of an organization there. */
export class FollowedFeed {
  readonly apis: readonly ApiProgram[];
  readonly follower: Follower;
  readonly key: string;
  readonly #orgId: number;
  #kills = 0;

  private constructor(apis: readonly ApiProgram[], orgId: number, key: string) {
    this.apis = apis;
    this.key = key;
    this.#orgId = orgId;
    this.follower = Follower.start(
      apis.map(({ url }) => url),
      key,
    );
  }

  /** @param environment of the API. @param processes of the API. */
  static async start(
    { url }: TestDatabase,
    orgId: number,
    environment: NodeJS.ProcessEnv,
    processes: number,
  ): Promise<FollowedFeed> {
    const key = await keyOf(url, orgId);
    const apis = await Promise.all(Array.from({ length: processes }, () => ApiProgram.prepare(environment)));
    await Promise.all(apis.map((api) => api.startUntilReady()));
    return new FollowedFeed(apis, orgId, key);
  }

  /** Kills one process after the other, and starts it again. */
  async killApi(): Promise<void> {
    const api = this.apis[this.#kills % this.apis.length] as ApiProgram;
    this.#kills += 1;
    await api.kill();
    await api.startUntilReady();
  }

  /** Resolves when all that is committed is sealed, and the consumer has it. */
  async caughtUp(database: TestDatabase): Promise<void> {
    await until(
      async () =>
        (await this.#count(
          database,
          'select count(*)::int4 as count from unsealed_moves where org_id = $1',
        )) === 0,
    );
    await this.follower.reached(
      await this.#count(
        database,
        'select coalesce(max(head), 0)::int4 as count from move_heads where org_id = $1',
      ),
    );
  }

  async end(): Promise<void> {
    await this.follower.stop();
    await Promise.all(this.apis.map((api) => api.kill()));
  }

  async #count(database: TestDatabase, sql: string): Promise<number> {
    const [row] = await database.rows<{ count: number }>(sql, [this.#orgId]);
    return row?.count ?? 0;
  }
}
