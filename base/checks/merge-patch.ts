/** A JSON Merge Patch (RFC 7396), checked against the row it is applied to. */
export interface MergePatch<Current, T> {
  touches(...names: string[]): boolean;
  /** @throws Invalid with everything that is wrong. */
  against(current: Current): T;
}
