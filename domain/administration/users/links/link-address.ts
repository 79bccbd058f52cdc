/** The address that opens a link. The token is in the fragment, which no browser sends, so it reaches no log. */
export function linkAddress(consoleUrl: string, token: string): string {
  return `${consoleUrl}/#/link/${token}`;
}
