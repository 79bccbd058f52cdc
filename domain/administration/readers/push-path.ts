/** Where a reader pushes to over HTTP. */
export function pushPath(readerId: number | string): string {
  return `/readers/v1/${readerId}`;
}
