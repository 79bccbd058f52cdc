import { ulid } from 'ulid';
import { ago } from './new-submission.ts';

/** A sweep with an id of its own, finished and sent now by a clock that is right. */
export function aSweep(more: object = {}) {
  return {
    sweep_id: ulid(),
    sent_at: ago(0),
    location: { external_key: 'DOCK-1' } as object,
    began_at: ago(600),
    ended_at: ago(1),
    include_descendants: false,
    expected: [] as number[],
    found: [] as number[],
    moved_here: [] as number[],
    missing: [] as number[],
    unknown: [] as string[],
    ...more,
  };
}

/** A sweep with as many members in each of its lists as there may be, no asset twice. */
export function theLargestSweep() {
  const members = (list: number) => Array.from({ length: 10_000 }, (_, at) => 1 + list * 10_000 + at);
  return aSweep({
    expected: members(0),
    found: members(1),
    moved_here: members(2),
    missing: members(3),
    unknown: members(4).map((number) => `E2801160600002091${number}`),
  });
}
