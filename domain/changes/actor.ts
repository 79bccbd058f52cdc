export type Actor = CommandLineActor | KeyActor | HandheldActor | UserActor;

/** The operating-system user running a program on the server: a command, the first start, the demo. */
export interface CommandLineActor {
  readonly type: 'command_line';
  readonly id: string;
  readonly requestId: null;
}

export interface KeyActor {
  readonly type: 'key';
  readonly id: string;
  readonly requestId: string;
}

export interface HandheldActor {
  readonly type: 'handheld';
  readonly id: string;
  readonly requestId: string;
}

/** A person at the console, by the user's id. */
export interface UserActor {
  readonly type: 'user';
  readonly id: string;
  readonly requestId: string;
}
