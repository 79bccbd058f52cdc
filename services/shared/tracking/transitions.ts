import type { ClientBase } from 'pg';
import { bigints, integers, timestamps } from '../../../db/timescale/array-parameters.ts';
import type { Micros } from '../instant.ts';
import type { Transition } from './history.ts';
import { type AssetRef, assetName } from './positions.ts';

export interface AssetTransition extends AssetRef, Transition {}

/** Writes transitions; one that is stored at the same instant of the asset is replaced. */
export async function putTransitions(
  client: ClientBase,
  transitions: readonly AssetTransition[],
): Promise<void> {
  if (transitions.length === 0) {
    return;
  }
  await client.query({
    name: 'put-transitions',
    text: `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
      select org_id, asset_id, observed_at, location_id, duration_seconds
      from unnest($1::integer[], $2::integer[], $3::timestamptz[], $4::integer[], $5::bigint[])
        as made (org_id, asset_id, observed_at, location_id, duration_seconds)
      on conflict (org_id, asset_id, observed_at)
      do update set location_id = excluded.location_id, duration_seconds = excluded.duration_seconds`,
    values: [
      integers(transitions.map(({ orgId }) => orgId)),
      integers(transitions.map(({ assetId }) => assetId)),
      timestamps(transitions.map(({ observedAt }) => observedAt)),
      integers(transitions.map(({ locationId }) => locationId)),
      bigints(transitions.map(({ durationSeconds }) => durationSeconds)),
    ],
  });
}

/**
 * Asset by asset, sent together: a join of all with what is stored could be planned as one of two whole tables. Only late
 * scans have any to delete.
 */
export async function deleteTransitions(
  client: ClientBase,
  transitions: readonly (AssetRef & { observedAt: Micros })[],
): Promise<void> {
  await Promise.all(
    [...Map.groupBy(transitions, assetName).values()].map((ofAsset) =>
      client.query({
        name: 'delete-transitions',
        text: `delete from location_transitions
          where org_id = $1 and asset_id = $2 and observed_at = any ($3::timestamptz[])`,
        values: [
          ofAsset[0]?.orgId,
          ofAsset[0]?.assetId,
          timestamps(ofAsset.map(({ observedAt }) => observedAt)),
        ],
      }),
    ),
  );
}
