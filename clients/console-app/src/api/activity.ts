/** Milliseconds without a touch after which what the page asks for is no use of the session any more. */
const AWAY_MS = 60_000;

let lastInput = Date.now();

export function noteActivity(at: number): void {
  lastInput = at;
}

export function isAway(now: number): boolean {
  return now - lastInput > AWAY_MS;
}
