import type { App } from '../app/app.ts';
import { goToScreen, screen, tab } from '../app/router.ts';
import type { Broken } from '../scanning/wedge.ts';
import { tokenIn } from '../session/token.ts';
import { texts } from '../texts/texts.ts';

/** While nobody is signed in a scanned token signs in; everything else is a scan, on any screen. */
export function takeScan(app: App, value: string): void {
  if (app.session.token.value === null && tokenIn(value) !== null) {
    app.tokenScanned.value = value;
    return;
  }
  if (isLooking(app)) {
    app.lookFor(value);
    goToScreen('find');
    return;
  }
  const place = app.scans.placeOf(value);
  const begins = screen.value === 'sweep' && app.sweeping.now.value === null;
  app.scans.take(value);
  if (begins && place !== null && app.session.token.value !== null) {
    void app.sweeps.start(place);
    return;
  }
  showScans(app);
}

/** A sign-in link was opened. Nobody's session ends by that: it may be anybody's link. */
export function takeLink(app: App, token: string): void {
  const said = texts.value.signIn;
  if (app.session.token.value === null) {
    app.tokenScanned.value = token;
  } else if (app.session.token.value !== token) {
    app.notice.value = {
      word: said.notSignedIn,
      title: said.isSignedIn(app.session.stored.value.handheld),
      says: said.signOutFirst,
    };
  }
}

export function takeBroken(app: App, scan: Broken): void {
  app.scans.takeBroken(scan);
  if (isLooking(app)) {
    goToScreen('find');
  } else {
    showScans(app);
  }
}

/** Who looks for an asset scans to find it, and not to move it: so while the tab is lit. */
function isLooking(app: App): boolean {
  return app.session.token.value !== null && tab.value === 'find' && screen.value !== 'place';
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
