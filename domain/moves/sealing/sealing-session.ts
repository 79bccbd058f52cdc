import type { Election } from '../../../db/timescale/connections/elected.ts';

/** As the server shows the session. */
export const SEALER = 'tagtrail sealer';

/**
 * The session of the sealer. Index look-ups are forced, because they are right at any size of the queue, whose statistics
 * are always out of date.
 */
export const SEALING: Election = {
  name: SEALER,
  patience: 15_000,
  settings: { plan_cache_mode: 'force_generic_plan', jit: 'off', enable_seqscan: 'off' },
};
