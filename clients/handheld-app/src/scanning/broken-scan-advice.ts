import type { WhyBroken } from './wedge.ts';

/** Why it was not accepted, and what to do about it. */
export const ADVICE: Record<WhyBroken, { title: string; says: string }> = {
  pause: {
    title: 'Broken: scan again',
    says: 'The scanner paused in the middle, so this may be half of a value.',
  },
  keys: {
    title: 'Not a plain value',
    says: 'Have the scanner type characters only, and no keys for separators.',
  },
  unended: {
    title: 'Broken: scan again',
    says: 'The scan has no end. Have the scanner send Enter after each value.',
  },
  interrupted: {
    title: 'Broken: scan again',
    says: 'The app was not in front for all of it.',
  },
  slow: {
    title: 'Typed too slowly',
    says: 'Scan again. Set the scanner’s delay between characters to none, or type under “Type”.',
  },
  long: { title: 'Not a tag', says: 'That is longer than a tag can be (255 characters).' },
};
