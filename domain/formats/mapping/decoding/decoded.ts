/** What bytes turned out to hold. */
export type Decoded =
  | {
      /** At least one. */
      readonly documents: readonly unknown[];
      /** What came after the documents and could not be read. */
      readonly rest?: { readonly reason: string; readonly excerpt: string };
    }
  | {
      readonly fault: string;
      /** Whether no other decoding need be tried: a limit is exceeded, or it is plain what this should have been. */
      readonly final: boolean;
    };
