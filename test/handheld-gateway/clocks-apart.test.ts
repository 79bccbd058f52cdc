import { expect } from 'chai';
import { ulid } from 'ulid';
import { createClock } from '../../base/clock.ts';
import { useGateway } from '../support/gateway.ts';
import { aScan, aSubmission } from '../support/new-submission.ts';
import { aSweep } from '../support/new-sweep.ts';
import { untilReady } from '../support/readiness.ts';
import { until } from '../support/subscribed-ingest.ts';

const HOUR = 3_600_000;

describe("a handheld gateway beside a clock that is not the database's", () => {
  const gateway = useGateway();
  const { database } = gateway;
  let url: string;
  /** Milliseconds that the gateway's machine is ahead. */
  let ahead = 0;

  before(async () => {
    await gateway.site.location('DOCK-1');
    await gateway.site.asset('PALLET', 'E280');
    url = await gateway.start({}, { clock: createClock(() => Date.now() + ahead) });
  });
  beforeEach(async () => {
    ahead = 0;
    await database.empty('scan_events, submissions, sweeps, retractions');
  });

  const post = (path: string, json: object) => gateway.call({ method: 'POST', path, json, url });
  const stored = async () =>
    (
      await database.rows<Record<string, number>>(
        `select (select count(*) from scan_events) as scans, (select count(*) from submissions) as submissions,
           (select count(*) from sweeps) as sweeps, (select count(*) from retractions) as retractions`,
      )
    )[0];
  const readiness = async () => {
    const answer = await fetch(`${url}/readyz`);
    return {
      status: answer.status,
      clock: ((await answer.json()) as { checks: { clock: string } }).checks.clock,
    };
  };

  for (const wrong of [HOUR, -HOUR]) {
    it(`records nothing and is not ready, and takes the same again later (${wrong / HOUR} h)`, async () => {
      const submission = aSubmission([aScan('E280')], { location: { external_key: 'DOCK-1' } });
      const sends: [string, object][] = [
        ['/handheld/v1/submissions', submission],
        ['/handheld/v1/sweeps', aSweep()],
        [
          '/handheld/v1/retractions',
          { retraction_id: ulid(), submission_id: submission.submission_id, indexes: [0] },
        ],
      ];
      ahead = wrong;
      for (const [path, json] of sends) {
        const { status, headers, body } = await post(path, json);
        expect({ status, after: headers.get('retry-after') }).to.deep.equal({ status: 503, after: '5' });
        expect(body?.error?.detail).to.match(/^The clock of this gateway's machine .* send it again later$/);
      }
      expect(await stored()).to.deep.equal({ scans: 0, submissions: 0, sweeps: 0, retractions: 0 });
      await until(async () => {
        const { status, clock } = await readiness();
        return (
          status === 503 &&
          /^this machine's clock is 3\d{3}\.\d s (ahead of|behind) the database's/.test(clock)
        );
      });
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const [, seconds] = /^tagtrail_handheld_clock_ahead_seconds (\S+)$/m.exec(metrics) ?? [];
      expect(Number(seconds) * Math.sign(wrong)).to.be.within(3_590, 3_610);
      ahead = 0;
      for (const [path, json] of sends) {
        const { status, text } = await post(path, json);
        expect(status, text).to.equal(201);
      }
      expect(await stored()).to.deep.equal({ scans: 1, submissions: 1, sweeps: 1, retractions: 1 });
      await untilReady(url);
    });
  }
});
