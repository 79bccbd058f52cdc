import type pg from 'pg';
import type { OrganizationDatabase } from '../../db/timescale/connections/organization-door.ts';
import { nameOf } from '../../db/timescale/queries/composed-statements.ts';
import { verbsOn } from '../../db/timescale/queries/verbs.ts';
import { type AssetFilters, listAssets } from '../../domain/master-data/assets/list.ts';
import { type Measured, MeasuredClient } from './measured-client.ts';

/** An organization's lists, measured by the server as they are run: planned once for all values, as brief lists are. */
export class MeasuredLists {
  readonly #measured: MeasuredClient;
  readonly #orgId: number;

  private constructor(measured: MeasuredClient, orgId: number) {
    this.#measured = measured;
    this.#orgId = orgId;
  }

  static async connect(url: string, orgId: number): Promise<MeasuredLists> {
    const measured = await MeasuredClient.connect(url, 'force_generic_plan');
    await measured.client.query('set role tagtrail_api');
    await measured.client.query(`select set_config('tagtrail.org_id', $1, false)`, [String(orgId)]);
    return new MeasuredLists(measured, orgId);
  }

  end(): Promise<void> {
    return this.#measured.client.end();
  }

  /** What a list gives, and the rows in hand and pages of all its statements. */
  async measure<Result>(
    list: (db: OrganizationDatabase) => Promise<Result>,
  ): Promise<{ result: Result; rows: number; pages: number }> {
    const results: Result[] = [];
    const measured = await this.#measured.measure(async (client) => {
      results.push(await list(this.#databaseOf(client)));
    });
    const all: Measured[] = [...measured.values()];
    return {
      result: results[0] as Result,
      rows: all.reduce((sum, { rows }) => sum + rows, 0),
      pages: all.reduce((sum, { pages }) => sum + pages, 0),
    };
  }

  /** Pages of assets by their keys, of which none is large. */
  assets(filters: Partial<AssetFilters>) {
    const all: AssetFilters = {
      sort: [{ field: 'external_key', isDescending: false }],
      ...{ limit: 50, offset: 0, include_deleted: false, include_not_in_effect: false },
      ...{ external_key: undefined, location_id: undefined, location_external_key: undefined },
      is_active: undefined,
    };
    const noneLarge = () => Promise.reject(new Error('no row is large here'));
    return this.measure((db) => listAssets(db, { ...all, ...filters }, noneLarge));
  }

  #databaseOf(client: pg.Client): OrganizationDatabase {
    const connection = {
      orgId: this.#orgId,
      ...verbsOn((query) => client.query({ ...query, name: query.name ?? nameOf(query.text) })),
    };
    const itself = () => connection;
    return {
      ...connection,
      transaction: (work) => work(connection),
      longTransaction: (work) => work(connection),
      grouped: async (write, item) => {
        await connection.exec(write.first(this.#orgId, [item]));
        return write.outcomeOf(await connection.one(write.query(this.#orgId, [item])), item);
      },
      listing: itself,
    };
  }
}
