import { expect } from 'chai';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { aRead, record, storedPosition } from '../support/recording.ts';
import { Site } from '../support/site.ts';
import { wokenFor } from '../support/woken-sealer.ts';

const HOUR = 3_600_000_000;

describe('clock mend', () => {
  const database = useDatabase();
  const { tagtrail, json, fails } = commandLineOn(() => database);

  async function databaseNow(): Promise<number> {
    const [{ now } = { now: 0 }] = await database.rows<{ now: number }>(
      'select micros_of_time(now()) as now',
    );
    return now;
  }

  const remember = (orgId: number, receivedAt: number) =>
    database.rows(
      `insert into received_messages (org_id, digest, received_at) values ($1, sha256('x'), time_of_micros($2))`,
      [orgId, receivedAt],
    );

  it('says what lies ahead, what it would change, and changes it when it is confirmed', async () => {
    const site = await Site.create(database);
    const { orgId } = site;
    const locationId = await site.location('A');
    const readerId = await site.reader('gate', [locationId]);
    const assetId = await site.asset('CRATE', 'CRATE');
    const now = await databaseNow();
    const read = aRead({ orgId, readerId, value: 'CRATE', locationId, at: now + HOUR });
    // A value of before; and, beside one of a scan, one of a read that is placed nowhere.
    const nowhere = { ...read, locationId: null };
    await record(database, [
      { ...nowhere, deviceTime: now - HOUR, receivedAt: now, readings: { temperature_c: 7, motion: 1 } },
    ]);
    await record(database, [{ ...read, deviceTime: null, readings: { temperature_c: 8 } }]);
    await record(database, [
      { ...nowhere, deviceTime: now + HOUR - 1_000_000, readings: { humidity_percent: 40, button: 1 } },
    ]);
    // Of a reader that asks the same time server as ingestion did.
    const fastId = await site.asset('PALLET', 'PALLET');
    await record(database, [{ ...read, value: 'PALLET' }]);
    await remember(orgId, now + HOUR);
    const org = String(orgId);

    const [ahead] = await json('clock', 'mend', '--org', org);
    expect(ahead).to.include({ org_id: orgId });
    expect(ahead.ahead_seconds).to.be.within(1_800, 3_600);
    await fails(1, '--by 10m is too little', 'clock', 'mend', '--by', '10m', '--confirm');
    await fails(2, 'Give --by', 'clock', 'mend', '--confirm');
    const window = ['--from', '2026-05-01T10:00:00Z', '--to', '2026-05-01T12:00:00Z'];
    await fails(2, 'in several steps', 'clock', 'mend', '--by', '1h', ...window);

    const { stdout } = await tagtrail('clock', 'mend', '--by', '1h');
    expect(stdout).to.match(/scan_events +1 +observed and received earlier\n/);
    expect(stdout).to.match(
      /scan_events +1 +observed and received earlier, as their devices' clocks were ahead, too\n/,
    );
    expect(stdout).to.match(/tag_readings +2 +measured earlier/);
    expect(stdout).to.match(/received_messages +1 +received earlier\n/);
    expect(stdout).to.match(/CRATE +gate +\d/);
    expect(stdout).to.match(/Nothing has changed yet.*--by 1h --from .* --to .* --all --confirm/);
    expect((await storedPosition(database, assetId))?.lastSeen).to.equal(now + HOUR);

    const woken = await wokenFor(database, async () => {
      expect(await json('clock', 'mend', '--by', '1h', '--confirm')).to.deep.include({
        is_mended: true,
        organizations: [{ org_id: orgId, assets: 2, scans: 2, readings: 2 }],
      });
    });
    expect(woken).to.deep.equal([orgId]);
    for (const id of [assetId, fastId]) {
      expect(await storedPosition(database, id)).to.deep.equal({ locationId, since: now, lastSeen: now });
    }
    const newest = () =>
      database.rows(
        `select temperature_c, micros_of_time(temperature_c_at) as at, humidity_percent, button,
         micros_of_time(button_at) as pressed_at, motion, micros_of_time(motion_at) as moved_at
       from newest_readings where org_id = $1`,
        [orgId],
      );
    const mended = {
      ...{ temperature_c: 8, at: now, humidity_percent: 40, button: 1, pressed_at: now - 1_000_000 },
      ...{ motion: 1, moved_at: now - HOUR },
    };
    expect(await newest()).to.deep.equal([mended]);
    await record(database, [
      { ...nowhere, deviceTime: now + 1_000_000, receivedAt: now, readings: { temperature_c: 9 } },
    ]);
    expect(await newest()).to.deep.equal([{ ...mended, temperature_c: 9, at: now + 1_000_000 }]);
    const messages = 'select micros_of_time(received_at) as at from received_messages where org_id = $1';
    expect(await database.rows(messages, [orgId])).to.deep.equal([{ at: now }]);
    expect(await json('clock', 'mend')).to.deep.equal([]);
    expect((await tagtrail('clock', 'mend', '--by', '1h', '--confirm')).stdout).to.equal(
      'There is nothing to mend.\n',
    );
  });

  it('names organizations of which only messages, or only receptions, lie ahead', async () => {
    const now = await databaseNow();
    const [ofMessages, ofReads] = [
      await Site.create(database, 'Messages'),
      await Site.create(database, 'Reads'),
    ];
    await remember(ofMessages.orgId, now + HOUR);
    const { orgId } = ofReads;
    const locationId = await ofReads.location('A');
    const readerId = await ofReads.reader('right', [locationId]);
    await ofReads.asset('CRATE', 'CRATE');
    const read = aRead({ orgId, readerId, value: 'CRATE', locationId, at: now, receivedAt: now + HOUR });
    await record(database, [read]);
    const found = await json('clock', 'mend');
    expect(found.map((each: { org_id: number }) => each.org_id)).to.have.members([ofMessages.orgId, orgId]);
  });
});
