import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Finding } from '../../domain/health/finding.ts';
import {
  newSecretsKey,
  parseSecretsKeys,
  type SecretsKeys,
} from '../../domain/webhooks/secrets/secrets-key.ts';
import { runCommand } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { appendMoves } from '../support/feed-rows.ts';
import { Site } from '../support/site.ts';
import { newWebhook, startDeliverer } from '../support/webhooks.ts';

describe('doctor, of webhooks', () => {
  const database = useDatabase();
  let site: Site;

  before(async () => {
    site = await Site.create(database);
  });

  beforeEach(async () => {
    await database.rows(`update webhooks set state = 'off'`);
    // As long as a process delivers.
    await database.rows(
      `insert into webhook_deliverers (id, alive_until) values (gen_random_uuid(), now() + interval '1 hour')`,
    );
  });

  async function findings(): Promise<Finding[]> {
    const { stdout } = await runCommand(['doctor', '--json'], {
      DATABASE_URL: database.url,
      TAGTRAIL_DATA: join(tmpdir(), 'tagtrail-none'),
      ...{ API_PORT: '0', HANDHELD_PORT: '0', CONSOLE_PORT: '0', INGEST_PORT: '0' },
    });
    const said = JSON.parse(stdout) as { findings: Finding[] };
    return said.findings.filter(({ check }) => check === 'webhooks');
  }

  it('counts how long an event has waited from when the webhook was there to get it', async () => {
    await appendMoves(database, site.orgId, [
      {
        ...{ assetId: await site.asset('OLD'), locationId: await site.location('HALL') },
        ...{ since: '2026-05-04T08:00:00Z', sealedAt: new Date(Date.now() - 3_600_000).toISOString() },
      },
    ]);
    const { id, name } = await newWebhook(database, {
      ...{ orgId: site.orgId, url: 'https://example.com/', after: 0 },
    });
    await newWebhook(database, { orgId: site.orgId, url: 'https://example.com/', name: 'Up to date' });
    const since = (minutes: number) =>
      database.rows(`update webhooks set state_at = now() - make_interval(mins => $2) where id = $1`, [
        id,
        minutes,
      ]);
    // First of all, as the event grows older with each look.
    await since(600);
    const [oldest] = await findings();
    expect(oldest?.message).to.include('An event has waited for 60 minutes to be delivered');
    await since(5);
    const [young] = await findings();
    expect(young).to.include({ status: 'ok' });
    await since(17);
    const [older] = await findings();
    expect(older).to.include({
      status: 'warning',
      message: `An event has waited for 17 minutes to be delivered by webhook ${id} (${name})`,
    });
    expect(older?.remedy).to.include(`webhook attempts --webhook ${id}`);
  });

  it('names SECRETS_KEY, and blames no receiver, where no process can read the secret', async () => {
    const { id, name } = await newWebhook(database, {
      ...{ orgId: site.orgId, url: 'https://example.com/', after: 0 },
    });
    await database.rows(`update webhooks set state_at = now() - interval '1 hour' where id = $1`, [id]);
    const keys = parseSecretsKeys(newSecretsKey()) as SecretsKeys;
    const { stop } = await startDeliverer(database, { keys });
    try {
      const attempts = () =>
        database.rows<{ error: string }>('select error from webhook_attempts where webhook_id = $1', [id]);
      while ((await attempts()).length === 0) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const found = await findings();
      expect(found).to.have.length(1);
      expect(found[0]).to.include({ status: 'fault' });
      expect(found[0]?.message)
        .to.include(`Webhook ${id} (${name})`)
        .and.include('a SECRETS_KEY that the service lacks');
      expect(found[0]?.remedy).to.include(`--webhook ${id} --rotate-secret --drop-old-secret`);
      const list = await runCommand(['webhook', 'list', '--org', String(site.orgId), '--json'], {
        DATABASE_URL: database.url,
      });
      const listed = JSON.parse(list.stdout).find((webhook: { id: number }) => webhook.id === id);
      expect(listed.last_attempt.error).to.include('another SECRETS_KEY');
    } finally {
      await stop();
    }
  });
});
