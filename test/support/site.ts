import { storedKeys } from '../../domain/tracking/tag-key.ts';
import type { TagType } from '../../domain/tracking/tag-type.ts';
import type { TestDatabase } from './database.ts';

/** Runs one statement and returns its rows. */
export type Rows = Pick<TestDatabase, 'rows'>;

/** Rows to test on, made by plain SQL so that no code under test stands behind them. */
export class Site {
  readonly orgId: number;
  readonly #database: Rows;

  private constructor(database: Rows, orgId: number) {
    this.#database = database;
    this.orgId = orgId;
  }

  static async create(database: Rows, name = 'Acme'): Promise<Site> {
    const { id } = await one(database, 'insert into organizations (name) values ($1) returning id', [name]);
    return new Site(database, id);
  }

  /** Of an organization that is there. */
  static of(database: Rows, orgId: number): Site {
    return new Site(database, orgId);
  }

  async location(key: string, parentId: number | null = null): Promise<number> {
    const sql = `insert into locations (org_id, external_key, name, parent_id) values ($1, $2, $2, $3) returning id`;
    return (await one(this.#database, sql, [this.orgId, key, parentId])).id;
  }

  async asset(key: string, tagValue?: string, tagType: TagType = 'rfid'): Promise<number> {
    const sql = 'insert into assets (org_id, external_key, name) values ($1, $2, $2) returning id';
    const { id } = await one(this.#database, sql, [this.orgId, key]);
    if (tagValue !== undefined) {
      await this.tag({ assetId: id }, tagValue, tagType);
    }
    return id;
  }

  async tag(
    parent: { assetId: number } | { locationId: number },
    value: string,
    tagType: TagType = 'rfid',
  ): Promise<number> {
    const assetId = 'assetId' in parent ? parent.assetId : null;
    const locationId = 'locationId' in parent ? parent.locationId : null;
    const { spelling, normal } = storedKeys(tagType, value);
    // Databases of earlier versions have no column for what is null here.
    const row = { org_id: this.orgId, tag_type: tagType, value, tag_key: spelling, asset_id: assetId };
    const columns = Object.entries({ ...row, location_id: locationId, normal_key: normal }).filter(
      ([, given]) => given !== null,
    );
    const names = columns.map(([name]) => name).join(', ');
    const places = columns.map((_, index) => `$${index + 1}`).join(', ');
    const sql = `insert into tags (${names}) values (${places}) returning id`;
    return (
      await one(
        this.#database,
        sql,
        columns.map(([, given]) => given),
      )
    ).id;
  }

  /** A reader whose antennas, from port 1 on, are at the given locations; its password is its name. */
  async reader(
    name: string,
    locationIds: (number | null)[],
    { topic = name, format = 'tagtrail' }: { topic?: string; format?: string } = {},
  ): Promise<number> {
    // By one statement: ingestion that has heard of a reader takes its antennas as known for up to 400 ms.
    const sql = `with reader as (
        insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
        values ($1, $2, $3, $4, $2, sha256(convert_to($2, 'UTF8'))) returning id
      ), antennas as (
        insert into antennas (org_id, reader_id, port, location_id)
        select $1, reader.id, port, location_id
        from reader, unnest($5::integer[]) with ordinality as a (location_id, port)
      )
      select id from reader`;
    const { id } = await one(this.#database, sql, [this.orgId, name, topic, format, locationIds]);
    return id;
  }
}

async function one(database: Rows, sql: string, values: unknown[]): Promise<{ id: number }> {
  const [row] = await database.rows<{ id: number }>(sql, values);
  if (row === undefined) {
    throw new Error(`no row from: ${sql}`);
  }
  return row;
}
