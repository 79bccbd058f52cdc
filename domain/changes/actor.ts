/**
 * The author of a change: who, through what. A log of changes needs no more. Console users and handhelds are further
 * kinds.
 */
export type Actor = CommandLineActor | KeyActor;

/** The user who runs a program on the server: a command, the first start, the demo. */
export interface CommandLineActor {
  readonly type: 'command_line';
  /** The operating system's user name. */
  readonly id: string;
  readonly requestId: null;
}

/** An API key, with a request of the API. */
export interface KeyActor {
  readonly type: 'key';
  readonly id: string;
  /** As in the answer and the log (contract 7.1). */
  readonly requestId: string;
}
