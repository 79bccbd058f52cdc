import type { ClientBase } from 'pg';
import { integers, texts } from '../../../db/timescale/array-parameters.ts';
import type { Scan } from './scan.ts';
import { tagKey } from './tag-key.ts';

/** What a read of a tag stands for. */
export type Resolution =
  | { kind: 'asset'; assetId: number; tagValue: string }
  | { kind: 'location'; locationId: number }
  | { kind: 'ambiguous' }
  | { kind: 'unknown' };

type Read = Pick<Scan, 'orgId' | 'tagType' | 'value'>;

/** One string for what resolves alike. */
export function readName({ orgId, tagType, value }: Read): string {
  return `${orgId} ${tagType} ${value}`;
}

/**
 * Resolves reads by the tags as they are now. A live tag with the very value wins; otherwise the one live tag with
 * the same key; if there are several, the read is ambiguous: an asset is never picked by chance.
 *
 * @returns by {@link readName}.
 */
export async function resolveTags(
  client: ClientBase,
  reads: readonly Read[],
): Promise<ReadonlyMap<string, Resolution>> {
  const distinct = [...new Map(reads.map((read) => [readName(read), read])).entries()];
  const { rows } = await client.query<CandidateRow>({
    name: 'resolve-tags',
    text: `select read.position::integer as position, tag.value, tag.asset_id, tag.location_id
      from unnest($1::integer[], $2::text[], $3::text[]) with ordinality
        as read (org_id, tag_type, tag_key, position)
      join tags tag on tag.org_id = read.org_id and tag.tag_type = read.tag_type
        and tag.tag_key = read.tag_key and tag.detached_at is null`,
    values: [
      integers(distinct.map(([, read]) => read.orgId)),
      texts(distinct.map(([, read]) => read.tagType)),
      texts(distinct.map(([, read]) => tagKey(read.tagType, read.value))),
    ],
  });
  const candidates = Map.groupBy(rows, ({ position }) => position - 1);
  return new Map(
    distinct.map(([name, read], index) => [name, choose(read.value, candidates.get(index) ?? [])]),
  );
}

interface CandidateRow {
  position: number;
  value: string;
  asset_id: number | null;
  location_id: number | null;
}

function choose(value: string, candidates: readonly CandidateRow[]): Resolution {
  const tag = candidates.find((candidate) => candidate.value === value) ?? candidates[0];
  if (tag === undefined) {
    return { kind: 'unknown' };
  }
  if (tag.value !== value && candidates.length > 1) {
    return { kind: 'ambiguous' };
  }
  if (tag.asset_id !== null) {
    return { kind: 'asset', assetId: tag.asset_id, tagValue: tag.value };
  }
  return tag.location_id === null ? { kind: 'unknown' } : { kind: 'location', locationId: tag.location_id };
}
