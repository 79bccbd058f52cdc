const MARK = '#pooled=';

/** The ways to a database. */
export interface Addresses {
  /** Leads to PostgreSQL itself: for LISTEN, locks of a session and migrations. */
  direct: string;
  /** Leads through a pooler in transaction mode, for statements and transactions; null without one. */
  pooled: string | null;
}

/**
 * One address for both ways: code that opens connections takes one address, and gets PostgreSQL itself unless it
 * asks for the pooler.
 */
export function addressOf({ direct, pooled }: Addresses): string {
  return pooled === null ? direct : `${direct}${MARK}${encodeURIComponent(pooled)}`;
}

export function addressesOf(address: string): Addresses {
  const [direct, pooled] = address.split(MARK) as [string, string?];
  return { direct, pooled: pooled === undefined ? null : decodeURIComponent(pooled) };
}
