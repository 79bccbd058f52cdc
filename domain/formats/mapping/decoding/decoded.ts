/** The content of some bytes. */
export type Decoded =
  | {
      /** At least one. */
      readonly documents: readonly unknown[];
      /** Undecodable bytes after the documents. */
      readonly rest?: { readonly reason: string; readonly excerpt: string };
    }
  | {
      readonly fault: string;
      /** No other decoding is tried: a limit is exceeded, or it is clear what this should have been. */
      readonly final: boolean;
    };
