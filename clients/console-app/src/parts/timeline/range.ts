/** Milliseconds since 1970. */
export interface Range {
  from: number;
  to: number;
}
