/** Adds all items. Passed as arguments to `push`, they would overflow the stack beyond some 125,000. */
export function append<Item>(to: Item[], items: Iterable<Item>): void {
  for (const item of items) {
    to.push(item);
  }
}
