import type { RowQuery } from '../queries/sql.ts';

/** A write that can be done for many items at once, in two statements and one round trip with their commit. */
export interface GroupedWrite<Item, Row, Outcome> {
  /**
   * Names that no two items of a group share, since the second would depend on the first. Null for an item so large
   * that others would wait for it.
   */
  namesOf(item: Item): readonly string[] | null;
  /** Named, returns no rows; its parameters are texts or binary. */
  first(orgId: number, items: readonly Item[]): RowQuery<never>;
  /** Returns a row per item, in order. */
  query(orgId: number, items: readonly Item[]): RowQuery<Row>;
  /** Throws if the item was refused; then the statements left nothing of it. */
  outcomeOf(row: Row, item: Item): Outcome;
}
