import './style/console.css';
import { render } from 'preact';
import { noteActivity } from './api/activity.ts';
import { ignoreSecondClicks } from './api/use-action.ts';
import { App } from './app/app.tsx';
import { loadPreferences } from './app/preferences.ts';
import { watchPrinting } from './parts/printing.ts';
import { address, startRouter } from './router/router.ts';
import { SCREENS } from './screens/index.ts';
import { goOnToWantedAddress, startOrganizationInAddress } from './session/addresses.ts';
import { askWhoIsSignedIn } from './session/session.ts';

watchActivity();
ignoreSecondClicks();
watchPrinting();
goOnToWantedAddress();
startRouter();
startOrganizationInAddress();
// The file of the first screen comes while it is asked who is signed in. If it does not come, the screen says so.
const first = SCREENS.find(({ path }) => path === address.value.path[0]) ?? SCREENS[0];
first?.load().catch(() => {});
await loadPreferences();
void askWhoIsSignedIn();
render(<App />, document.getElementById('app') ?? document.body);

/** Notes whenever somebody does something here: an open page that follows moves must not keep its session alive. */
function watchActivity(): void {
  for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart']) {
    window.addEventListener(event, () => noteActivity(Date.now()), { capture: true, passive: true });
  }
}
