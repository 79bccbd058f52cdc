import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { useApi } from '../../support/api.ts';
import { freePort } from '../../support/free-port.ts';
import { type Program, run } from '../../support/process.ts';
import { Random } from '../../support/random.ts';
import { itByNight } from '../../support/random-sets.ts';
import { aRead, record } from '../../support/recording.ts';
import { sealAll } from '../../support/seal-all.ts';
import { startSealing } from '../../support/sealing.ts';
import { Site } from '../../support/site.ts';
import { useTypedClient } from './use-typed-client.ts';

interface Copy {
  position: number;
  assets: Record<string, { location_external_key: string; history: Record<string, object> }>;
}

const ASSETS = 12;
const BATCHES = 120;

describe('the example that keeps a copy in step', () => {
  const api = useApi();
  useTypedClient();
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-copy-'));
  const file = join(folder, 'copy.json');
  const running = new Set<Program>();
  after(async () => {
    for (const program of running) {
      program.child.kill('SIGKILL');
      await program.ended;
    }
    rmSync(folder, { recursive: true });
  });
  const start = (path: string, environment: NodeJS.ProcessEnv) => {
    const program = run(path, [], environment);
    running.add(program);
    return program;
  };
  const end = async (program: Program, signal: NodeJS.Signals) => {
    program.child.kill(signal);
    const outcome = await program.ended;
    running.delete(program);
    return outcome;
  };

  itByNight(
    'has what the report and the histories have, though scans come late and everything is restarted',
    async () => {
      const site = await Site.create(api.database);
      const key = await api.keyWith(['tracking:read'], { orgId: site.orgId });
      const places = await Promise.all(['DOCK', 'YARD', 'HALL'].map((name) => site.location(name)));
      const readerId = await site.reader('gate', places);
      const assets = await Promise.all(
        Array.from({ length: ASSETS }, (_, index) => site.asset(`ASSET-${index}`, `E280${index}`)),
      );
      const random = new Random(1, 1);
      const from = Date.UTC(2026, 4, 1) * 1_000;
      const scan = (batch: number) =>
        record(
          api.database,
          Array.from({ length: 1 + random.below(6) }, () =>
            aRead({
              orgId: site.orgId,
              readerId,
              value: `E280${random.below(ASSETS)}`,
              locationId: random.pick(places),
              // Most come in order, some of them late.
              at:
                from +
                (batch + (random.once(4) ? -random.below(batch + 1) : 1)) * 1_000_000 +
                random.below(1_000_000),
              receivedAt: from + (BATCHES + 10) * 1_000_000,
            }),
          ),
        );

      const port = String(await freePort());
      const serve = async () => {
        const limits = { RATE_LIMIT_PER_MINUTE: '60000', RATE_LIMIT_BURST: '60000' };
        const server = start('services/api/main.ts', {
          DATABASE_URL: api.database.url,
          API_PORT: port,
          ...limits,
        });
        await server.printed('"address"');
        return server;
      };
      const copying = (more: NodeJS.ProcessEnv = {}) => ({
        ...{ TAGTRAIL_URL: `http://127.0.0.1:${port}`, TAGTRAIL_KEY: key, COPY: file },
        ...more,
      });
      const example = 'clients/typescript/examples/copy-in-step.ts';
      let server = await serve();
      let sealing = startSealing(api.database.url, { onFault: () => {} });
      const positionOfCopy = () => (existsSync(file) ? read(file).position : undefined);
      const startCopy = () => {
        const before = positionOfCopy();
        return { program: start(example, copying()), hasBegun: () => positionOfCopy() !== before };
      };
      // Before it has begun it does not listen to signals yet, and may have no copy to go on with.
      const endCopy = async ({ program, hasBegun }: typeof copy, signal: NodeJS.Signals, batch: number) => {
        while (!hasBegun()) {
          await scan(batch);
          // Not so many scans that a history has more than a page.
          await pause(250);
        }
        return end(program, signal);
      };
      let copy = startCopy();
      for (let batch = 1; batch <= BATCHES; batch++) {
        await scan(batch);
        if (batch === 30 || batch === 90) {
          await endCopy(copy, batch === 30 ? 'SIGKILL' : 'SIGTERM', batch);
          copy = startCopy();
        } else if (batch === 40 || batch === 70) {
          await end(server, batch === 40 ? 'SIGKILL' : 'SIGTERM');
          server = await serve();
        } else if (batch === 55) {
          await sealing.stop();
        } else if (batch === 60) {
          sealing = startSealing(api.database.url, { onFault: () => {} });
        }
      }
      expect(await endCopy(copy, 'SIGTERM', BATCHES)).to.equal(0);
      await sealing.stop();
      await sealAll(api.database.url);
      const stopped = read(file).position;
      expect(await start(example, copying({ UNTIL: 'head' })).ended).to.equal(0);

      const get = async (path: string) => (await api.call({ path: `/api/v1/${path}`, key })).body?.data;
      const { position, assets: copied } = read(file);
      expect(position).to.equal((await get('moves?after=0&limit=1')).head);
      expect(position).to.be.above(BATCHES);
      expect(stopped).to.be.above(0);
      expect(Object.keys(copied)).to.have.length(ASSETS);
      for (const { asset_id, location_external_key } of await get('reports/asset-locations?limit=200')) {
        expect(copied[asset_id]?.location_external_key, `asset ${asset_id}`).to.equal(location_external_key);
      }
      for (const id of assets) {
        const rows: { [name: string]: string }[] = await get(`assets/${id}/history?limit=200`);
        const history = rows.map((row) => [
          row['row'],
          {
            at: row['event_observed_at'],
            location: row['location_external_key'],
            seconds: row['duration_seconds'],
          },
        ]);
        expect(copied[id]?.history, `asset ${id}`).to.deep.equal(Object.fromEntries(history));
      }
      await end(server, 'SIGTERM');
    },
  );
});

function read(file: string): Copy {
  return JSON.parse(readFileSync(file, 'utf8'));
}
