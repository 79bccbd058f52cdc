import { signal } from '@preact/signals';
import type { Theme } from '../../../ui/parts/use-theme.ts';
import { choose, codes, suggested } from '../texts/texts.ts';

export const theme = signal<Theme>('auto');

/** Earlier choices on this device. */
export async function loadPreferences(): Promise<void> {
  const kept = localStorage.getItem('tagtrail.theme');
  if (kept === 'light' || kept === 'dark') {
    theme.value = kept;
  }
  const language = localStorage.getItem('tagtrail.language');
  // Where its file does not come, English does.
  await choose(codes.find((code) => code === language) ?? suggested()).catch(() => {});
}

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  localStorage.setItem('tagtrail.theme', chosen);
}

export async function chooseLanguage(code: (typeof codes)[number]): Promise<void> {
  await choose(code);
  localStorage.setItem('tagtrail.language', code);
}
