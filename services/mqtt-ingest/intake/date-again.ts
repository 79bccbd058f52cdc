import type { Clock } from '../../../base/clock.ts';
import { MICROS_PER_MILLISECOND } from '../../../base/instant.ts';
import type { ReadMessage } from '../../../domain/messages/message.ts';
import type { DatabaseClock } from '../../../domain/tracking/database-clock.ts';

/** Dates messages received before the clocks were last found apart by how long they have waited. */
export function dateAgain(
  messages: readonly ReadMessage[],
  { clock, databaseClock }: { clock: Clock; databaseClock: Pick<DatabaseClock, 'apartAt'> },
): void {
  const now = performance.now();
  for (const message of messages) {
    const { arrivedAt } = message;
    if (arrivedAt !== undefined && arrivedAt <= databaseClock.apartAt) {
      message.receivedAt = clock() - Math.round((now - arrivedAt) * MICROS_PER_MILLISECOND);
    }
  }
}
