/** The key of a path into metadata. */
export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}
