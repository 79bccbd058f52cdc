/**
 * Cycles among nodes with one parent each, each once and from its first given node. Visits every node once, at any
 * depth.
 *
 * @param parentOf null above a root.
 */
export function findCycles(nodes: Iterable<number>, parentOf: (node: number) => number | null): number[][] {
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
