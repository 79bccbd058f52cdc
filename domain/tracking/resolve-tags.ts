import { integers, texts } from '../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { PairMap } from './pair-map.ts';
import type { Scan } from './scan.ts';
import { soughtKeys } from './tag-key.ts';
import type { TagType } from './tag-type.ts';
import { tagsLike } from './tags-like.ts';

export type Resolution =
  | { kind: 'asset'; assetId: number; tagId: number; tagType: TagType; tagValue: string }
  | { kind: 'location'; locationId: number }
  | { kind: 'ambiguous' }
  | { kind: 'unknown' };

type TagRead = Pick<Scan, 'orgId' | 'tagType' | 'value'>;

/** Reads of equal organization, type and value share a resolution. */
export interface Resolutions {
  /** Undefined for a read that was not resolved. */
  get(read: TagRead): Resolution | undefined;
}

/**
 * Resolves reads by the tags as they are now. A live tag with exactly the same value wins, as most do; otherwise the asset or the
 * location whose tags have the same key. Two of them make the read ambiguous: an asset is never picked by chance.
 */
export async function resolveTags(db: Connection, reads: readonly TagRead[]): Promise<Resolutions> {
  const asked = new DistinctReads();
  for (const read of reads) {
    asked.add(read);
  }
  const distinct = asked.reads();
  await collect(distinct, (some) => findExact(db, some));
  const inOtherWords = distinct.filter(({ candidates }) => candidates.length === 0);
  await collect(inOtherWords, (some) => findCandidates(db, some));
  for (const one of distinct) {
    one.resolution = resolve(one.read, one.candidates);
  }
  return asked;
}

async function collect(
  reads: readonly DistinctRead[],
  find: (some: readonly DistinctRead[]) => Promise<readonly CandidateRow[]>,
): Promise<void> {
  for (let at = 0; at < reads.length; at += AT_ONCE) {
    const some = reads.slice(at, at + AT_ONCE);
    for (const row of await find(some)) {
      const one = some[row.ordinal - 1];
      if (one?.candidates === NONE) {
        one.candidates = [row];
      } else {
        one?.candidates.push(row);
      }
    }
  }
}

/** Reads of a statement: decoding ten thousand EPCs at once held the process for up to a tenth of a second. */
const AT_ONCE = 2_000;

/**
 * If more tags than these share a key, a read without an exact match is ambiguous, even if all are of one asset. An
 * organization may store thousands of spellings of a key and read each in one message; every read would load all of
 * them.
 */
export const MOST_SPELLINGS = 10;

/**
 * The tags with each read's key; a few more than {@link MOST_SPELLINGS} at most. Sorted by key, so that the planner takes the
 * index on keys. Without statistics, an index that begins with the organization seems as good, but reads all of its tags.
 */
function findCandidates(db: Connection, asked: readonly DistinctRead[]): Promise<readonly CandidateRow[]> {
  const keys = asked.map(({ read }) => soughtKeys(read.tagType, read.value));
  return db.any(sql.prepared('resolve-tags', rowsOf<CandidateRow>())`
    select read.ordinal::integer as ordinal, tag.id, tag.tag_type, tag.value, tag.asset_id, tag.location_id
    from unnest(
      ${sql.binary(integers(asked.map(({ read }) => read.orgId)))}::integer[],
      ${sql.binary(texts(asked.map(({ read }) => read.tagType)))}::text[],
      ${sql.binary(texts(keys.map(({ normal }) => normal)))}::text[],
      ${sql.binary(texts(keys.map(({ spelling }) => spelling)))}::text[],
      ${sql.binary(texts(keys.map(({ otherSpelling }) => otherSpelling)))}::text[])
      with ordinality as read (org_id, tag_type, normal, spelling, other_spelling, ordinal)
    cross join lateral (${tagsLike(SOUGHT, MOST_SPELLINGS + 1)}) tag`);
}

const SOUGHT = {
  orgId: sql.fragment`read.org_id`,
  tagType: sql.fragment`read.tag_type`,
  normal: sql.fragment`read.normal`,
  spelling: sql.fragment`read.spelling`,
  otherSpelling: sql.fragment`read.other_spelling`,
};

function findExact(db: Connection, asked: readonly DistinctRead[]): Promise<readonly CandidateRow[]> {
  return db.any(sql.prepared('resolve-exact-tags', rowsOf<CandidateRow>())`
    select read.ordinal::integer as ordinal, tag.id, read.tag_type, tag.value, tag.asset_id, tag.location_id
    from unnest(
      ${sql.binary(integers(asked.map(({ read }) => read.orgId)))}::integer[],
      ${sql.binary(texts(asked.map(({ read }) => read.tagType)))}::text[],
      ${sql.binary(texts(asked.map(({ read }) => read.value)))}::text[])
      with ordinality as read (org_id, tag_type, value, ordinal)
    cross join lateral (
      select id, value, asset_id, location_id from tags
      where org_id = read.org_id and tag_type = read.tag_type and detached_at is null
        and value >= read.value and value <= read.value
      order by value offset 0
    ) tag`);
}

class DistinctReads implements Resolutions {
  readonly #byType = new Map<TagType, PairMap<number, string, DistinctRead>>();
  readonly #reads: DistinctRead[] = [];

  add(read: TagRead): void {
    let byValue = this.#byType.get(read.tagType);
    if (byValue === undefined) {
      byValue = new PairMap();
      this.#byType.set(read.tagType, byValue);
    }
    if (!byValue.has(read.orgId, read.value)) {
      const asked: DistinctRead = { read, candidates: NONE, resolution: UNKNOWN };
      byValue.add(read.orgId, read.value, asked);
      this.#reads.push(asked);
    }
  }

  reads(): readonly DistinctRead[] {
    return this.#reads;
  }

  get({ orgId, tagType, value }: TagRead): Resolution | undefined {
    return this.#byType.get(tagType)?.get(orgId, value)?.resolution;
  }
}

interface DistinctRead {
  readonly read: TagRead;
  candidates: CandidateRow[];
  resolution: Resolution;
}

const NONE: CandidateRow[] = [];
const UNKNOWN: Resolution = { kind: 'unknown' };

interface CandidateRow extends Candidate {
  ordinal: number;
}

/** A tag, and the asset or else the location that it is attached to. */
interface Candidate {
  id: number;
  tag_type: TagType;
  value: string;
  asset_id: number | null;
  location_id: number | null;
}

export type Choice<Tag> = { kind: 'one'; tag: Tag } | { kind: 'ambiguous' } | { kind: 'none' };

/** @param candidates the live tags with the key of the read; of more than {@link MOST_SPELLINGS} one more is enough. */
export function chooseTag<Tag extends Candidate>(
  { tagType, value }: Pick<TagRead, 'tagType' | 'value'>,
  candidates: readonly Tag[],
): Choice<Tag> {
  const exact = candidates.find((candidate) => candidate.value === value && candidate.tag_type === tagType);
  if (exact !== undefined) {
    return { kind: 'one', tag: exact };
  }
  const [first, ...others] = candidates;
  if (first === undefined) {
    return { kind: 'none' };
  }
  if (candidates.length > MOST_SPELLINGS || others.some((other) => !isOfSame(first, other))) {
    return { kind: 'ambiguous' };
  }
  // One thing may have the tag in several spellings. The first attached stands for them, so that a copy is recognized.
  return {
    kind: 'one',
    tag: others.reduce((oldest, other) => (other.id < oldest.id ? other : oldest), first),
  };
}

function isOfSame(one: Candidate, other: Candidate): boolean {
  return one.asset_id === null
    ? other.asset_id === null && one.location_id === other.location_id
    : one.asset_id === other.asset_id;
}

function resolve(read: TagRead, candidates: readonly CandidateRow[]): Resolution {
  const choice = chooseTag(read, candidates);
  if (choice.kind !== 'one') {
    return { kind: choice.kind === 'none' ? 'unknown' : 'ambiguous' };
  }
  const {
    id: tagId,
    asset_id: assetId,
    location_id: locationId,
    tag_type: tagType,
    value: tagValue,
  } = choice.tag;
  if (assetId !== null) {
    return { kind: 'asset', assetId, tagId, tagType, tagValue };
  }
  return locationId === null ? { kind: 'unknown' } : { kind: 'location', locationId };
}
