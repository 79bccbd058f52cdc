import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Finding } from '../../domain/health/finding.ts';
import { runCommand } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { useMosquitto } from '../support/mosquitto.ts';
import { hear, place } from '../support/placed.ts';
import { run } from '../support/process.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';

describe('moves over MQTT that stand still', () => {
  const broker = useMosquitto();
  const database = useDatabase();

  const findings = async (environment: NodeJS.ProcessEnv = {}) => {
    const { stdout } = await runCommand(['doctor', '--json'], {
      DATABASE_URL: database.url,
      TAGTRAIL_DATA: join(tmpdir(), 'tagtrail-none'),
      ...{ API_PORT: '0', HANDHELD_PORT: '0', CONSOLE_PORT: '0', INGEST_PORT: '0' },
      ...environment,
    });
    const said = JSON.parse(stdout) as { findings: Finding[] };
    return said.findings.filter(({ check }) => check === 'moves over MQTT');
  };
  const configured = { MQTT_MOVES_PREFIX: 'site' };

  it('are told of by doctor, and by a metric of how long they have waited, until they are published', async () => {
    const site = await Site.create(database);
    const [dock, asset] = [await site.location('DOCK'), await site.asset('PALLET')];
    expect(await findings()).to.deep.equal([]);
    const [idle] = await findings(configured);
    expect(idle).to.include({ status: 'warning' });
    expect(idle?.message).to.include('no process publishes');

    const program = run('services/mqtt-ingest/main.ts', [], {
      ...{ DATABASE_URL: database.url, MQTT_URL: broker.url, INGEST_PORT: '0', ...configured },
    });
    try {
      await program.printed('Ingestion running');
      const [, address = ''] = /"address":"([^"]+)"/.exec(program.stdout()) ?? [];
      const metric = async (name: string) => {
        const text = await (await fetch(`${address}/metrics`)).text();
        return Number(new RegExp(`^tagtrail_moves_out_${name} (\\S+)$`, 'm').exec(text)?.[1]);
      };
      const followed = 'select from mqtt_feeds where snapshot_after is null';
      await until(async () => (await database.rows(followed)).length === 1);
      expect((await findings(configured)).map(({ status }) => status)).to.deep.equal(['ok']);
      expect((await findings()).map(({ status }) => status)).to.deep.equal(['ok']);
      expect(await metric('publishing')).to.equal(1);
      expect(await metric('lag_seconds')).to.equal(0);

      await database.rows(
        `insert into publishing_faults (org_id, topic, reason) values ($1, 'site/1', 'Not authorized (site/1)')`,
        [site.orgId],
      );
      const [refused, ...others] = await findings(configured);
      expect(refused).to.include({ status: 'warning' });
      expect(refused?.message).to.include(`Organization ${site.orgId} (`);
      expect(refused?.message).to.include('Not authorized (site/1)');
      expect(others).to.deep.equal([]);
      await until(async () => (await metric(`set_aside{org="${site.orgId}"}`)) === 1);
      await database.rows('delete from publishing_faults');

      await broker.stop();
      await until(async () => (await metric('publishing')) === 0);
      await place(database, site.orgId, {
        assetId: asset,
        locationId: dock,
        since: '2026-05-01T10:00:00Z',
      });
      await until(async () => (await metric('lag_seconds')) > 0);
      await database.rows(
        `set tagtrail.retention = on; update moves set sealed_at = sealed_at - interval '10 minutes';
         update move_days set day = day - 1`,
      );
      expect(await metric('lag_seconds')).to.be.within(600, 660);
      const [late] = await findings(configured);
      expect(late).to.include({ status: 'warning' });
      expect(late?.message).to.include(
        'Moves of 1 of 1 organizations wait to be published, the first for 10',
      );

      await broker.start();
      const heard = await hear(await broker.connect(), 'site/+/assets/+/location');
      await until(() => heard.now.size === 1);
      await until(async () => (await metric('lag_seconds')) === 0);
      expect((await findings(configured)).map(({ status }) => status)).to.deep.equal(['ok']);
    } finally {
      program.child.kill('SIGTERM');
      await program.ended;
    }
    const [unset] = await findings();
    expect(unset).to.include({ status: 'ok' });
    expect(unset?.message).to.include('not now');
  });
});
