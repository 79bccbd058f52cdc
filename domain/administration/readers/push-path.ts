/** The path to which a reader pushes over HTTP. */
export function pushPath(readerId: number | string): string {
  return `/readers/v1/${readerId}`;
}
