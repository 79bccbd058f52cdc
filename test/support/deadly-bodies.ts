import type { Bodies } from '../../platform/http/body-thread.ts';

const body = { type: 'application/json', schema: {}, taken: () => null } as const;

/** Bodies whose checking ends the thread, or fails, as a fault of ours would; and one that is all right. */
export const BODIES: Bodies = {
  ends: { ...body, check: () => process.exit(3) },
  grows: {
    ...body,
    check: () => {
      const all: number[][] = [];
      for (;;) {
        all.push(Array(1_000_000).fill(all.length));
      }
    },
  },
  fails: {
    ...body,
    check: () => {
      throw new TypeError('a fault of ours');
    },
  },
  fine: { ...body, check: () => 'fine' },
};
