/**
 * Whether a snapshot, as `pg_current_snapshot()` writes it, sees a transaction that the log has as committed. It does not yet
 * while the commit waits for a standby, or its process for a processor.
 *
 * @param xid as the log has it: the lower 32 bits.
 */
export function sees(snapshot: string, xid: number): boolean {
  const [oldest = '', next = '', running = ''] = snapshot.split(':');
  const newest = BigInt(next);
  const whole = newest + BigInt.asIntN(32, BigInt(xid) - newest);
  return whole < BigInt(oldest) || (whole < newest && !running.split(',').includes(String(whole)));
}
