import { expect } from 'chai';
import { MICROS_PER_DAY, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Outcome, Scan } from '../../../domain/tracking/scan.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead, RULES, record, storedHistory, storedPosition } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const RECEIVED = Date.UTC(2026, 4, 1, 10) * 1_000;
const TWO_MINUTES = 120 * MICROS_PER_SECOND;

describe('the time of a recorded scan', () => {
  const database = useDatabase();
  let site: Site;
  let locationId: number;
  let readerId: number;
  let value = 'none yet';
  let assetId: number;
  let assets = 0;

  before(async () => {
    site = await Site.create(database);
    locationId = await site.location('hall');
    readerId = await site.reader('dock', [locationId]);
  });
  beforeEach(async () => {
    value = `crate-${++assets}`;
    assetId = await site.asset(value, value);
  });

  const aScan = (deviceTime: Micros | null, receivedAt = RECEIVED): Scan => ({
    ...aRead({ orgId: site.orgId, readerId, value, locationId, at: receivedAt }),
    deviceTime,
  });

  async function outcomeOf(deviceTime: Micros | null, now?: Micros): Promise<Outcome | undefined> {
    const [outcome] = await record(database, [aScan(deviceTime)], now);
    return outcome;
  }

  const stored = () =>
    database.rows(
      `select micros_of_time(observed_at) as "observedAt", micros_of_time(received_at) as "receivedAt",
         time_is_received as "timeIsReceived"
       from scan_events where asset_id = $1`,
      [assetId],
    );

  async function expectTime(deviceTime: Micros | null, observedAt: Micros, timeIsReceived: boolean) {
    const outcome = await outcomeOf(deviceTime);
    expect(outcome).to.include({ status: 'recorded', assetId, observedAt, timeIsReceived });
    expect(await stored()).to.deep.equal([{ observedAt, receivedAt: RECEIVED, timeIsReceived }]);
    expect(await storedHistory(database, assetId)).to.deep.equal([
      { observedAt, locationId, durationSeconds: null },
    ]);
    expect(await storedPosition(database, assetId)).to.deep.equal({
      locationId,
      since: observedAt,
      lastSeen: observedAt,
    });
  }

  async function expectTooLate(outcome: Outcome | undefined) {
    expect(outcome).to.have.property('status', 'rejected');
    expect(outcome).to.have.property('reason').that.includes('late');
    expect(await stored()).to.deep.equal([]);
    expect(await storedHistory(database, assetId)).to.deep.equal([]);
  }

  it("is the device's, to the microsecond", () =>
    expectTime(RECEIVED - 1_234_567, RECEIVED - 1_234_567, false));

  it("is the device's up to two minutes ahead of the reception", () =>
    expectTime(RECEIVED + TWO_MINUTES, RECEIVED + TWO_MINUTES, false));

  it('is the reception, flagged, where the device is further ahead', () =>
    expectTime(RECEIVED + TWO_MINUTES + 1, RECEIVED, true));

  it('is the reception, flagged, where the device has no time', () => expectTime(null, RECEIVED, true));

  it('is the reception, flagged, where the clock of the device was never set', () =>
    expectTime(1_017 * MICROS_PER_SECOND, RECEIVED, true));

  it('may be as old as the lateness bound', () =>
    expectTime(RECEIVED - RULES.lateness, RECEIVED - RULES.lateness, false));

  it('is refused with its reason beyond the lateness bound', async () => {
    await expectTooLate(await outcomeOf(RECEIVED - RULES.lateness - 1));
  });

  it('is refused in a replay once raw scans of that time are dropped', async () => {
    const observed = RECEIVED - 10 * MICROS_PER_DAY;
    await expectTooLate(await outcomeOf(observed, observed + RULES.retention + 1));
    await expectTooLate(await outcomeOf(null, RECEIVED + RULES.retention + 1));
  });

  it('is that of the first reception in a replay within the retention', async () => {
    const observed = RECEIVED - 10 * MICROS_PER_DAY;
    const outcome = await outcomeOf(observed, observed + RULES.retention);
    expect(outcome).to.include({ status: 'recorded', observedAt: observed });
    expect(await stored()).to.deep.equal([
      { observedAt: observed, receivedAt: RECEIVED, timeIsReceived: false },
    ]);
  });

  it('never moves an asset into the future: a wrong clock leaves later reads the newest', async () => {
    const gate = await site.location('gate');
    await record(database, [aScan(RECEIVED + 300 * MICROS_PER_DAY)]);
    const next = RECEIVED + MICROS_PER_SECOND;
    await record(database, [{ ...aScan(next, next), locationId: gate }]);
    expect(await storedPosition(database, assetId)).to.deep.equal({
      locationId: gate,
      since: next,
      lastSeen: next,
    });
  });

  it('holds for handhelds in the same way', async () => {
    const [handheld] = await database.rows<{ id: number }>(
      `insert into handhelds (org_id, name, token_sha256) values ($1, 'one', sha256('one')) returning id`,
      [site.orgId],
    );
    const byHand = (index: number, deviceTime: Micros | null): Scan => ({
      ...aScan(deviceTime),
      source: { kind: 'handheld', handheldId: handheld?.id ?? 0, submissionId: 's1', index },
    });
    const outcomes = await record(database, [
      byHand(0, RECEIVED - 1),
      byHand(1, null),
      byHand(2, RECEIVED + TWO_MINUTES + 1),
      byHand(3, RECEIVED - RULES.lateness - 1),
    ]);
    expect(
      outcomes.map((outcome) => ('timeIsReceived' in outcome ? outcome.timeIsReceived : outcome.status)),
    ).to.deep.equal([false, true, true, 'rejected']);
  });
});
