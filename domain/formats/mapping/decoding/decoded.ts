export type Decoded =
  | {
      readonly documents: readonly unknown[];
      readonly rest?: { readonly reason: string; readonly excerpt: string };
    }
  | {
      readonly fault: string;
      /** No other decoding is tried: a limit is exceeded, or it is clear what this should have been. */
      readonly final: boolean;
    };
