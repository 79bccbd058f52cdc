/**
 * The format of a reader that has none yet: its messages are rejected and kept, so that somebody can look at them and
 * replay them later. No format has this name.
 */
export const NO_FORMAT = 'none';
