import { expect } from 'chai';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import {
  type SetLocating,
  setLocating,
  type WantedLocating,
} from '../../../domain/administration/locating/set-locating.ts';
import { MOST_SETTINGS } from '../../../domain/tracking/location/site.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const SECOND = 1_000_000;
const DAY = 86_400 * SECOND;

describe('how locations are decided on, as it is set', () => {
  const database = useDatabase();
  const now = () => Date.now() * 1_000;
  const set = (orgId: number, more: Partial<WantedLocating> = {}): Promise<SetLocating> =>
    setLocating(
      databaseOn(database.pool),
      TEST_ACTOR,
      {
        ...{ orgId, locationExternalKey: null, from: null },
        ...{ procedure: 'strength', certainty: null, tagDbm: null },
        ...more,
      },
      { retention: 30 * DAY },
    );
  const refusal = async (orgId: number, more: Partial<WantedLocating>) => {
    const error = await set(orgId, more).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error);
    const { field, message } = error as { field?: string; message: string };
    return `${field}: ${message}`;
  };
  const stored = (orgId: number) =>
    database.rows(
      'select procedure, certainty, tag_dbm from location_settings where org_id = $1 order by id',
      [orgId],
    );
  const asked = async (orgId: number) =>
    (
      await database.rows('select from history_recomputations where org_id = $1 and finished_at is null', [
        orgId,
      ])
    ).length;

  it('holds from now on, after every scan that is recorded, and changes no history', async () => {
    const site = await Site.create(database, 'Ahead');
    const locationId = await site.location('A');
    const readerId = await site.reader('a', [null]);
    await site.asset('CRATE', 'CRATE');
    const ahead = now() + 60 * SECOND;
    await record(database, [aRead({ orgId: site.orgId, readerId, value: 'CRATE', locationId, at: ahead })]);
    const { settingId: _id, ...made } = await set(site.orgId);
    expect(made).to.deep.equal({
      ...{ procedure: 'strength', certainty: 1, tagDbm: null, tagKinds: null },
      ...{ validFrom: ahead + 1, until: null, isPast: false, lacks: null },
    });
    expect(await stored(site.orgId)).to.deep.equal([{ procedure: 'strength', certainty: 1, tag_dbm: null }]);
    expect(await asked(site.orgId)).to.equal(0);
  });

  it('asks for histories to be decided again where scans of its time are recorded, and not otherwise', async () => {
    const site = await Site.create(database, 'Past');
    const { orgId } = site;
    const locationId = await site.location('A');
    const readerId = await site.reader('b', [null]);
    await site.asset('CRATE', 'CRATE');
    const seen = now() - 3_600 * SECOND;
    await record(database, [aRead({ orgId, readerId, value: 'CRATE', locationId, at: seen })]);
    expect(await set(orgId, { from: seen + 1 })).to.include({ validFrom: seen + 1, isPast: false });
    expect(await asked(orgId)).to.equal(0);
    const past = await set(orgId, { from: seen - SECOND, certainty: 2 });
    expect(past).to.include({ validFrom: seen - SECOND, isPast: true, until: seen + 1 });
    expect(await asked(orgId)).to.equal(1);
  });

  it('is not stored again where the same is in force', async () => {
    const { orgId } = await Site.create(database, 'Same');
    const { validFrom } = await set(orgId);
    expect((await set(orgId)).validFrom).to.equal(validFrom);
    await set(orgId, { procedure: 'every' });
    await set(orgId);
    expect(await stored(orgId)).to.have.length(3);
  });

  it('may begin later, and holds until another begins', async () => {
    const { orgId } = await Site.create(database, 'Later');
    const later = now() + 7 * DAY;
    expect(await set(orgId, { from: later })).to.include({ validFrom: later, until: null, isPast: false });
    const today = await set(orgId, { certainty: 2 });
    expect(today.validFrom).to.be.below(later);
    expect(today.until).to.equal(later);
  });

  it('names the field and the remedy where it is refused', async () => {
    const site = await Site.create(database, 'Refused');
    const { orgId } = site;
    await site.location('A');
    const refused: [Partial<WantedLocating>, string][] = [
      [{ procedure: 'inherit' }, 'procedure: Only a location can inherit; of an organization choose every'],
      [
        { procedure: 'every', certainty: 1 },
        'certainty: The certainty is for strength and position only; leave it out',
      ],
      [{ certainty: 0 }, 'certainty: The certainty must be 0.1 to 10, such as 1'],
      [{ certainty: 10.5 }, 'certainty: The certainty must be 0.1 to 10, such as 1'],
      [{ tagDbm: -59 }, 'tag_dbm: The strength of tags at 1 m is for position only; leave it out'],
      [
        { procedure: 'position', tagDbm: 21 },
        'tag_dbm: The strength of tags at 1 m must be -120 to 20 dBm, such as -55',
      ],
      [
        { tagKinds: 'AC=-59' },
        'tag_kinds: The strengths of kinds of tags are for position only; leave them out',
      ],
      ...['AC', 'AC=', '=-59', ':=-59', 'AC=-59=1', 'AC=21', 'AC=-59,a-c=-60'].map(
        (tagKinds): [Partial<WantedLocating>, string] => [
          { procedure: 'position', tagKinds },
          'tag_kinds: Write each kind of tag once, as the beginning of its values and its strength at 1 m in dBm ' +
            '(-120 to 20), such as AC233F=-65, DD33=-70.5',
        ],
      ),
      [
        { procedure: 'position', tagKinds: Array.from({ length: 21 }, (_, kind) => `A${kind}=-59`).join() },
        'tag_kinds: There may be at most 20 kinds of tags',
      ],
      // The capital of this letter is three.
      ...['A'.repeat(1_000), '\u0390'.repeat(700)].map((beginning): [Partial<WantedLocating>, string] => [
        { procedure: 'position', tagKinds: `${beginning}=-59` },
        'tag_kinds: The kinds of tags must have at most 1000 characters',
      ]),
      [
        { from: now() - 31 * DAY },
        'from: Raw scans are kept for 30 days (SCAN_RETENTION_DAYS), and nothing older can be decided again; choose a later time',
      ],
      [{ from: now() + 367 * DAY }, 'from: The time must be at most a year ahead'],
    ];
    for (const [wanted, message] of refused) {
      expect(await refusal(orgId, wanted)).to.equal(message);
    }
    expect(await stored(orgId)).to.deep.equal([]);
  });

  it('is by position only where a plan with a scale is, of the location or one around it', async () => {
    const site = await Site.create(database, 'Planned');
    const { orgId } = site;
    const hall = await site.location('HALL');
    await site.location('BAY', hall);
    await site.location('YARD');
    const position = { procedure: 'position', tagDbm: -59 } as const;
    const missing = await refusal(orgId, { ...position, locationExternalKey: 'BAY' });
    expect(missing).to.include(
      'a plan with a scale of BAY or a location that it is in: add one in the console',
    );
    expect(await refusal(orgId, position)).to.include('a plan with a scale of some location');
    await database.rows(
      `insert into plans (org_id, location_id, name, media_type, width, height, image, sha256, scale_points, scale_metres)
       values ($1, $2, 'Hall', 'image/png', 10, 10, '\\x00', sha256('\\x00'), '{0,0,1,0}', 20)`,
      [orgId, hall],
    );
    await set(orgId, { ...position, locationExternalKey: 'BAY' });
    await set(orgId, position);
    const kinds = await set(orgId, {
      ...position,
      locationExternalKey: 'HALL',
      tagKinds: 'ac:23:3f=-65,DD=-70.50',
    });
    expect(kinds.tagKinds).to.equal('AC233F=-65, DD=-70.5');
    expect(await refusal(orgId, { ...position, locationExternalKey: 'YARD' })).to.include('of YARD or');
    const made = { procedure: 'position', certainty: 1, tag_dbm: -59 };
    expect(await stored(orgId)).to.deep.equal([made, made, made]);
  });

  it('is made at most a thousand times in an organization', async () => {
    const { orgId } = await Site.create(database, 'Full');
    await database.rows(
      `insert into location_settings (org_id, procedure, certainty, valid_from)
       select $1, 'strength', 1 + number / 1000.0, timestamptz '2026-01-01' + number * interval '1 second'
       from generate_series(1, $2::integer) number`,
      [orgId, MOST_SETTINGS - 1],
    );
    await set(orgId);
    expect(await refusal(orgId, { procedure: 'every' }))
      .to.include(`Organization ${orgId} has 1,000`)
      .and.include('runbook');
    const { orgId: other } = await Site.create(database, 'Empty');
    await set(other);
  });
});
