/**
 * Where everything is, how it came there, and a note on whatever has not been seen for a week.
 *
 *     TAGTRAIL_URL=http://127.0.0.1:8080 TAGTRAIL_KEY=tt_... node clients/typescript/examples/where-is-everything.ts
 */
import { createTagtrailClient, rows, TagtrailError, unwrap } from 'tagtrail-client';

const { TAGTRAIL_URL: baseUrl = 'http://127.0.0.1:8080', TAGTRAIL_KEY: apiKey = '' } = process.env;
const client = createTagtrailClient({
  baseUrl,
  apiKey,
  patience: { onWait: ({ milliseconds }) => console.error(`waiting ${Math.ceil(milliseconds / 1000)} s`) },
});

try {
  const { name } = unwrap(await client.GET('/api/v1/orgs/me')).data;
  console.log(`Where the assets of ${name} are:`);
  const weekAgo = new Date(Date.now() - 7 * 86_400_000).toISOString();

  // The rows of the report, however many pages it has.
  for await (const row of rows((page) =>
    client.GET('/api/v1/reports/asset-locations', {
      params: { query: { ...page, sort: 'asset_external_key' } },
    }),
  )) {
    console.log(
      `${row.asset_external_key} is at ${row.location_external_key ?? '-'} since ${await arrival(row.asset_id)}`,
    );
    if (row.asset_last_seen < weekAgo) {
      await note(row.asset_id, { last_seen: row.asset_last_seen });
    }
  }
} catch (error) {
  if (!(error instanceof TagtrailError)) {
    throw error;
  }
  console.error(error.message);
  process.exitCode = 1;
}

/** The newest row of its history. */
async function arrival(assetId: number): Promise<string> {
  const { data } = unwrap(
    await client.GET('/api/v1/assets/{asset_id}/history', {
      params: { path: { asset_id: assetId }, query: { limit: 1 } },
    }),
  );
  return data[0]?.event_observed_at ?? '-';
}

/** Adds to the metadata of an asset. A PATCH replaces it as a whole, so the present content is sent along. */
async function note(assetId: number, more: Record<string, unknown>): Promise<void> {
  const params = { path: { asset_id: assetId } };
  const { metadata } = unwrap(await client.GET('/api/v1/assets/{asset_id}', { params })).data;
  const body = { metadata: { ...metadata, ...more } };
  unwrap(await client.PATCH('/api/v1/assets/{asset_id}', { params, body }));
}
