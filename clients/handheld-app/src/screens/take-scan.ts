import type { App } from '../app/app.ts';
import { goToScreen, screen } from '../app/router.ts';
import type { Broken } from '../scanning/wedge.ts';
import { tokenIn } from '../session/token.ts';

/** While nobody is signed in a token is scanned to sign in; all else is a scan, wherever it is made. */
export function takeScan(app: App, value: string): void {
  if (app.session.token.value === null && tokenIn(value) !== null) {
    app.tokenScanned.value = value;
    return;
  }
  app.scan(value);
  showScans(app);
}

export function takeBroken(app: App, scan: Broken): void {
  app.scanWasBroken(scan);
  showScans(app);
}

/** Goes where the last scan is shown: the sweep's screen does while one is under way, and so does signing in. */
function showScans(app: App): void {
  if (app.session.token.value === null) {
    return;
  }
  const isShown = screen.value === 'scan' || (screen.value === 'sweep' && app.sweeping.open !== null);
  if (!isShown) {
    goToScreen(app.sweeping.open === null ? 'scan' : 'sweep');
  }
}
