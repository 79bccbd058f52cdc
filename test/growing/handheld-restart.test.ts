import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { aScan, aSubmission } from '../support/new-submission.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';
import { replicaOf } from './replica.ts';

const DEVICES = 3;
const SCANS = 5;

describe('a handheld gateway that is restarted while devices submit', () => {
  const database = useDatabase();
  let port: number;
  const gateway = replicaOf('services/handheld-gateway/main.ts', () => ({
    DATABASE_URL: database.url,
    HANDHELD_PORT: String(port),
    HANDHELD_RATE_LIMIT_PER_MINUTE: '60000',
    SHUTDOWN_DELAY_MS: '0',
  }));
  const tokens: string[] = [];

  before(async () => {
    const site = await Site.create(database);
    await site.location('SHELF');
    for (let asset = 0; asset < SCANS; asset++) {
      await site.asset(`PALLET-${asset}`, tagOf(asset));
    }
    for (let device = 0; device < DEVICES; device++) {
      const { token } = await createHandheld(databaseOn(database.pool), TEST_ACTOR, {
        orgId: site.orgId,
        name: `gun ${device}`,
      });
      tokens.push(token);
    }
    port = await freePort();
    await gateway.start();
  });
  database.beforeDrop(() => gateway.stop('SIGKILL'));

  it('records each submission once, however often it was sent', async () => {
    let isOpen = true;
    let submitted = 0;
    let retried = 0;
    const wrong: unknown[] = [];
    const send = async (token: string, body: string) => {
      const answer = await fetch(`${gateway.url}/handheld/v1/submissions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body,
      });
      return { status: answer.status, body: (await answer.json()) as { data: { results: unknown[] } } };
    };
    const submit = async (token: string) => {
      const scans = Array.from({ length: SCANS }, (_, asset) => aScan(tagOf(asset)));
      const body = JSON.stringify(aSubmission(scans, { location: { external_key: 'SHELF' } }));
      for (let attempt = 0; ; attempt++) {
        const answer = await send(token, body).catch(() => null);
        if (answer === null) {
          retried += 1;
          await pause(20);
          continue;
        }
        if (!(answer.status === 201 || (answer.status === 200 && attempt > 0))) {
          wrong.push(answer);
        }
        submitted += 1;
        return;
      }
    };
    const working = tokens.map(async (token) => {
      while (isOpen) {
        await submit(token);
      }
    });
    for (const [signal, status] of [
      ['SIGKILL', 'SIGKILL'],
      ['SIGTERM', 0],
      ['SIGKILL', 'SIGKILL'],
    ] as const) {
      const enough = submitted + 30;
      await until(() => submitted >= enough);
      expect(await gateway.stop(signal)).to.equal(status);
      await gateway.start();
    }
    isOpen = false;
    await Promise.all(working);
    expect(wrong).to.deep.equal([]);
    expect(retried).to.be.above(0);
    const [stored] = await database.rows(
      `select (select count(*)::integer from submissions) as submissions,
         (select count(*)::integer from scan_events) as scans`,
    );
    expect(stored).to.deep.equal({ submissions: submitted, scans: submitted * SCANS });
  });
});

const tagOf = (asset: number) => `E28011${String(asset).padStart(4, '0')}`;
