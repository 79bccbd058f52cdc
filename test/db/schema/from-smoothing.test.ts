import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { withDatabase } from '../../../db/timescale/connections/database-url.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { inSnapshot } from '../../../db/timescale/connections/transaction.ts';
import { createDatabase } from '../../../db/timescale/schema/create-database.ts';
import { migrate } from '../../../db/timescale/schema/migrate.ts';
import { readMigrations } from '../../../db/timescale/schema/migrations.ts';
import { recomputeOrganization } from '../../../domain/tracking/recompute/recompute-organization.ts';
import { explain, NotSeenYet } from '../../../domain/tracking/why/explain.ts';
import { outcomeOf, type ReaderScan, type World } from '../../../simulation/location/oracle.ts';
import { createRandom } from '../../../simulation/random.ts';
import { serverUrl } from '../../support/database.ts';
import { Site } from '../../support/site.ts';

const SECOND = 1_000_000;
const START = Date.UTC(2026, 4, 1, 10) * 1_000;

/** The last one that knows smoothing. */
const LAST_WITH_SMOOTHING = '0203-alerts-left-out';

describe('an upgrade where smoothing was used', () => {
  let url: string;
  let pool: Pool;
  const rows = async (sql: string, values: unknown[] = []) => (await pool.query(sql, values)).rows;

  beforeEach(async () => {
    url = withDatabase(serverUrl(), `smoothed_${randomBytes(6).toString('hex')}`);
    await createDatabase(url);
    const migrations = readMigrations();
    const last = migrations.findIndex(({ name }) => name === LAST_WITH_SMOOTHING);
    await migrate(url, migrations.slice(0, last + 1));
    pool = createWritePool(url, { max: 4, applicationName: 'test' });
    // Its function is the present one, and writes columns that are not there yet.
    await pool.query('alter table locations disable trigger locations_inserted_version');
  });
  afterEach(async () => {
    await pool.end();
    const server = createWritePool(serverUrl(), { max: 1 });
    await server.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
    await server.end();
  });

  /** Assets that two of three antennas hear, with the stays that smoothing kept of them: the first location, then another. */
  async function heard(name: string) {
    const site = await Site.create({ rows }, name);
    const { orgId } = site;
    const hall = await site.location('HALL');
    const locations = [
      await site.location('A', hall),
      await site.location('B', hall),
      await site.location('YARD'),
    ];
    const readerId = await site.reader(name, locations);
    const random = createRandom(orgId);
    const assets: { id: number; scans: ReaderScan[] }[] = [];
    for (let index = 0; index < 6; index++) {
      const id = await site.asset(`${name}-${index}`, `${name}-${index}`);
      const scans = Array.from({ length: 240 }, (_, step): ReaderScan => {
        const near = step < 120 ? index % 3 : (index + 1) % 3;
        const antenna = step % 2 === 0 ? near : (near + 1) % 3;
        return {
          ...{ kind: 'read', at: START + step * (SECOND / 2) + index, readerId, antenna: antenna + 1 },
          ...{ tagType: 'rfid', tagValue: `${name}-${index}`, locationId: locations[antenna] ?? 0 },
          rssi: (step % 2 === 0 ? -55 : -63) + random.integer(-6, 6),
        };
      });
      await rows(
        `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type,
           tag_value, rssi, reader_id, antenna)
         select $1, $2, place, time_of_micros(at), time_of_micros(at), false, 'rfid', $3, rssi, $4, antenna
         from unnest($5::integer[], $6::bigint[], $7::float8[], $8::smallint[]) as made (place, at, rssi, antenna)`,
        [
          ...[orgId, id, `${name}-${index}`, readerId, scans.map(({ locationId }) => locationId)],
          ...[scans.map(({ at }) => at), scans.map(({ rssi }) => rssi), scans.map(({ antenna }) => antenna)],
        ],
      );
      const stays = [scans[0], scans[150]] as [ReaderScan, ReaderScan];
      for (const [turn, { at, locationId, rssi, antenna }] of stays.entries()) {
        await rows(
          `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds, received_at,
             tag_type, tag_value, rssi, reader_id, antenna, proof)
           values ($1, $2, time_of_micros($3), $4, $5, time_of_micros($3), 'rfid', $6, $7, $8, $9, $10)`,
          [
            ...[
              orgId,
              id,
              at,
              locationId,
              turn === 0 ? null : 75,
              `${name}-${index}`,
              rssi,
              readerId,
              antenna,
            ],
            turn === 0 ? 'no_rival' : 'stronger',
          ],
        );
      }
      await rows(
        `insert into positions (org_id, asset_id, location_id, since, last_seen)
         values ($1, $2, $3, time_of_micros($4), time_of_micros($5))`,
        [orgId, id, stays[1].locationId, stays[1].at, scans.at(-1)?.at],
      );
      assets.push({ id, scans });
    }
    return { orgId, hall, locations, assets };
  }

  /** Proofs of smoothing are read as unknown. */
  const stored = (assetId: number) =>
    rows(
      `select micros_of_time(observed_at) as at, location_id as "locationId",
         nullif(nullif(proof, 'no_rival'), 'stronger') as proof
       from location_transitions where asset_id = $1 order by observed_at`,
      [assetId],
    );
  /** Every row of an organization, without columns that came since. */
  const allOf = async (orgId: number) =>
    Promise.all(
      ['scan_events', 'location_transitions', 'positions', 'unsealed_moves', 'locations', 'antennas'].map(
        async (table) => [
          table,
          await rows(
            // Columns that came since are null, or these.
            `select jsonb_strip_nulls(to_jsonb(stored) - array['offset_db', 'height_m'])::text as row
             from ${table} stored where org_id = $1 order by 1`,
            [orgId],
          ),
        ],
      ),
    );

  it('decides kept scans by strength, though it is broken off, tells the feed, and leaves others as they are', async () => {
    const smoothed = await heard('smoothed');
    const plain = await heard('plain');
    const { orgId, hall, locations } = smoothed;
    const [, , yard] = locations;
    await rows(
      `insert into smoothing_settings
         (org_id, location_id, valid_from, mode, window_seconds, min_seconds, margin_db, actor_type, actor_id)
       select $1, place, time_of_micros(at), mode, seconds, case mode when 'on' then 5 end, margin, 'command_line', 'ann'
       from unnest($2::integer[], $3::bigint[], array['on', 'on', 'off', 'inherit'], array[30, 60, null, null],
         array[null, 8, null, null]::float8[]) as made (place, at, mode, seconds, margin)`,
      [
        orgId,
        [null, hall, yard, hall],
        [START - SECOND, START - SECOND, START - SECOND, START + 60 * SECOND],
      ],
    );
    const plainBefore = await allOf(plain.orgId);

    await migrate(url);

    const settings = await rows(
      `select location_id as "locationId", micros_of_time(valid_from) as from, procedure as by, certainty,
         tag_dbm as "tagDbm", actor_id as actor
       from location_settings where org_id = $1 order by id`,
      [orgId],
    );
    const by = (procedure: string) => ({
      ...{ by: procedure, certainty: procedure === 'strength' ? 1 : null, tagDbm: null, actor: 'ann' },
    });
    expect(settings).to.deep.equal([
      { locationId: null, from: START - SECOND, ...by('strength') },
      { locationId: hall, from: START - SECOND, ...by('strength') },
      { locationId: yard, from: START - SECOND, ...by('every') },
      { locationId: hall, from: START + 60 * SECOND, ...by('inherit') },
    ]);
    const asked = () =>
      rows('select org_id, asset_id, finished_at is not null as is_finished from history_recomputations');
    expect(await asked()).to.deep.equal([{ org_id: orgId, asset_id: 0, is_finished: false }]);

    // One asset's first scans are dropped: its first stay is kept as it is.
    const [old] = smoothed.assets;
    await rows('delete from scan_events where asset_id = $1 and observed_at < time_of_micros($2)', [
      old?.id,
      START + 5 * SECOND,
    ]);
    const controller = new AbortController();
    const first = await recomputeOrganization(pool, orgId, {
      signal: controller.signal,
      onProgress: ({ assets }) => assets === 2 && controller.abort(),
    });
    expect(first).to.include({ assets: 2, isFinished: false });
    expect(await recomputeOrganization(pool, orgId)).to.include({ assets: 6, isFinished: true });

    const world: World = {
      parents: new Map([[hall, null], ...locations.map((id) => [id, id === yard ? null : hall] as const)]),
      settings: settings.map(({ certainty, ...setting }) => ({ ...setting, certainty: certainty ?? 1 })),
      antennas: [],
      plans: [],
    };
    for (const { id, scans } of smoothed.assets.slice(1)) {
      const { history } = outcomeOf(scans, world);
      expect(await stored(id)).to.deep.equal(
        history.map(({ at, locationId, statement: { rule } }) => ({
          ...{ at, locationId, proof: rule === 'every' ? null : rule },
        })),
      );
    }
    const told = await rows('select distinct org_id, kind from unsealed_moves');
    expect(told).to.deep.equal([{ org_id: orgId, kind: 'corrected' }]);
    expect(await recomputeOrganization(pool, orgId)).to.include({ changed: 0 });
    expect(await allOf(plain.orgId)).to.deep.equal(plainBefore);

    const [kept] = await stored(old?.id ?? 0);
    expect(kept).to.deep.equal({ at: START, locationId: locations[0], proof: null });
    const why = await inSnapshot(pool, (client) => explain(client, { orgId, assetId: old?.id ?? 0 }, START));
    expect(why).not.to.be.instanceOf(NotSeenYet);
    expect(why).to.deep.include({ rule: null, evidence: null });
  });
});
