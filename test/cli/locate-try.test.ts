import { expect } from 'chai';
import fc from 'fast-check';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { aRead, record, storedHistory } from '../support/recording.ts';
import { Site } from '../support/site.ts';

const SECOND = 1_000_000;
const ASSETS = ['CART-1', 'CART-2', 'CART-3'];

describe('locate try', () => {
  const database = useDatabase();
  const { tagtrail, json, fails } = commandLineOn(() => database);
  const begun = Math.floor(Date.now() / 1_000 - 7_200) * SECOND;
  const timeAt = (second: number) => new Date(begun / 1_000 + second * 1_000).toISOString();
  const places = new Map<number, string>();
  const assets = new Map<string, number>();
  let site: Site;
  let org: string;
  const attempt = (...args: string[]) => ['locate', 'try', '--org', org, ...args];

  /** Three assets in a hall of three areas for twenty minutes; each antenna hears all of it, as loud as it is near. */
  before(async () => {
    site = await Site.create(database);
    org = String(site.orgId);
    const hall = await site.location('HALL');
    const keys = ['EAST', 'MIDDLE', 'WEST'];
    for (const key of keys) {
      places.set(await site.location(key, hall), key);
    }
    const areas = [...places.keys()];
    const readerId = await site.reader('hall', areas);
    for (const [index, value] of ASSETS.entries()) {
      assets.set(value, await site.asset(value, value));
      const [noise = []] = fc.sample(
        fc.array(
          fc.record({ fading: fc.integer({ min: 0, max: 18 }), gap: fc.integer({ min: 50, max: 900 }) }),
          {
            ...{ minLength: 2_400, maxLength: 2_400, size: 'max' },
          },
        ),
        { numRuns: 1, seed: 20 + index },
      );
      let at = begun;
      const reads = noise.map(({ fading, gap }, turn) => {
        at += gap * 1_000;
        const near = Math.floor((at - begun) / (90 * SECOND) + index) % 3;
        const antenna = turn % 3;
        const rssi = turn % 50 === 7 ? null : (antenna === near ? -56 : -62) - fading;
        const read = { orgId: site.orgId, readerId, value, at, rssi };
        const heard = aRead({ ...read, antenna: antenna + 1, locationId: areas[antenna] ?? 0 });
        const source = {
          kind: 'handheld' as const,
          ...{ handheldId: 1, submissionId: `walk ${value}`, index: turn },
        };
        return turn % 200 === 100 ? { ...heard, rssi: null, source, locationId: areas[near] ?? 0 } : heard;
      });
      for (let start = 0; start < reads.length; start += 300) {
        await record(database, reads.slice(start, start + 300));
      }
    }
  });

  interface Listed {
    change: string;
    asset_external_key: string;
    observed_at: string;
    from_location_external_key: string;
    to_location_external_key: string;
  }

  /** As the command lists moves: asset, instant, from and to. */
  async function movesSince(second: number): Promise<string[]> {
    const moves: string[] = [];
    for (const [key, assetId] of assets) {
      const stays = await storedHistory(database, assetId);
      for (const [index, { observedAt, locationId }] of stays.entries()) {
        const before = stays[index - 1];
        if (before !== undefined && observedAt >= begun + second * SECOND) {
          const at = new Date(Math.floor(observedAt / 1_000)).toISOString();
          moves.push(`${key} ${at} ${places.get(before.locationId)} ${places.get(locationId)}`);
        }
      }
    }
    return moves;
  }

  const nameOf = (move: Listed) =>
    `${move.asset_external_key} ${move.observed_at} ${move.from_location_external_key} ${move.to_location_external_key}`;

  for (const [second, ...setting] of [
    [0, '--location', 'HALL', '--by', 'strength'],
    [311, '--location', 'HALL', '--by', 'strength', '--certainty', '0.5'],
    [450, '--location', 'MIDDLE', '--by', 'strength', '--certainty', '2'],
    [600, '--location', 'HALL', '--inherit'],
    [700, '--location', 'MIDDLE', '--by', 'every'],
  ] as const) {
    it(`says what setting it gives: ${setting.join(' ')}, from second ${second} on`, async () => {
      const before = await movesSince(second);
      const tried = await json(...attempt(...setting, '--since', timeAt(second)));
      expect(await movesSince(second)).to.deep.equal(before);
      const set = await json('locate', 'set', '--org', org, ...setting, '--from', timeAt(second));
      expect(set.recomputed).to.include({ assets: ASSETS.length });
      const after = await movesSince(second);
      const place = setting[1];
      const isCounted = (others: readonly string[]) => (move: string) =>
        place === 'HALL' || move.includes(place) || !others.includes(move);
      expect([tried.present, tried.proposed]).to.deep.equal([
        before.filter(isCounted(after)).length,
        after.filter(isCounted(before)).length,
      ]);
      const listed = (change: string) =>
        tried.moves.filter((move: Listed) => move.change === change).map(nameOf);
      expect(listed('disappears')).to.have.members(before.filter((move) => !after.includes(move)));
      expect(listed('appears')).to.have.members(after.filter((move) => !before.includes(move)));
      expect(tried.moves_left_out).to.equal(0);
      expect(before).to.not.deep.equal(after);
    });
  }

  it('finds nothing to change where it is set, for people to read too', async () => {
    const { stdout } = await tagtrail(
      ...attempt('--location', 'MIDDLE', '--by', 'every', '--since', timeAt(700)),
    );
    expect(stdout).to.match(
      /^MIDDLE by every scan, from .*:\n(\d+) moves now, \1 then; back within 30 s: (\d+) now, \2 then/,
    );
    expect(stdout)
      .to.match(/from +to +now +kept/)
      .and.match(/asset +now +then/);
  });

  it('compares one asset with where a person scanned it', async () => {
    const tried = await json(...attempt('--by', 'strength', '--asset', 'CART-2', '--since', timeAt(0)));
    expect(
      tried.walk.map((row: { location_external_key: string }) => row.location_external_key),
    ).to.have.members(['EAST', 'MIDDLE', 'WEST']);
    for (const { right_percent_then: right, seconds } of tried.walk) {
      expect(right).to.be.within(0, 100);
      expect(seconds).to.be.above(10);
    }
    const { stdout } = await tagtrail(...attempt('--asset', 'CART-2', '--since', timeAt(0)));
    expect(stdout).to.match(/walked +seconds +right % now +right % then/);
  });

  it('counts what was read at a location that is deleted since, as why and recomputation do', async () => {
    await json('locate', 'set', '--org', org, '--location', 'MIDDLE', '--inherit', '--from', timeAt(700));
    await json(
      'locate',
      'set',
      '--org',
      org,
      '--location',
      'HALL',
      '--by',
      'strength',
      '--from',
      timeAt(701),
    );
    const said = async () => ({
      tried: await json(...attempt('--location', 'HALL', '--by', 'every', '--since', timeAt(701))),
      why: await Promise.all(
        [710, 800, 890].map((second) =>
          json('why', '--org', org, '--asset', 'CART-1', '--at', timeAt(second)),
        ),
      ),
    });
    const before = await said();
    expect(JSON.stringify(before.tried.moves)).to.include('EAST');
    expect(before.why.map(({ stay }) => stay.location_external_key)).to.include('EAST');
    await database.rows(`update antennas set location_id = null
      where location_id = (select id from locations where external_key = 'EAST')`);
    await database.rows(`update locations set deleted_at = now() where external_key = 'EAST'`);
    expect(await said()).to.deep.equal(before);
    const recomputed = await json('history', 'recompute', '--org', org);
    expect(JSON.stringify(recomputed)).to.include('"assets":3,"assets_changed":0');
  });

  it('says what is missing or wrong', async () => {
    await fails(1, 'Asset NONE not found', ...attempt('--asset', 'NONE'));
    await fails(2, 'RFC 3339', ...attempt('--since', 'yesterday'));
    await fails(
      2,
      '--since must be at or before --until',
      ...attempt('--since', timeAt(9), '--until', timeAt(8)),
    );
    await fails(2, 'only; leave it out', ...attempt('--by', 'every', '--certainty', '1'));
    const other = await Site.create(database, 'Other');
    const nothing = await json('locate', 'try', '--org', String(other.orgId));
    expect(nothing).to.include({ present: 0, proposed: 0 });
  });
});
