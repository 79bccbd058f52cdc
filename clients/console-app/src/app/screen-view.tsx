import { useEffect, useLayoutEffect } from 'preact/hooks';
import { organizationId } from '../api/organization.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { address, href, replaceAddress } from '../router/router.ts';
import { type Screen, visibleScreens } from '../screens/index.ts';
import { texts } from '../texts/texts.ts';
import { ScreenBoundary } from './screen-boundary.tsx';
import { useLoaded } from './use-loaded.ts';

/** The screen that the address names. Each other path below it is the screen's own: it starts afresh. */
export function ScreenView() {
  const { path } = address.value;
  const screens = visibleScreens();
  const [first] = screens;
  const screen = screens.find((each) => each.path === path[0]);
  // The identity provider leads back to the address of the sign-in.
  const isNowhere = path.length === 0 || path[0] === 'sign-in';
  // At once: later the user may have gone elsewhere.
  useLayoutEffect(() => {
    if (isNowhere && first !== undefined) {
      replaceAddress(href(first.path));
    }
  }, [isNowhere, first]);
  if (isNowhere) {
    return null;
  }
  if (screen === undefined) {
    return (
      <EmptyState
        isPage
        icon="search"
        title={texts.value.shell.noScreen}
        hint={texts.value.shell.noScreenHint}
      />
    );
  }
  const key = `${organizationId.value} ${path.join('/')}`;
  return (
    <ScreenBoundary key={key}>
      <Loaded screen={screen} />
    </ScreenBoundary>
  );
}

function Loaded({ screen }: { screen: Screen }) {
  const View = useLoaded(screen);
  useEffect(() => {
    document.title = `${texts.value.screens[screen.path]} · tagtrail`;
  });
  // Most come within a blink; what takes longer is seen to be on its way.
  return View === undefined ? (
    <p class="loading" role="status">
      {texts.value.shell.loading}
    </p>
  ) : (
    <View rest={address.value.path.slice(1)} />
  );
}
