import type { App } from '../app/app.ts';
import { goToScreen, screen } from '../app/router.ts';
import type { Broken } from '../scanning/wedge.ts';
import { tokenIn } from '../session/token.ts';

/** While nobody is signed in a scanned token signs in; everything else is a scan, on any screen. */
export function takeScan(app: App, value: string): void {
  if (app.session.token.value === null && tokenIn(value) !== null) {
    app.tokenScanned.value = value;
    return;
  }
  app.scans.take(value);
  showScans(app);
}

export function takeBroken(app: App, scan: Broken): void {
  app.scans.takeBroken(scan);
  showScans(app);
}

/** Opens the screen that shows the last scan, unless a sweep or sign-in is under way, which show it themselves. */
function showScans(app: App): void {
  if (app.session.token.value === null) {
    return;
  }
  const isShown = screen.value === 'scan' || (screen.value === 'sweep' && app.sweeping.open !== null);
  if (!isShown) {
    goToScreen(app.sweeping.open === null ? 'scan' : 'sweep');
  }
}
