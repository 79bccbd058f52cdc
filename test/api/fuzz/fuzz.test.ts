import { expect } from 'chai';
import fc from 'fast-check';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { API_ROUTES } from '../../../services/api/routes.ts';
import { useApi } from '../../support/api.ts';
import type { TestDatabase } from '../../support/database.ts';
import { randomSets } from '../../support/random-sets.ts';
import { expectAnswered, isParsable, isRejected } from './oracle.ts';
import { RawConnection } from './raw-connection.ts';
import { type FuzzRequest, toBytes, toCurl } from './request.ts';
import { requestsFor } from './requests.ts';
import { furnish, revive } from './rows.ts';

/** One rejected request in so many is checked for having changed nothing. */
const SAMPLE = 4;

/** After so many requests, what they deleted is brought back. */
const REVIVAL = 50;

/** Everything that a request can change; when a key was last used is not a change. */
const ROWS = {
  assets: 'row::text',
  locations: 'row::text',
  tags: 'row::text',
  external_key_counters: 'row::text',
  positions: 'row::text',
  organizations: 'row::text',
  api_keys: `(to_jsonb(row) - 'last_used_at')::text`,
};

const DIGEST = `select concat_ws(' ', ${Object.entries(ROWS)
  .map(([table, text]) => `(select count(*) || ':' || sum(hashtextextended(${text}, 0)) from ${table} row)`)
  .join(', ')}) as digest`;

describe('any request', () => {
  const api = useApi();
  let connection: RawConnection;
  let key: string;
  let made = 0;

  before(async () => {
    key = await api.keyWith([...PUBLIC_SCOPES, 'keys:admin']);
    await furnish(api);
    connection = new RawConnection(api.url);
  });
  after(() => connection?.close());

  async function check(request: FuzzRequest): Promise<void> {
    if (made % REVIVAL === 0) {
      await revive(api);
    }
    const isSampled = made++ % SAMPLE === 0;
    const before = isSampled ? await tableDigest(api.database) : '';
    const answer = await connection.exchange(
      toBytes(request),
      request.method !== 'HEAD' || !isParsable(request),
    );
    expectAnswered(request, answer);
    if (isSampled && isRejected(answer)) {
      expect(await tableDigest(api.database), `the ${answer.status} changed something`).to.equal(before);
    }
  }

  const runs = Math.ceil(fuzzSize(process.env) / API_ROUTES.length);
  for (const route of API_ROUTES) {
    it(`is answered as ${route.operationId} declares`, async () => {
      const property = fc.asyncProperty(requestsFor(route, key), check);
      const report = await fc.check(property, { numRuns: runs, ...fuzzSeed(process.env) });
      if (report.failed) {
        const [request] = report.counterexample ?? [];
        const curl = request === undefined ? '' : toCurl(request, key);
        expect.fail(
          `FUZZ_SEED=${report.seed} after ${report.numRuns} requests\n${curl}\n${report.errorInstance}`,
        );
      }
    });
  }
});

/** How many requests the fuzzer makes, over all operations: `FUZZ_REQUESTS`, or what one likes to wait for. */
function fuzzSize(environment: NodeJS.ProcessEnv): number {
  return Number(environment['FUZZ_REQUESTS'] ?? Math.max(1_000, randomSets(3_000)));
}

/** `FUZZ_SEED` repeats a run whose seed a failure has printed. */
function fuzzSeed(environment: NodeJS.ProcessEnv): { seed?: number } {
  const seed = environment['FUZZ_SEED'];
  return seed === undefined ? {} : { seed: Number(seed) };
}

/** What the tables hold, in short: equal for equal rows, whatever their order. */
async function tableDigest(database: TestDatabase): Promise<string> {
  const [row] = await database.rows<{ digest: string }>(DIGEST);
  return row?.digest ?? '';
}
