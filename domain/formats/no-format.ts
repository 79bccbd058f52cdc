/**
 * Stands for a format in the registration of a reader that has none yet, because it is not known what it sends: its
 * messages are rejected and kept, so that one can look at them and replay them once it has one. No format has this name.
 */
export const NO_FORMAT = 'none';
