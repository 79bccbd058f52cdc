/** Adds all items. As arguments of `push` they would go on the stack, which overflows beyond some 125,000. */
export function append<Item>(to: Item[], items: Iterable<Item>): void {
  for (const item of items) {
    to.push(item);
  }
}
