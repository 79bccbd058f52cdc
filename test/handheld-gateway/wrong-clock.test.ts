import { expect } from 'chai';
import { createClock } from '../../base/clock.ts';
import { DatabaseClock } from '../../domain/tracking/database-clock.ts';
import { commandLineOn } from '../support/command-line.ts';
import { expectFinding, runDoctor } from '../support/doctor.ts';
import { useGateway } from '../support/gateway.ts';
import { ago, aScan, aSubmission } from '../support/new-submission.ts';
import { aSweep } from '../support/new-sweep.ts';
import { until } from '../support/subscribed-ingest.ts';
import { useWorker } from '../support/worker.ts';

const TEN_YEARS = 3_653 * 86_400_000;

describe('a clock that was ten years ahead for what a handheld sent, with the database on the same machine', () => {
  const gateway = useGateway();
  const { database } = gateway;
  useWorker(database);
  const { json, tagtrail } = commandLineOn(() => database);

  it('shows in readiness, metrics and doctor, and its records are mended', async () => {
    const [dock, yard] = [await gateway.site.location('DOCK-1'), await gateway.site.location('YARD')];
    await gateway.site.asset('PALLET', 'E280');
    const right = createClock();
    const ahead = await gateway.start(
      {},
      { clock: () => right() + TEN_YEARS * 1_000, databaseClock: new DatabaseClock(right) },
    );
    const scan = async (location: string, at = ago(1), url = gateway.url) => {
      const scans = [{ ...aScan('E280'), observed_at: at }];
      const { status, text } = await gateway.submit(
        aSubmission(scans, { location: { external_key: location } }),
        { url },
      );
      expect(status, text).to.equal(201);
    };
    const place = async () => (await database.rows('select location_id from positions'))[0]?.['location_id'];
    const readiness = async () => {
      const { checks } = (await (await fetch(`${gateway.url}/readyz`)).json()) as {
        checks: Record<string, string>;
      };
      return checks['clock_stored'];
    };
    await until(async () => (await readiness()) === 'ok');

    const seen = ago(60);
    await scan('YARD', seen, ahead);
    await scan('YARD', ago(30), ahead);
    const swept = { method: 'POST', path: '/handheld/v1/sweeps', json: aSweep(), url: ahead };
    expect((await gateway.call(swept)).status).to.equal(201);
    await scan('DOCK-1');
    expect(await place(), 'it stays where the wrong clock saw it').to.equal(yard);
    await until(async () => /data of 20\d\d-.*clock mend/.test((await readiness()) ?? ''));
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).to.include('tagtrail_check_up{check="clock_stored"} 0');
    const doctor = async () => (await runDoctor({ DATABASE_URL: database.url })).of('recorded times');
    expectFinding(await doctor(), 'fault', 'A clock was ahead', 'clock mend');

    const { stdout } = await tagtrail('clock', 'mend', '--by', '3653d');
    expect(stdout).to.match(/scan_events +2 +of handhelds: observed and received earlier/);
    expect(stdout).to.match(/submissions +2 +received earlier/);
    expect(stdout).to.match(/sweeps +1 +begun, ended and received earlier/);
    expect(stdout).to.match(/PALLET +gun +20/);
    await json('clock', 'mend', '--by', '3653d', '--confirm');
    expect(await place()).to.equal(dock);
    const scans = await database.rows<{ at: number; source: string | null }>(
      'select micros_of_time(observed_at) / 1000 as at, submission_id as source from scan_events order by observed_at',
    );
    expect(scans).to.have.length(3);
    // By the clock that is right: as the device's says, less the time it took to be received.
    expect((scans[0]?.at ?? 0) - Date.parse(seen)).to.be.within(0, 30_000);
    expect(scans.every(({ source }) => source !== null)).to.equal(true);
    const [stored] = await database.rows<Record<string, boolean>>(
      `select (select bool_and(received_at <= now()) from submissions) as submissions,
         (select bool_and(greatest(received_at, ended_at) <= now() and ended_at - began_at > '9 min') from sweeps) as sweeps`,
    );
    expect(stored).to.deep.equal({ submissions: true, sweeps: true });
    await until(async () => (await readiness()) === 'ok');
    expect((await doctor())[0]?.status).to.equal('ok');
    expect((await tagtrail('clock', 'mend', '--by', '3653d', '--confirm')).stdout).to.equal(
      'There is nothing to mend.\n',
    );
  });
});
