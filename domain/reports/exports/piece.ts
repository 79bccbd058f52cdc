/** A piece of a file, in the order of the file. */
export interface Piece {
  content: string | Uint8Array;
  /** How many rows it brings. */
  rows: number;
  /** Rows of the whole file, once that is known. */
  total?: number;
}
