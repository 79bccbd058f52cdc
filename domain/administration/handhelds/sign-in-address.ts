/**
 * Address of the handhelds' app that signs in with a token. The token stands in the fragment, which browsers send to
 * nobody, so that it reaches no log and no proxy.
 *
 * @param app where the app is served.
 */
export function signInAddress(app: string, token: string): string {
  return new URL(`/#sign-in/${token}`, app).href;
}
