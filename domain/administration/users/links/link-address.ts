/** Where a link is opened. The token is in the fragment, which no browser sends, so that it reaches no log. */
export function linkAddress(consoleUrl: string, token: string): string {
  return `${consoleUrl}/#/link/${token}`;
}
