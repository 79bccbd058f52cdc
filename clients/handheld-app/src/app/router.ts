import { signal } from '@preact/signals';
import { tokenIn, underWay } from '../session/token.ts';

export const TABS = ['scan', 'find', 'sweep', 'history', 'settings'] as const;

export type Tab = (typeof TABS)[number];

const SCREENS = [...TABS, 'place', 'asset'] as const;

export type Screen = (typeof SCREENS)[number];

export const screen = signal<Screen>('scan');

/** The tab that is open, or from which the asset was opened. */
export const tab = signal<Tab>('scan');

/** Id of the asset whose page is open. */
export const openAsset = signal<number | null>(null);

export function goToScreen(name: Tab): void {
  location.hash = `#${name}`;
}

export function pathOfAsset({ id }: { id: number }): string {
  return `#asset/${id}`;
}

/** @param onToken called when a sign-in link was opened. */
export function startRouter(onToken: (token: string) => void): void {
  const read = () => {
    const token = takeTokenOfAddress();
    if (token !== null) {
      onToken(token);
    }
    const [name, id] = location.hash.slice(1).split('/');
    const asset = name === 'asset' && /^\d{1,10}$/.test(id ?? '') ? Number(id) : null;
    openAsset.value = asset;
    screen.value = SCREENS.find((each) => each === name && (each !== 'asset' || asset !== null)) ?? 'scan';
    tab.value = TABS.find((each) => each === screen.value) ?? tab.value;
  };
  window.addEventListener('hashchange', read);
  read();
  const begun = underWay();
  if (begun !== null) {
    onToken(begun);
  }
}

/**
 * Takes the token out of the address that a QR code has opened (`#sign-in/th_...`): from then on neither the address bar nor
 * the tab's history has it.
 *
 * @returns null if there is none.
 */
function takeTokenOfAddress(): string | null {
  if (!location.hash.startsWith('#sign-in/')) {
    return null;
  }
  const token = tokenIn(location.hash);
  history.replaceState(null, '', '#scan');
  return token;
}
