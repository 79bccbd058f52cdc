import { invalidValue } from '../../../base/checks/issues.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { findCycles } from './cycles.ts';
import { listUpwards, type Placed } from './parent-queries.ts';
import type { FileProblems } from './problems.ts';

export interface Link {
  line: number;
  externalKey: string;
  parentId: number;
}

const MOST_NAMED = 10;

/**
 * Notes cycles that the links would close with stored locations; each once, at its first row in the file.
 *
 * @param links by child id, in the order of the file.
 */
export async function refuseCycles(
  transaction: OrganizationConnection,
  links: ReadonlyMap<number, Link>,
  problems: FileProblems,
): Promise<void> {
  const stored = await storedAbove(transaction, links);
  const parentOf = (id: number) => links.get(id)?.parentId ?? stored.get(id)?.parent_id ?? null;
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
  const parents = isMove ? [...new Set([...links.values()].map(({ parentId }) => parentId))] : [];
  const placed = parents.length === 0 ? [] : await listUpwards(transaction, parents);
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
      .map((each) => each.externalKey + (each.line === undefined ? '' : ` (line ${each.line})`)),
    ...(more > 0 ? [`${more} more`] : []),
    first.externalKey,
  ];
  problems.note(line, [
    invalidValue('parent_external_key', `${parent.externalKey} would create a cycle: ${names.join(' in ')}`),
  ]);
}
