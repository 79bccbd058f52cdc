import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import type { Check } from '../../platform/runtime/health.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { ClockJumps } from '../../platform/runtime/watch-clock.ts';
import { startEmbeddedIngest } from '../../services/mqtt-ingest/ingest.ts';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { expectFinding, runDoctor } from '../support/doctor.ts';
import { freePort } from '../support/free-port.ts';
import { ingestConfig } from '../support/ingest.ts';
import { openIntake } from '../support/intake.ts';
import { run } from '../support/process.ts';
import { libfaketime, useProgram } from '../support/programs.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';

const TEN_YEARS = 3_653 * 86_400;

describe('a clock that was ten years ahead for one read, with the database on the same machine', () => {
  const database = useDatabase();
  const { json } = commandLineOn(() => database);

  it('shows in readiness and doctor, and its records are mended', async () => {
    const site = await Site.create(database);
    const [gate, yard] = [await site.location('GATE'), await site.location('YARD')];
    await site.asset('CRATE', 'E280');
    await site.reader('portal', [gate, yard]);
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const lifecycle = new Lifecycle(log);
    const { notices } = await startEmbeddedIngest(ingestConfig(database.url), log, lifecycle);
    database.beforeDrop(() => lifecycle.stop());
    const said = () =>
      (notices['clock_stored'] as Check)().then(
        () => 'ok',
        (error: Error) => error.message,
      );
    const doctor = () => runDoctor({ DATABASE_URL: database.url });
    const place = async () =>
      (await database.rows('select location_id from positions where org_id = $1', [site.orgId]))[0]?.[
        'location_id'
      ];
    const right = await openIntake(database);
    await right.receive('portal', JSON.stringify({ value: 'E280', antenna: 1 }));
    expect(await said()).to.equal('ok');
    expect((await doctor()).of('recorded times')[0]?.status).to.equal('ok');

    let seconds = TEN_YEARS;
    const ahead = await openIntake(database, database.pool, {
      clock: () => (Date.now() + seconds * 1_000) * 1_000,
    });
    await ahead.receive('portal', JSON.stringify({ value: 'E280', antenna: 2, temperature_c: 4 }));
    await right.receive('portal', JSON.stringify({ value: 'E280', antenna: 1 }));
    expect(await place(), 'it stays where the wrong clock saw it').to.equal(yard);
    await until(async () => (await said()) !== 'ok');
    expect(await said()).to.match(/^organization \d+ has data of 20\d\d-.*clock mend corrects it$/);
    expect(lines.join('')).to.include('Stored scans are dated in the future');
    expectFinding((await doctor()).of('recorded times'), 'fault', 'A clock was ahead', 'clock mend');

    await json('clock', 'mend', '--by', '3653d', '--confirm');
    seconds = 0;
    await ahead.receive('portal', JSON.stringify({ value: 'E280', antenna: 1, temperature_c: 5 }));
    expect(await place()).to.equal(gate);
    const newest = await database.rows(
      'select temperature_c, temperature_c_at <= now() as by_now from newest_readings where org_id = $1',
      [site.orgId],
    );
    expect(newest, 'although the process remembers a later one').to.deep.equal([
      { temperature_c: 5, by_now: true },
    ]);
    await until(async () => (await said()) === 'ok');
    // The reader was heard when it was: four messages, each within seconds of the one before.
    const heard = await database.rows(
      `select heard_until <= now() and last_message_at <= now() as by_now, heard_messages::int as messages,
         (select count(*)::int from reader_spans where state = 'up') as before
       from reader_counters where org_id = $1`,
      [site.orgId],
    );
    expect(heard).to.deep.equal([{ by_now: true, messages: 4, before: 0 }]);
    expect((await doctor()).of('recorded times')[0]?.status).to.equal('ok');
  });

  it('is noticed as it jumps, for an hour, and not where it is corrected bit by bit', () => {
    let [wall, running] = [1_000_000, 0];
    const jumps = new ClockJumps({ wall: () => wall, running: () => running });
    const pass = (real: number, shown = real) => {
      running += real;
      wall += shown;
      return jumps.look();
    };
    for (let minute = 0; minute < 60; minute++) {
      expect(pass(60_000, 60_500)).to.equal(null);
    }
    expect(pass(1_000, 1_000 + TEN_YEARS * 1_000)).to.equal(TEN_YEARS * 1_000);
    expect(jumps.told).to.match(/was set forward by 315619200 s.*clock mend/);
    expect(pass(1_000, 1_000 - TEN_YEARS * 1_000)).to.equal(-TEN_YEARS * 1_000);
    expect(jumps.told).to.match(/was set back by 315619200 s/);
    pass(3_599_000);
    expect(jumps.told).to.not.equal(null);
    pass(2_000);
    expect(jumps.told).to.equal(null);
  });

  describe('of a process of its own', () => {
    useProgram('faketime');
    const folder = mkdtempSync(join(tmpdir(), 'tagtrail-clock-'));
    after(() => rmSync(folder, { recursive: true }));

    it('is on its page of readiness and in its metrics', async () => {
      const offset = join(folder, 'offset');
      writeFileSync(offset, '+0');
      const port = await freePort();
      const program = run('services/standalone/main.ts', [], {
        ...{ DATABASE_URL: database.url, API_PORT: String(port), MQTT_PORT: '0', HANDHELD_PORT: '0' },
        ...{ CONSOLE_PORT: '0', READERS_PORT: '0', LOG_LEVEL: 'warn', LD_PRELOAD: libfaketime() },
        ...{ FAKETIME_TIMESTAMP_FILE: offset, FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
      });
      try {
        const ready = async () => {
          const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
          return (await answer?.json()) as { checks: Record<string, string> } | undefined;
        };
        await until(async () => (await ready())?.checks['clock_steady'] === 'ok');
        writeFileSync(offset, '+10y');
        await until(async () =>
          /was set forward by \d+ s/.test((await ready())?.checks['clock_steady'] ?? ''),
        );
        const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        expect(metrics).to.include('tagtrail_check_up{check="clock_steady"} 0');
      } finally {
        program.child.kill();
        await program.ended;
      }
    });
  });
});
