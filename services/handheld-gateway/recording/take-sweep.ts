import { createHash } from 'node:crypto';
import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { conflict } from '../../../base/errors.ts';
import { withoutTokens } from '../../../base/scanned-text.ts';
import { type Instant, wireTime, wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { findSweep, locate, storeSweep, sweptStretch } from '../../../domain/sweeps/store-sweep.ts';
import type { SweptAssets } from '../../../domain/sweeps/sweep.ts';
import { type NamedLocation, noSuchLocation, partsOfLocation } from '../wire/fields.ts';
import { byOurClock } from './dated-transaction.ts';
import type { Sender } from './submission.ts';

/** Times are by the device's clock. */
export interface SentSweep extends SweptAssets {
  id: string;
  sentAt: Instant;
  location: NamedLocation;
  beganAt: Instant;
  endedAt: Instant;
  includeDescendants: boolean;
  unknown: string[];
}

export interface SweepView {
  sweep_id: string;
  received_at: string;
}

export interface RecordedSweep {
  view: SweepView;
  isRepeat: boolean;
}

/**
 * @throws AppError `conflict` if its id was used with another body; Invalid for an unknown location, and for one that ended
 * before it began.
 */
export async function takeSweep(
  transaction: Connection,
  sent: SentSweep,
  { orgId, handheldId, receivedAt }: Sender,
): Promise<RecordedSweep> {
  const { id, sentAt, location, beganAt, endedAt, ...rest } = sent;
  const bodyDigest = digestOfSweep(sent);
  const locationId = await locate(transaction, orgId, location);
  if (locationId === null) {
    throw noSuchLocation(location);
  }
  const clocks = { sentAt, receivedAt };
  const stretch = sweptStretch(
    { beganAt: byOurClock(beganAt, clocks), endedAt: byOurClock(endedAt, clocks) },
    receivedAt,
  );
  const isNew =
    stretch !== null &&
    (await storeSweep(transaction, {
      ...{ ...rest, orgId, id, handheldId, bodyDigest, receivedAt, locationId },
      ...stretch,
      unknown: sent.unknown.map(withoutTokens),
    }));
  if (isNew) {
    return { view: { sweep_id: id, received_at: wireTimeOfMicros(receivedAt) }, isRepeat: false };
  }
  // A time that lay ahead at first, and did not count, may count by now: a repeat is not judged again.
  const stored = await findSweep(transaction, { orgId, id });
  if (stored === null) {
    throw invalid([invalidValue('ended_at', 'must not be before began_at')]);
  }
  if (!stored.bodyDigest.equals(bodyDigest)) {
    throw conflict(`sweep ${id} was received before with another body`);
  }
  return { view: { sweep_id: id, received_at: wireTime(stored.receivedAt) }, isRepeat: true };
}

/** Equal for sweeps with the same content, apart from the time of sending; of parsed values, as for submissions. */
function digestOfSweep(sweep: SentSweep): Buffer {
  const said = [
    sweep.id,
    partsOfLocation(sweep.location),
    sweep.beganAt,
    sweep.endedAt,
    sweep.includeDescendants,
    sweep.expected,
    sweep.found,
    sweep.movedHere,
    sweep.missing,
    sweep.unknown,
  ];
  return createHash('sha256').update(JSON.stringify(said)).digest();
}
