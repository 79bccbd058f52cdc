import { request } from 'node:http';
import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useGateway } from '../support/gateway.ts';
import { ago, aScan, aSubmission } from '../support/new-submission.ts';
import { Site } from '../support/site.ts';

describe('a submission that comes more than once', () => {
  const gateway = useGateway();
  const { database } = gateway;
  before(async () => {
    const dock = await gateway.site.location('DOCK-1');
    await gateway.site.tag({ locationId: dock }, 'D1', 'barcode');
    await gateway.site.asset('FORKLIFT', 'E280AA');
  });

  const aWalk = () => aSubmission([aScan('D1', 3, 'barcode'), aScan('E280AA', 2), aScan('E2FF', 1)]);
  const counts = async (id: string) => {
    const [row] = await database.rows(
      `select (select count(*) from scan_events where submission_id = $1) as scans,
         (select count(*) from submissions where id = $1) as submissions`,
      [id],
    );
    return row;
  };
  const unknownCount = async () =>
    (await database.rows<{ count: number }>(`select count from unknown_tags where value = 'E2FF'`))[0]
      ?.count ?? 0;

  it('is recorded once and answered the same, with 200', async () => {
    const walk = aWalk();
    const before = await unknownCount();
    const first = await gateway.submit(walk);
    const again = await gateway.submit(walk);
    expect([first.status, again.status]).to.deep.equal([201, 200]);
    expect(again.text).to.equal(first.text);
    expect(await counts(walk.submission_id)).to.deep.equal({ scans: 1, submissions: 1 });
    expect(await unknownCount()).to.equal(before + 1);
  });

  it('is the same when only its sending time, its notation and its sender differ', async () => {
    const walk = aWalk();
    const first = await gateway.submit(walk);
    const other = await createHandheld(databaseOn(database.pool), TEST_ACTOR, {
      orgId: gateway.site.orgId,
      name: 'new token',
    });
    const scans = walk.scans.map(({ observed_at, ...tag }) => ({
      observed_at: observed_at.replace('Z', '000+00:00'),
      ...tag,
      rssi: null,
    }));
    const json = { location: null, scans, sent_at: ago(-60), submission_id: walk.submission_id };
    const again = await gateway.submit(json, { token: other.token });
    expect(again.status).to.equal(200);
    expect(again.text).to.equal(first.text);
  });

  it('is a conflict with another body under the same id, and changes nothing', async () => {
    const walk = aWalk();
    await gateway.submit(walk);
    const stored = await database.rows('select * from submissions where id = $1', [walk.submission_id]);
    const [first, second, third] = walk.scans;
    for (const change of [
      { scans: [first, second] },
      { scans: [second, first, third] },
      { scans: [first, { ...second, rssi: -40 }, third] },
      { scans: [first, { ...second, guessed: true }, third] },
      { scans: [first, { ...second, value: 'e280aa' }, third] },
      { scans: [first, { ...second, tag_type: 'barcode' }, third] },
      { scans: [first, { ...second, observed_at: ago(9) }, third] },
      { location: { external_key: 'DOCK-1' } },
    ]) {
      const { body } = await gateway.submit({ ...walk, ...change });
      expect(body?.error).to.include({
        type: 'conflict',
        status: 409,
        detail: `submission ${walk.submission_id} was received before with another body`,
      });
    }
    expect(
      await database.rows('select * from submissions where id = $1', [walk.submission_id]),
    ).to.deep.equal(stored);
    expect(await counts(walk.submission_id)).to.deep.equal({ scans: 1, submissions: 1 });
  });

  it('is recorded once and answered the same when it comes ten times at the same moment, through two gateways', async () => {
    const other = await gateway.start();
    const urls = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? gateway.url : other));
    for (let round = 0; round < 5; round++) {
      const walk = aWalk();
      const answers = await Promise.all(urls.map((url) => gateway.submit(walk, { url })));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([...Array(9).fill(200), 201]);
      expect(new Set(answers.map(({ text }) => text))).to.have.lengthOf(1);
      expect(await counts(walk.submission_id)).to.deep.equal({ scans: 1, submissions: 1 });
    }
  });

  it('is one or the other when two bodies come under one id at the same moment', async () => {
    const walk = aWalk();
    const other = { ...walk, scans: [...walk.scans, aScan('E280AA', 0)] };
    const answers = await Promise.all([gateway.submit(walk), gateway.submit(other)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
    const [won, lost] = answers[0]?.status === 201 ? [walk, other] : [other, walk];
    expect((await gateway.submit(won)).status).to.equal(200);
    expect((await gateway.submit(lost)).status).to.equal(409);
  });

  it('is answered as it was recorded if the first answer never arrived', async () => {
    const walk = aWalk();
    await sendWithoutListening(walk);
    const again = await gateway.submit(walk);
    expect(again.status).to.equal(200);
    expect(again.body?.data.counts).to.include({ location: 1, unknown: 1 });
    expect(await counts(walk.submission_id)).to.deep.equal({ scans: 1, submissions: 1 });
  });

  it('is recorded when it comes again after it was refused or failed', async () => {
    const walk = aWalk();
    const refused = await gateway.submit({ ...walk, location: { external_key: 'NOT-YET' } });
    expect(refused.status).to.equal(400);
    expect(await counts(walk.submission_id)).to.deep.equal({ scans: 0, submissions: 0 });
    await gateway.site.location('NOT-YET');
    const taken = await gateway.submit({ ...walk, location: { external_key: 'NOT-YET' } });
    expect(taken.status).to.equal(201);
  });

  it("is another submission if it is another organization's", async () => {
    const walk = aWalk();
    await gateway.submit(walk);
    const other = await Site.create(database, 'Other');
    const { token } = await createHandheld(databaseOn(database.pool), TEST_ACTOR, {
      orgId: other.orgId,
      name: 'theirs',
    });
    const theirs = await gateway.submit(walk, { token });
    expect(theirs.status).to.equal(201);
    expect(theirs.body?.data.counts).to.include({ unknown: 3 });
    expect(await counts(walk.submission_id)).to.deep.equal({ scans: 1, submissions: 2 });
  });

  it('moves an asset once, whichever of its scans are recorded at the same moment', async () => {
    const assetId = await gateway.site.asset('PALLET', 'E280BB');
    const elsewhere = await gateway.site.location('ELSEWHERE');
    await gateway.submit(aSubmission([aScan('E280BB', 60)], { location: { external_key: 'DOCK-1' } }));
    const walks = Array.from({ length: 8 }, (_, index) =>
      aSubmission([aScan('E280BB', index)], { location: { id: elsewhere } }),
    );
    const answers = await Promise.all(walks.map((walk) => gateway.submit(walk)));
    const moved = answers.filter(({ body }) => body?.data.counts.moved === 1);
    expect(moved).to.have.lengthOf(1);
    expect(moved[0]?.body?.data.results[0].from).to.include({ external_key: 'DOCK-1' });
    const [position] = await database.rows('select location_id from positions where asset_id = $1', [
      assetId,
    ]);
    expect(position).to.deep.equal({ location_id: elsewhere });
  });

  /** Hangs up when the database has the submission, before its answer can have been read. */
  function sendWithoutListening(walk: { submission_id: string }): Promise<void> {
    return new Promise((resolve, reject) => {
      const sending = request(`${gateway.url}/handheld/v1/submissions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${gateway.token}`, 'Content-Type': 'application/json' },
      });
      sending.on('error', () => {});
      sending.end(JSON.stringify(walk), async () => {
        sending.destroy();
        try {
          while ((await counts(walk.submission_id))?.['submissions'] !== 1) {
            await new Promise((again) => setImmediate(again));
          }
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
  }
});
