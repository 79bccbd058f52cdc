import { expect } from 'chai';
import { ulid } from 'ulid';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { type GatewayCall, useGateway } from '../support/gateway.ts';
import { ago, aScan, aSubmission } from '../support/new-submission.ts';
import { Site } from '../support/site.ts';

describe('scans that a person takes back', () => {
  const gateway = useGateway();
  const { database } = gateway;
  let docks: number[];
  let assets = 0;
  before(async () => {
    docks = [await gateway.site.location('DOCK-1'), await gateway.site.location('DOCK-2')];
  });

  const retract = (json: object, call: Partial<GatewayCall> = {}) =>
    gateway.call({ method: 'POST', path: '/handheld/v1/retractions', json, ...call });
  const aRetraction = (submissionId: string, indexes: number[]) => ({
    retraction_id: ulid(),
    submission_id: submissionId,
    indexes,
  });
  async function anAsset() {
    const key = `ASSET-${++assets}`;
    return { id: await gateway.site.asset(key, key), key };
  }
  const at = (dock: number) => ({ location: { id: docks[dock] } });
  /** Scanned once at a dock. */
  async function scanned(key: string, dock: number, secondsAgo: number): Promise<string> {
    const submission = aSubmission([aScan(key, secondsAgo)], at(dock));
    expect((await gateway.submit(submission)).status).to.equal(201);
    return submission.submission_id;
  }
  const historyOf = async (id: number) =>
    (
      await database.rows<{ location_id: number }>(
        'select location_id from location_transitions where asset_id = $1 order by observed_at',
        [id],
      )
    ).map((row) => docks.indexOf(row.location_id));
  const positionOf = async (id: number) => {
    const [position] = await database.rows<{ location_id: number | null; last_seen: string | null }>(
      'select location_id, last_seen from positions where asset_id = $1',
      [id],
    );
    return position;
  };
  const statuses = (answer: Awaited<ReturnType<typeof retract>>) =>
    answer.body?.data.results.map(({ status }: { status: string }) => status);
  const refusal = (answer: Awaited<ReturnType<typeof retract>>) => ({
    status: answer.status,
    type: answer.body?.error?.type,
    field: answer.body?.error?.fields?.[0]?.field,
  });
  const anotherHandheld = async (orgId = gateway.site.orgId) =>
    createHandheld(databaseOn(database.pool), TEST_ACTOR, { orgId, name: 'another' });

  it('make no history any more, whatever was scanned since', async () => {
    const { id, key } = await anAsset();
    await scanned(key, 0, 50);
    const wrong = await scanned(key, 1, 40);
    await scanned(key, 0, 30);
    expect(await historyOf(id)).to.deep.equal([0, 1, 0]);
    const answer = await retract(aRetraction(wrong, [0]));
    expect(answer.status).to.equal(201);
    expect(answer.body?.data).to.deep.include({
      submission_id: wrong,
      results: [{ index: 0, status: 'retracted' }],
    });
    expect(await historyOf(id)).to.deep.equal([0]);
  });

  it('leave the asset where it was before, last seen then', async () => {
    const { id, key } = await anAsset();
    await scanned(key, 0, 50);
    const before = await positionOf(id);
    const wrong = await scanned(key, 1, 40);
    await retract(aRetraction(wrong, [0]));
    expect(await positionOf(id)).to.deep.equal(before);
    // Older than the scan that was taken back, and newer than all that are left.
    await scanned(key, 1, 45);
    expect(await historyOf(id)).to.deep.equal([0, 1]);
  });

  it('leave an asset nowhere if it was seen by no other, as if it had never been', async () => {
    const { id, key } = await anAsset();
    const only = await scanned(key, 0, 50);
    await retract(aRetraction(only, [0]));
    expect(await historyOf(id)).to.deep.equal([]);
    expect(await positionOf(id)).to.deep.equal({ location_id: null, last_seen: null });
    const lookedUp = await gateway.call({ path: `/handheld/v1/tags?tag_type=rfid&value=${key}` });
    expect(lookedUp.body?.data.asset).to.include({ last_seen: null, location: null });
    await scanned(key, 1, 60);
    expect(await historyOf(id)).to.deep.equal([1]);
  });

  it('stay recorded: the submission sent again is a repetition, with the answer it had', async () => {
    const { id, key } = await anAsset();
    const submission = aSubmission([aScan(key, 50)], at(0));
    const first = await gateway.submit(submission);
    await retract(aRetraction(submission.submission_id, [0]));
    const again = await gateway.submit({ ...submission, sent_at: ago(0) });
    expect([again.status, again.text]).to.deep.equal([200, first.text]);
    expect(await historyOf(id)).to.deep.equal([]);
  });

  it('are taken back once, and answered the same, with 200, in whatever order and by whichever handheld', async () => {
    const [one, two] = [await anAsset(), await anAsset()];
    const submission = aSubmission([aScan(one.key, 50), aScan('D404', 45), aScan(two.key, 40)], at(0));
    await gateway.submit(submission);
    const retraction = aRetraction(submission.submission_id, [2, 0, 1]);
    const first = await retract(retraction);
    expect(first.status).to.equal(201);
    expect(statuses(first)).to.deep.equal(['retracted', 'not_recorded', 'retracted']);
    const { token } = await anotherHandheld();
    const again = await retract({ ...retraction, indexes: [0, 1, 2, 2] }, { token });
    expect([again.status, again.text]).to.deep.equal([200, first.text]);
    const other = await retract({ ...retraction, indexes: [0, 1] });
    expect(refusal(other)).to.deep.equal({ status: 409, type: 'conflict', field: undefined });
  });

  it('are counted in the metrics, once and repeated', async () => {
    const counts = async () => {
      const text = await (await fetch(`${gateway.url}/metrics`)).text();
      return ['recorded', 'repeated'].map((outcome) =>
        Number(
          new RegExp(`^tagtrail_handheld_retractions_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(
            text,
          )?.[1] ?? 0,
        ),
      );
    };
    const [recorded = 0, repeated = 0] = await counts();
    const { key } = await anAsset();
    const retraction = aRetraction(await scanned(key, 0, 50), [0]);
    await retract(retraction);
    await retract(retraction);
    expect(await counts()).to.deep.equal([recorded + 1, repeated + 1]);
  });

  it('may have been taken back before', async () => {
    const { key } = await anAsset();
    const submissionId = await scanned(key, 0, 50);
    await retract(aRetraction(submissionId, [0]));
    expect(statuses(await retract(aRetraction(submissionId, [0])))).to.deep.equal(['retracted']);
  });

  it('may be taken back before they come, by the handheld that sends them', async () => {
    const { id, key } = await anAsset();
    const other = await anAsset();
    await scanned(key, 1, 70);
    const submission = aSubmission([aScan(key, 50), aScan(other.key, 40)], at(0));
    const waiting = await retract(aRetraction(submission.submission_id, [0]));
    expect(waiting.status).to.equal(201);
    expect(statuses(waiting)).to.deep.equal(['waiting']);
    const { token } = await anotherHandheld();
    await retract(aRetraction(submission.submission_id, [1]), { token });

    const answer = await gateway.submit(submission);
    expect(answer.body?.data.results.map(({ status }: { status: string }) => status)).to.deep.equal([
      'seen',
      'moved',
    ]);
    expect(await historyOf(id)).to.deep.equal([1]);
    expect(await historyOf(other.id)).to.deep.equal([0]);
    const told = await database.rows(
      'select from unsealed_moves where asset_id = $1 union all select from moves where asset_id = $1',
      [id],
    );
    expect(told).to.have.length(1);
  });

  it('are found, or find their retraction, when both come at once', async () => {
    for (let round = 0; round < 20; round++) {
      const { id, key } = await anAsset();
      const submission = aSubmission([aScan(key, 50)], at(0));
      const [submitted, retracted] = await Promise.all([
        gateway.submit(submission),
        retract(aRetraction(submission.submission_id, [0])),
      ]);
      expect([submitted.status, retracted.status]).to.deep.equal([201, 201]);
      expect(await historyOf(id)).to.deep.equal([]);
    }
  });

  it('are kept with who took them back, and when', async () => {
    const { id, key } = await anAsset();
    const submissionId = await scanned(key, 0, 50);
    const retraction = aRetraction(submissionId, [0]);
    await retract(retraction, { headers: { 'X-Request-ID': 'asked-by-me' } });
    const [kept] = await database.rows(
      `select actor_type, actor_id, request_id, taken_back from scan_events
         join retractions on retractions.org_id = scan_events.org_id and retractions.id = retraction_id
       where asset_id = $1`,
      [id],
    );
    expect(kept).to.deep.equal({
      actor_type: 'handheld',
      actor_id: String(gateway.handheldId),
      request_id: 'asked-by-me',
      taken_back: 1,
    });
  });

  describe('are refused, with nothing changed,', () => {
    const untouched = async (json: { retraction_id: string }, id?: number) => {
      expect(
        await database.rows('select from retractions where id = $1', [json.retraction_id]),
      ).to.have.length(0);
      if (id !== undefined) {
        expect(await historyOf(id)).to.deep.equal([0]);
      }
    };

    it('of another handheld', async () => {
      const { id, key } = await anAsset();
      const json = aRetraction(await scanned(key, 0, 50), [0]);
      const { token } = await anotherHandheld();
      expect(refusal(await retract(json, { token }))).to.deep.equal({
        status: 403,
        type: 'forbidden',
        field: undefined,
      });
      await untouched(json, id);
    });

    it('of another organization', async () => {
      const { id, key } = await anAsset();
      const json = aRetraction(await scanned(key, 0, 50), [0]);
      const { token } = await anotherHandheld((await Site.create(database, 'Other')).orgId);
      expect(refusal(await retract(json, { token }))).to.deep.equal({
        status: 404,
        type: 'not_found',
        field: undefined,
      });
      await untouched(json, id);
    });

    it('beyond the submission', async () => {
      const { id, key } = await anAsset();
      const json = aRetraction(await scanned(key, 0, 50), [0, 1]);
      const answer = await retract(json);
      expect(refusal(answer)).to.deep.equal({ status: 400, type: 'validation_error', field: 'indexes[1]' });
      expect(answer.body?.error?.detail).to.equal('indexes[1] must be <= 0');
      await untouched(json, id);
    });

    it('older than raw scans are kept', async () => {
      const { id, key } = await anAsset();
      const json = aRetraction(await scanned(key, 0, 25 * 86_400), [0]);
      const url = await gateway.start({ SCAN_RETENTION_DAYS: 24 });
      const answer = await retract(json, { url });
      expect(refusal(answer)).to.deep.equal({ status: 400, type: 'validation_error', field: 'indexes[0]' });
      expect(answer.body?.error?.detail).to.equal(
        'indexes[0] is too late to take back: the scan is 25 days old, and scans are kept for 24 days',
      );
      await untouched(json, id);
    });

    const good = { retraction_id: ulid(), submission_id: ulid(), indexes: [0] };
    for (const [what, json, field] of [
      ['without an id', { ...good, retraction_id: undefined }, 'retraction_id'],
      ['with an id that is no ULID', { ...good, retraction_id: 'x' }, 'retraction_id'],
      ['of a submission that is no ULID', { ...good, submission_id: ulid().toLowerCase() }, 'submission_id'],
      ['with no index', { ...good, indexes: [] }, 'indexes'],
      ['with an index below 0', { ...good, indexes: [0, -1] }, 'indexes[1]'],
      ['with an index that no submission has', { ...good, indexes: [1_000] }, 'indexes[0]'],
      ['with too many indexes', { ...good, indexes: Array(1_001).fill(0) }, 'indexes'],
    ] as const) {
      it(what, async () => {
        expect(refusal(await retract(json))).to.deep.equal({ status: 400, type: 'validation_error', field });
      });
    }

    it('with an index that is no integer', async () => {
      expect(refusal(await retract({ ...good, indexes: [0.5] }))).to.include({ status: 400 });
    });
  });
});
