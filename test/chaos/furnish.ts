import { tagKey } from '../../domain/tracking/tag-key.ts';
import type { TestDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';
import { ANTENNAS, REFUSED_RSSI, readerName, type Traffic, tagOf } from './traffic.ts';

/** Assets, readers whose antennas are each somewhere else, and one value that the database refuses. */
export async function furnish(database: TestDatabase, { readers, assets }: Traffic): Promise<Site> {
  const site = await Site.create(database);
  for (let reader = 0; reader < readers; reader++) {
    const places = Array.from({ length: ANTENNAS }, (_, antenna) =>
      site.location(`PLACE-${reader}-${antenna}`),
    );
    await site.reader(readerName(reader), await Promise.all(places));
  }
  const values = Array.from({ length: assets }, (_, asset) => tagOf(asset));
  await database.rows(
    `with asset as (
       insert into assets (org_id, external_key, name)
       select $1, 'PALLET-' || number - 1, 'PALLET-' || number - 1
       from unnest($2::text[]) with ordinality as tagged (value, number) returning id, external_key
     )
     insert into tags (org_id, tag_type, value, tag_key, asset_id)
     select $1, 'rfid', value, tag_key, id
     from unnest($2::text[], $3::text[]) with ordinality as tagged (value, tag_key, number)
     join asset on external_key = 'PALLET-' || number - 1`,
    [site.orgId, values, values.map((value) => tagKey('rfid', value))],
  );
  await database.rows(`alter table scan_events add constraint refused check (rssi > ${REFUSED_RSSI})`);
  return site;
}
