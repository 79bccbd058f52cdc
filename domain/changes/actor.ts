/**
 * On whose behalf something is changed, and through what: an entry of a log of changes needs no more of it. Users of a
 * console and handhelds are further types.
 */
export type Actor = CommandLineActor | KeyActor;

/** Whoever runs a program on the server: a command, the first start, the demo. */
export interface CommandLineActor {
  readonly type: 'command_line';
  /** The operating system's name of the user. */
  readonly id: string;
  readonly requestId: null;
}

/** An API key, with a request of the API. */
export interface KeyActor {
  readonly type: 'key';
  readonly id: string;
  /** As its answer and the log have it (contract 7.1). */
  readonly requestId: string;
}
