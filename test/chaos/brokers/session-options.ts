import type { KillOptions } from '../kill-options.ts';

export interface SessionOptions extends KillOptions {
  /** Whether by shared subscriptions, or else in turns at ordinary sessions. */
  isShared: boolean;
}
