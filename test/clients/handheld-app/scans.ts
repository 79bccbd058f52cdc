import type { ScanResult } from '../../../clients/handheld-app/src/gateway/answers.ts';
import type { Place } from '../../../clients/handheld-app/src/gateway/place.ts';
import type { StoredScan } from '../../../clients/handheld-app/src/storage/scan.ts';

/** A place of the app by its number. */
export const placed = (id: number): Place => ({ id, external_key: `P-${id}`, name: `Place ${id}` });

/** A scan as the device has it; what is not given is as simple as can be. */
export function scan(seq: number, given: Partial<StoredScan> = {}): StoredScan {
  return {
    seq,
    tag_type: 'rfid',
    value: `E280${seq}`,
    observed_at: new Date(1_790_000_000_000 + seq * 1000).toISOString(),
    place: placed(1),
    leg: 'leg',
    sets: null,
    sweep: null,
    state: 'queued',
    submission_id: null,
    result: null,
    ...given,
  };
}

/** What the gateway said of a scan. */
export function result(status: string, given: Partial<ScanResult> = {}): ScanResult {
  return { status, asset: null, location: null, from: null, ...given };
}
