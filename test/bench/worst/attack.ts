/** One request; its body may have {@link TURN} and {@link PART} in it, so that none is like another. */
export interface Ask {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: Uint8Array | null;
  /** Whether the body is text with places to fill in. */
  isFresh: boolean;
}

/** The login that messages are published with, and where to. */
export interface Login {
  url: string;
  username: string;
  password: string;
  topic: string;
}

/** What somebody sends, in turn and again, on as many connections, each back to back, until told to stop. */
export type Attack = {
  /** What they do at the same time. */
  beside?: Attack;
  connections: number;
  /** So that what one sends is new after another. */
  firstTurn: number;
  /** Whether a 429 is heeded. Where it is not, what is refused is sent again at once. */
  isPatient: boolean;
} & (
  | { asks: readonly Ask[] }
  | { login: Login; payloads: readonly Uint8Array[] }
  | Begun
  | { deed: Deed }
  | Busy
);

/** A statement begins it, and nothing more is sent. */
export interface Begun {
  databaseUrl: string;
  statement: string;
}

/** What is done again and again other than by requests and messages. */
export type Deed =
  | { kind: 'sign in by names made up'; url: string }
  | { kind: 'use long topics'; login: Login }
  | { kind: 'publish at QoS 2 and release nothing'; login: Login };

/** Nothing is sent: so many programs that have nothing to do with the server keep a processor busy each. */
export interface Busy {
  programs: number;
}

/** Of one attempt. */
export interface Outcome {
  status: string;
  /** Seconds. */
  retryAfter: number;
}

/** How many were answered, by status. */
export type Answered = Record<string, number>;

/** The number of a request, in eight digits. */
export const TURN = '########';
/** One of 199 in turn, in three digits: 001 to 199. */
export const PART = '@@@';

export function fillIn(text: string, turn: number): string {
  return text
    .replaceAll(TURN, String(turn).padStart(TURN.length, '0'))
    .replaceAll(PART, String(1 + (turn % 199)).padStart(PART.length, '0'));
}
