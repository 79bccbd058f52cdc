import { expect } from 'chai';
import fc from 'fast-check';
import { ulid } from 'ulid';
import { createClock } from '../../base/clock.ts';
import type { Micros } from '../../base/instant.ts';
import type { Instant } from '../../base/timestamps.ts';
import { WriteOutage } from '../../db/timescale/connections/write-outage.ts';
import { DatabaseClock } from '../../domain/tracking/database-clock.ts';
import { compareRssi } from '../../domain/tracking/history/history.ts';
import { type DatedSetting, Site as Deciding } from '../../domain/tracking/location/site.ts';
import type { Seen } from '../../domain/tracking/location/stated-locations.ts';
import type { Scan } from '../../domain/tracking/scan.ts';
import { createRecorder } from '../../services/handheld-gateway/recording/record-submission.ts';
import { createRetractor } from '../../services/handheld-gateway/recording/retractor.ts';
import type { Submission } from '../../services/handheld-gateway/recording/submission.ts';
import { SubmissionTurns } from '../../services/handheld-gateway/recording/turns.ts';
import { useDatabase } from '../support/database.ts';
import { folded } from '../support/fold.ts';
import { storeSettings } from '../support/location-settings.ts';
import { randomSets } from '../support/random-sets.ts';
import {
  aRead,
  decidingScan,
  RULES,
  record,
  storedDecisions,
  storedHistory,
  storedPosition,
} from '../support/recording.ts';
import { anInstant, anRssi, START } from '../support/sightings.ts';
import { Site } from '../support/site.ts';
import { decidedByAll, someSettings } from '../support/statements.ts';
import { unsealedMoves } from '../support/unsealed-moves.ts';

/** A read of an asset: by the reader at one of three locations, or in one of four submissions. */
const aRandomRead = fc.record({
  location: fc.nat({ max: 2 }),
  submission: fc.option(fc.nat({ max: 3 }), { freq: 2 }),
  at: anInstant,
  rssi: anRssi,
});
type RandomRead = typeof aRandomRead extends fc.Arbitrary<infer Read> ? Read : never;

const RECEIVED = START + 3_600_000_000;

describe('taking back, while readers and people go on scanning', () => {
  const database = useDatabase();
  const locations: number[] = [];
  const readers: number[] = [];
  let site: Site;
  let handheldId: number;
  let recording: {
    pool: typeof database.pool;
    clock: () => Micros;
    databaseClock: DatabaseClock;
    outage: WriteOutage;
    rules: typeof RULES;
    turns: SubmissionTurns;
  };

  before(async () => {
    site = await Site.create(database);
    for (const key of ['A', 'B', 'C']) {
      locations.push(await site.location(key));
      readers.push(await site.reader(key, [null]));
    }
    const [handheld] = await database.rows<{ id: number }>(
      `insert into handhelds (org_id, name, token_sha256) values ($1, 'gun', sha256('x')) returning id`,
      [site.orgId],
    );
    handheldId = handheld?.id ?? 0;
    recording = {
      pool: database.pool,
      clock: () => RECEIVED,
      databaseClock: new DatabaseClock(createClock()),
      outage: new WriteOutage('scans are refused'),
      rules: RULES,
      turns: new SubmissionTurns(),
    };
  });

  /** An asset, and what can happen to it. */
  async function anAsset() {
    const name = ulid();
    const id = await site.asset(name, name);
    const recorder = createRecorder({ ...recording, onRecorded: () => {} });
    const retractor = createRetractor({ ...recording, onRetracted: () => {} });
    const sender = { orgId: site.orgId, handheldId, receivedAt: RECEIVED };
    const submissionIds = Array.from({ length: 4 }, () => ulid());
    const readBy = ({ location, at, rssi }: RandomRead): Scan =>
      aRead({
        orgId: site.orgId,
        readerId: readers[location] ?? 0,
        value: name,
        locationId: locations[location] ?? 0,
        at,
        rssi,
      });
    return {
      id,
      seenBy: (reads: readonly RandomRead[]) => reads.map(readBy),
      read: (reads: readonly RandomRead[]) => record(database, reads.map(readBy)),
      submit: async (number: number, reads: readonly RandomRead[]) => {
        const submission: Submission = {
          id: submissionIds[number] ?? '',
          sentAt: instantOf(RECEIVED),
          location: { id: locations[number % 3] ?? 0 },
          scans: reads.map(({ at, rssi }) => ({
            tagType: 'rfid',
            value: name,
            observedAt: instantOf(at),
            rssi,
            guessed: false,
          })),
        };
        await recorder.record(submission, sender);
      },
      takeBack: (number: number, indexes: readonly number[], retractionId = ulid()) =>
        retractor.retract(
          { id: retractionId, submissionId: submissionIds[number] ?? '', indexes: [...indexes] },
          { ...sender, requestId: 'test' },
        ),
      seenIn: (number: number, reads: readonly RandomRead[], gone: ReadonlySet<number>): Seen[] =>
        reads.flatMap(({ at, rssi }, index) =>
          gone.has(index)
            ? []
            : {
                observedAt: at,
                locationId: locations[number % 3] ?? 0,
                rssi,
                scan: {
                  receivedAt: RECEIVED,
                  tagType: 'rfid',
                  tagValue: name,
                  rssi,
                  source: { kind: 'handheld', handheldId, submissionId: submissionIds[number] ?? '', index },
                },
              },
        ),
    };
  }

  async function expectHistoryOf(id: number, seen: Seen[], settings: DatedSetting[]): Promise<void> {
    const { history: expected } = await decidedByAll(seen, new Deciding({ settings }));
    const last = expected.at(-1);
    expect(await storedDecisions(database, id)).to.deep.equal(expected);
    const lastSeen = seen.length === 0 ? null : Math.max(...seen.map(({ observedAt }) => observedAt));
    expect((await storedPosition(database, id)) ?? NOWHERE).to.deep.equal({
      ...{ locationId: last?.locationId ?? null, since: last?.observedAt ?? null, lastSeen },
    });
    const told = await unsealedMoves(database, id);
    expect(folded(told)).to.deep.equal(await storedHistory(database, id));
    expect(told.at(-1)?.location_id ?? null).to.equal(last?.locationId ?? null);
  }

  it('ends in the history of what is left, whichever comes first (up to 300 random sets and settings, two writers)', async () => {
    const met = { early: 0, late: 0 };
    const someReads = fc.array(aRandomRead, { minLength: 1, maxLength: 20 });
    const property = fc.asyncProperty(
      someReads,
      someSettings,
      fc.infiniteStream(fc.nat()),
      async (reads, dated, random) => {
        const next = () => random.next().value ?? 0;
        const settings = dated.map((each) => ({
          ...each,
          locationId: each.locationId === null ? null : (locations[each.locationId - 1] ?? 0),
        }));
        await storeSettings(database, site.orgId, settings);
        const asset = await anAsset();
        const byReader = reads.filter(({ submission }) => submission === null);
        const seen: Seen[] = distinct(byReader).flatMap((read) =>
          asset.seenBy([read]).map((scan) => ({
            observedAt: read.at,
            locationId: locations[read.location] ?? 0,
            rssi: read.rssi,
            scan: decidingScan(scan),
          })),
        );
        const steps: { order: number; run: () => Promise<unknown> }[] = [];
        const add = (run: () => Promise<unknown>) => {
          const order = next();
          steps.push({ order, run });
          return order;
        };
        for (const batch of inBatches(byReader, next)) {
          add(() => asset.read(batch));
        }
        for (const number of [0, 1, 2, 3]) {
          const scanned = reads.filter(({ submission }) => submission === number);
          const gone = new Set(scanned.flatMap((_, index) => (next() % 2 === 0 ? [index] : [])));
          if (scanned.length > 0) {
            const submitted = add(() => asset.submit(number, scanned));
            for (const indexes of inBatches([...gone], next)) {
              const retractionId = ulid();
              const takenBack = add(() => asset.takeBack(number, indexes, retractionId));
              add(() => asset.takeBack(number, indexes, next() % 2 === 0 ? retractionId : ulid()));
              met[takenBack < submitted ? 'early' : 'late']++;
            }
          }
          seen.push(...asset.seenIn(number, scanned, gone));
        }
        steps.sort((a, b) => a.order - b.order);
        const dealt = Object.groupBy(steps, () => (next() % 2 === 0 ? 'one' : 'other'));
        const writer = async (own: typeof steps = []) => {
          for (const { run } of own) {
            await run();
          }
        };
        await Promise.all([writer(dealt.one), writer(dealt.other)]);
        await expectHistoryOf(asset.id, seen, settings);
      },
    );
    // Where others share the processor, fewer; and what fails says so, however long making it smaller takes.
    await fc.assert(property, { numRuns: randomSets(300), interruptAfterTimeLimit: 60_000 });
    expect(met.early).to.be.at.least(5);
    expect(met.late).to.be.at.least(5);
  });
});

const NOWHERE = { locationId: null, since: null, lastSeen: null };

function instantOf(micros: Micros): Instant {
  const seconds = new Date(Math.floor(micros / 1_000)).toISOString().slice(0, 20);
  return `${seconds}${String(micros % 1_000_000).padStart(6, '0')}Z` as Instant;
}

/** Of copies of a reader's read the strongest. */
function distinct(reads: readonly RandomRead[]): RandomRead[] {
  return [...Map.groupBy(reads, ({ location, at }) => `${location} ${at}`).values()].map((copies) =>
    copies.reduce((best, copy) => (compareRssi(copy.rssi, best.rssi) > 0 ? copy : best)),
  );
}

function inBatches<Each>(all: readonly Each[], next: () => number): Each[][] {
  const shuffled = all
    .map((each) => ({ each, order: next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ each }) => each);
  const batches: Each[][] = [];
  for (let start = 0; start < shuffled.length; ) {
    const batch = shuffled.slice(start, start + 1 + (next() % 4));
    start += batch.length;
    batches.push(batch);
  }
  return batches;
}
