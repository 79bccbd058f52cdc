import { signal } from '@preact/signals';

const SCREENS = ['scan', 'sweep', 'history', 'settings', 'place'] as const;

export type Screen = (typeof SCREENS)[number];

export const screen = signal<Screen>('scan');

export function goToScreen(name: Screen): void {
  location.hash = `#${name}`;
}

export function startRouter(): void {
  const read = () => {
    screen.value = SCREENS.find((name) => location.hash === `#${name}`) ?? 'scan';
  };
  window.addEventListener('hashchange', read);
  read();
}
