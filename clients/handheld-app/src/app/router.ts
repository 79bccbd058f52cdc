import { signal } from '@preact/signals';

/** The screens, as the address names them; the device's back button goes through them. */
const SCREENS = ['scan', 'sweep', 'history', 'settings', 'place'] as const;

export type Screen = (typeof SCREENS)[number];

export const screen = signal<Screen>('scan');

export function goToScreen(name: Screen): void {
  location.hash = `#${name}`;
}

/** Follows the address. */
export function startRouter(): void {
  const read = () => {
    screen.value = SCREENS.find((name) => location.hash === `#${name}`) ?? 'scan';
  };
  window.addEventListener('hashchange', read);
  read();
}
