import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { newOrganization } from './new-organization.ts';

/** A database with an asset whose tag is {@link TAG}, and readers whose password and topic is their name. */
export async function withReaders(serverUrl: string, names: readonly string[]): Promise<string> {
  const url = withDatabase(serverUrl, `bench_${names[0]}_${process.pid}`);
  const { client, orgId } = await newOrganization(url);
  await client.query(
    `with asset as (insert into assets (org_id, external_key, name) values ($1, 'PALLET', 'Pallet') returning id)
     insert into tags (org_id, tag_type, value, tag_key, asset_id) select $1, 'rfid', $2, $2, id from asset`,
    [orgId, TAG],
  );
  await client.query(
    `with reader as (
       insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
       select $1, n, n, 'tagtrail', n, sha256(convert_to(n, 'UTF8')) from unnest($2::text[]) n returning id
     )
     insert into antennas (org_id, reader_id, port, location_id)
     select $1, reader.id, 1, location.id from reader, locations location where location.external_key = 'PLACE-1'`,
    [orgId, names],
  );
  await client.end();
  return url;
}

export const TAG = 'E2801160';
