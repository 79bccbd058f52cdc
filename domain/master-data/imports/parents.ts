import { foreignKeyNotFound, invalidValue } from '../../../base/checks/issues.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';
import { findLiveByKeys, type KeyedRow, rowById } from '../by-id-or-key.ts';
import { nextUpdate } from '../clauses.ts';
import { lockTree } from '../locations/refuse-cycle.ts';
import type { DrawnId, ParentKey } from './draw-ids.ts';
import { Packed } from './packed.ts';
import type { FileNotes, FileProblems } from './read-rows.ts';
import type { ImportRow } from './row.ts';
import { lockRows } from './stored-rows.ts';

/** The id is null if the location is created later. */
type WantedParent = [line: number, id: number | null, externalKey: string, parentKey: string];

const GROUP = 1_000;

/**
 * Parents that rows name by key. They may be anywhere in the file, so they are resolved once all rows with
 * keys have their locations, and written once those have their ids.
 *
 * A minted key cannot be a parent: the file does not know it.
 */
export class Parents {
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

interface Link {
  line: number;
  externalKey: string;
  parentId: number | null;
}

const MOST_NAMED = 10;

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

interface Named {
  externalKey: string;
  line?: number;
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

interface Placed extends KeyedRow {
  parent_id: number | null;
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
