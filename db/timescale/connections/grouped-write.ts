import type { RowQuery } from '../queries/sql.ts';

/** A write that can handle many items at once, in two statements and one round trip including the commit. */
export interface GroupedWrite<Item, Row, Outcome> {
  /**
   * Names that no two items of a group may share, since the second would depend on the first. Null for an
   * item so large that others would wait for it.
   */
  namesOf(item: Item): readonly string[] | null;
  /** Named, returns no rows; its parameters are texts or binary. */
  first(orgId: number, items: readonly Item[]): RowQuery<never>;
  query(orgId: number, items: readonly Item[]): RowQuery<Row>;
  /** Throws if the item was refused; the statements then had no effect for it. */
  outcomeOf(row: Row, item: Item): Outcome;
}
