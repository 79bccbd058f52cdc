import { foreignKeyNotFound, invalidValue } from '../../../base/checks/issues.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';
import { storedKeys } from '../../tracking/tag-key.ts';
import type { TagType } from '../../tracking/tag-type.ts';
import { findLiveByKeys, type Keyed, type KeyedRow, rowById } from '../by-id-or-key.ts';
import { nextUpdate } from '../clauses.ts';
import { insertWithMintedKeys } from '../external-keys/mint.ts';
import { lockTree } from '../locations/refuse-cycle.ts';
import { keyOfTag, type NewTag, tagName } from '../tags/new-tag.ts';
import { PARENT_COLUMN } from '../tags/queries.ts';
import { type DrawnId, drawIds, type ParentKey } from './draw-ids.ts';
import { Packed } from './packed.ts';
import type { FileNotes, FileProblems } from './read-rows.ts';
import type { RowChange } from './report.ts';
import type { ImportRow } from './row.ts';
import { lockRows } from './stored-rows.ts';
import { insertRows, type NewRow } from './write-rows.ts';

/** The id is null if the location is created later. */
type WantedParent = [line: number, id: number | null, externalKey: string, parentKey: string];

const GROUP = 1_000;

interface Link {
  line: number;
  externalKey: string;
  parentId: number | null;
}

const MOST_NAMED = 10;

interface Named {
  externalKey: string;
  line?: number;
}

interface Placed extends KeyedRow {
  parent_id: number | null;
}

type Keyless = [line: number, given: ImportRow['given']];

type WantedTag = [line: number, parentId: number, tagType: TagType, value: string];

/**
 * Remaining work of an import once all rows with keys exist: resolve parents, mint keys, attach tags. Single creates
 * use the same order, so that an import and a create cannot deadlock; and creates that mint a key wait for the end of
 * an import only, not for all of it.
 */
export class Postponed {
  readonly resource: Keyed;
  readonly isDryRun: boolean;
  readonly #parents = new Parents();
  readonly #keyless = new Packed<Keyless>();
  readonly #tags = new Packed<WantedTag>();
  readonly #logged = new Map<number, RowChange>();

  constructor(resource: Keyed, isDryRun: boolean) {
    this.resource = resource;
    this.isDryRun = isDryRun;
  }

  create(row: ImportRow, tags: readonly NewTag[], logged: RowChange | null): void {
    this.#keyless.add([row.line, { ...row.given, tags: [...tags] }]);
    this.#parents.want(row, null);
    if (logged !== null) {
      this.#logged.set(row.line, logged);
    }
  }

  /**
   * Postpones the rest of an existing row.
   *
   * @param parentKey its present parent.
   */
  complete(row: ImportRow, id: number, added: readonly NewTag[], parentKey: string | null = null): void {
    if (row.given.parent_external_key !== parentKey) {
      this.#parents.want(row, id);
    }
    this.#attach(row.line, id, added);
  }

  #attach(line: number, id: number, tags: readonly NewTag[]): void {
    for (const { tagType, value } of tags) {
      this.#tags.add([line, id, tagType, value]);
    }
  }

  /** Does the work. Faults are recorded; then the transaction must be rolled back. */
  async finish(transaction: OrganizationChange, notes: FileNotes): Promise<void> {
    await this.#parents.find(transaction, notes);
    for (const group of this.#keyless.groups()) {
      await this.#createKeyless(transaction, group);
    }
    const lines = new Map<string, number>();
    for (const group of this.#tags.groups()) {
      await attach(transaction, this.resource, group, notes.problems, lines);
    }
  }

  async number(transaction: OrganizationChange): Promise<void> {
    const drawn = await drawIds(transaction, this.resource, this.#parents.keysOfNew());
    await this.#parents.write(transaction, drawn);
  }

  async #createKeyless(transaction: OrganizationChange, left: Keyless[]): Promise<void> {
    await insertWithMintedKeys(transaction, this.resource, left.length, async (keys) => {
      const keylessOf = new Map(keys.map((key, index) => [key, left[index]]));
      const created = await insertRows(
        transaction,
        this.resource,
        [...keylessOf].flatMap(([key, keyless]) => (keyless === undefined ? [] : [asNew(keyless, key)])),
      );
      for (const { id, external_key: externalKey } of created) {
        const keyless = keylessOf.get(externalKey);
        if (keyless !== undefined) {
          this.#completeKeyless(keyless, id, externalKey);
          left.splice(left.indexOf(keyless), 1);
        }
      }
      return new Set(created.map(({ external_key }) => external_key));
    });
  }

  /** The report omits the key in a dry run: it may be taken by the time of the import. */
  #completeKeyless([line, { tags, parent_external_key }]: Keyless, id: number, externalKey: string): void {
    const logged = this.#logged.get(line);
    if (logged !== undefined && !this.isDryRun) {
      logged.external_key = externalKey;
    }
    this.#parents.place(id, parent_external_key);
    this.#attach(line, id, tags ?? []);
  }
}

function asNew([, given]: Keyless, externalKey: string): NewRow {
  return {
    ...given,
    external_key: externalKey,
    name: given.name ?? '',
  };
}

async function attach(
  transaction: OrganizationChange,
  resource: Keyed,
  wanted: readonly WantedTag[],
  problems: FileProblems,
  /** By tags that the file has attached. */
  lines: Map<string, number>,
): Promise<void> {
  const rows = await attachTags(
    transaction,
    resource,
    wanted.map(([, parentId, tagType, value]) => ({
      parentId,
      tag: { tagType, value, tagKey: keyOfTag(tagType, value) },
    })),
  );
  const attached = new Set(rows.map((tag) => `${tag.parent_id}:${tagName(tag)}`));
  for (const [line, parentId, tagType, value] of wanted) {
    const name = tagName({ tag_type: tagType, value });
    if (attached.has(`${parentId}:${name}`)) {
      lines.set(name, line);
      continue;
    }
    const other = lines.get(name);
    const where = other === undefined ? 'is attached elsewhere' : `${problems.place(other)} has too`;
    problems.note(line, [invalidValue('tags', `has the tag ${name}, which ${where}`)]);
  }
}

interface AttachedTag {
  parent_id: number;
  tag_type: string;
  value: string;
}

/** Attaches tags to rows of this transaction, under placeholder ids; live ones are left out of the result. */
function attachTags(
  transaction: OrganizationChange,
  resource: Keyed,
  tags: readonly { parentId: number; tag: NewTag }[],
): Promise<readonly AttachedTag[]> {
  const keyed = tags.map(({ tag }) => ({ ...tag, ...storedKeys(tag.tagType, tag.value) }));
  const texts = (of: (tag: (typeof keyed)[number]) => string | null) => sql.array(keyed.map(of), 'text');
  const parents = sql.array(
    tags.map(({ parentId }) => parentId),
    'int4',
  );
  return transaction.any(sql.type(rowsOf<AttachedTag>())`
    insert into tags (org_id, id, ${PARENT_COLUMN[resource]}, tag_type, value, tag_key, normal_key)
    overriding system value
    select ${transaction.orgId}, nextval('placeholder_ids'), given.parent_id, given.tag_type, given.value, given.tag_key,
      given.normal_key
    from unnest(
      ${parents},
      ${texts(({ tagType }) => tagType)},
      ${texts(({ value }) => value)},
      ${texts(({ spelling }) => spelling)},
      ${texts(({ normal }) => normal)}
    ) with ordinality as given (parent_id, tag_type, value, tag_key, normal_key, ordinal)
    order by given.ordinal
    on conflict (org_id, tag_type, value) where detached_at is null do nothing
    returning ${PARENT_COLUMN[resource]} as parent_id, tag_type, value`);
}

/**
 * Parents that rows name by key. They may be anywhere in the file, so they are resolved once all rows with
 * keys have their locations, and written once those have their ids.
 *
 * A minted key cannot be a parent: the file does not know it.
 */
class Parents {
  readonly #wanted = new Packed<WantedParent>();
  readonly #ids = new Map<string, number | null>();
  /** By child id, null for a root; placeholders for locations that the import creates, likewise for parents. */
  readonly #links = new Map<number, Link>();

  want(
    { line, given: { external_key: key = '', parent_external_key: parentKey } }: ImportRow,
    id: number | null,
  ): void {
    if (parentKey === null && id !== null) {
      this.#links.set(id, { line, externalKey: key, parentId: null });
    } else if (typeof parentKey === 'string') {
      this.#wanted.add([line, id, key, parentKey]);
      this.#ids.set(parentKey, null);
    }
  }

  /**
   * Resolves and locks parents; notes missing ones, and cycles. Locks the tree after the file's rows, as a PATCH does,
   * so that the two cannot deadlock.
   */
  async find(transaction: OrganizationConnection, { problems, keys }: FileNotes): Promise<void> {
    if (this.#ids.size + this.#links.size === 0) {
      return;
    }
    await lockTree(transaction);
    for (const group of groupsOf([...this.#ids.keys()])) {
      for (const { id, external_key } of await lockParents(transaction, group)) {
        this.#ids.set(external_key, id);
      }
    }
    for (const group of this.#wanted.groups()) {
      for (const [line, id, externalKey, parentKey] of group) {
        const parentId = this.#ids.get(parentKey) ?? null;
        if (parentId === null) {
          // A parent in the file is missing because its own row is faulty, which is reported already.
          problems.note(
            line,
            keys.has(parentKey) ? [] : [foreignKeyNotFound('parent_external_key', parentKey)],
          );
        } else if (id !== null) {
          this.#links.set(id, { line, externalKey, parentId });
        }
      }
    }
    await refuseCycles(transaction, this.#links, problems);
  }

  place(id: number, parentKey: string | null | undefined): void {
    const parentId = this.#ids.get(parentKey ?? '') ?? null;
    if (parentId !== null) {
      this.#links.set(id, { line: 0, externalKey: '', parentId });
    }
  }

  keysOfNew(): ParentKey[] {
    const keys = new Map<number | null, string>([...this.#ids].map(([key, id]) => [id, key]));
    return [...this.#links].flatMap(([placeholder, { parentId }]) => {
      const parentKey = keys.get(parentId);
      return placeholder < 0 && parentKey !== undefined ? [{ placeholder, parentKey }] : [];
    });
  }

  async write(transaction: OrganizationChange, drawn: readonly DrawnId[]): Promise<void> {
    const ids = new Map(drawn.map(({ placeholder, id }) => [placeholder, id]));
    const links = [...this.#links].map(([id, { parentId }]) => ({
      isMove: id > 0,
      id: ids.get(id) ?? id,
      parentId: ids.get(parentId ?? 0) ?? parentId,
    }));
    for (const isMove of [false, true]) {
      for (const group of groupsOf(links.filter((link) => link.isMove === isMove))) {
        await writeParents(transaction, group, isMove);
      }
    }
  }
}

function* groupsOf<Item>(items: readonly Item[]): Generator<Item[], void> {
  for (let at = 0; at < items.length; at += GROUP) {
    yield items.slice(at, at + GROUP);
  }
}

/**
 * Notes cycles that the links would close with stored locations; each once, at its first row in the file.
 *
 * @param links by child id, in the order of the file.
 */
async function refuseCycles(
  transaction: OrganizationConnection,
  links: ReadonlyMap<number, Link>,
  problems: FileProblems,
): Promise<void> {
  const stored = await storedAbove(transaction, links);
  const parentOf = (id: number) =>
    (links.has(id) ? links.get(id)?.parentId : stored.get(id)?.parent_id) ?? null;
  for (const cycle of findCycles(links.keys(), parentOf)) {
    const named = cycle.map((id) => links.get(id) ?? { externalKey: stored.get(id)?.external_key ?? '' });
    noteCycle(inOrderOfLines(named), problems);
  }
}

/** Ancestors of the parents; no stored location can be below a new one unless it is moved there. */
async function storedAbove(
  transaction: OrganizationConnection,
  links: ReadonlyMap<number, Link>,
): Promise<ReadonlyMap<number, Placed>> {
  const isMove = [...links.keys()].some((id) => id > 0);
  const parents = new Set(isMove ? [...links.values()].flatMap(({ parentId }) => parentId ?? []) : []);
  const placed = parents.size === 0 ? [] : await listUpwards(transaction, [...parents]);
  return new Map(placed.map((each) => [each.id, each]));
}

function inOrderOfLines(cycle: readonly Named[]): Named[] {
  const lineOf = ({ line = Number.POSITIVE_INFINITY }: Named) => line;
  const first = cycle.reduce(
    (least, each, index) => (lineOf(each) < lineOf(cycle[least] ?? each) ? index : least),
    0,
  );
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}

function noteCycle(cycle: readonly Named[], problems: FileProblems): void {
  const [first, parent] = cycle;
  const line = first?.line ?? 0;
  if (first === undefined || parent === undefined) {
    problems.note(line, [
      invalidValue('parent_external_key', `${first?.externalKey} is the location itself`),
    ]);
    return;
  }
  const more = cycle.length - MOST_NAMED;
  const names = [
    ...cycle
      .slice(0, MOST_NAMED)
      .map((each) => each.externalKey + (each.line === undefined ? '' : ` (${problems.place(each.line)})`)),
    ...(more > 0 ? [`${more} more`] : []),
    first.externalKey,
  ];
  problems.note(line, [
    invalidValue('parent_external_key', `${parent.externalKey} would create a cycle: ${names.join(' in ')}`),
  ]);
}

/**
 * Cycles among nodes with one parent each, each once and from its first given node. Visits every node once, at any
 * depth.
 *
 * @param parentOf null above a root.
 */
function findCycles(nodes: Iterable<number>, parentOf: (node: number) => number | null): number[][] {
  const cycles: number[][] = [];
  const walks = new Map<number, number>();
  for (const start of nodes) {
    let node: number | null = start;
    while (node !== null && !walks.has(node)) {
      walks.set(node, start);
      node = parentOf(node);
    }
    if (node !== null && walks.get(node) === start) {
      cycles.push(cycleFrom(node, parentOf));
    }
  }
  return cycles;
}

function cycleFrom(first: number, parentOf: (node: number) => number | null): number[] {
  const cycle = [first];
  for (let node = parentOf(first); node !== null && node !== first; node = parentOf(node)) {
    cycle.push(node);
  }
  return cycle;
}

/** Locks live locations by key, so that they stay live until the transaction ends. */
async function lockParents(
  transaction: OrganizationConnection,
  externalKeys: readonly string[],
): Promise<readonly KeyedRow[]> {
  const found = await findLiveByKeys(transaction, 'location', transaction.orgId, externalKeys);
  const locked = new Set(found.map(({ id }) => id));
  await lockRows(transaction, 'location', [...locked], 'reference');
  // A location deleted while this waited for its lock does not count.
  return (await findLiveByKeys(transaction, 'location', transaction.orgId, externalKeys)).filter(({ id }) =>
    locked.has(id),
  );
}

/** Locations with their ancestors; each level is a separate look-up, as in `locations/list-tree.ts`. */
function listUpwards(
  transaction: OrganizationConnection,
  ids: readonly number[],
): Promise<readonly Placed[]> {
  return transaction.any(sql.type(rowsOf<Placed>())`
    with recursive chain (id, external_key, parent_id) as (
      select stored.* from unnest(${sql.array(ids, 'int4')}) as given (id) cross join lateral (
        select id, external_key, parent_id from locations
        where org_id = ${transaction.orgId} and id = given.id offset 0
      ) stored
      union
      select above.* from chain cross join lateral (
        select id, external_key, parent_id from locations
        where org_id = ${transaction.orgId} and id = chain.parent_id offset 0
      ) above
    )
    select id, external_key, parent_id from chain`);
}

/**
 * Sets parents. Written as an upsert, for the same reason as in `updateRows`.
 *
 * @param isMove false for rows created by this transaction.
 */
async function writeParents(
  transaction: OrganizationChange,
  links: readonly Pick<Link & { id: number }, 'id' | 'parentId'>[],
  isMove: boolean,
): Promise<void> {
  const ids = (of: (link: (typeof links)[number]) => number | null) => sql.array(links.map(of), 'int4');
  await transaction.exec(sql.type(NO_ROWS)`
    insert into locations as stored (org_id, id, external_key, name, parent_id)
    overriding system value
    select ${transaction.orgId}, given.id, found.external_key, found.name, given.parent_id
    from unnest(${ids(({ id }) => id)}, ${ids(({ parentId }) => parentId)}) as given (id, parent_id)
    cross join ${rowById('location', transaction.orgId, sql.fragment`given.id`)} found
    on conflict (org_id, id) do update set
      parent_id = excluded.parent_id,
      updated_at = case when ${isMove}::boolean
        then ${nextUpdate(sql.fragment`stored.updated_at`)} else stored.updated_at end`);
}
