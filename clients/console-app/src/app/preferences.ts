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
  withoutSteps.value = (localStorage.getItem(STEPS) ?? '').split(',').map(Number);
  const language = localStorage.getItem('tagtrail.language');
  // Where its file does not come, English does.
  await choose(codes.find((code) => code === language) ?? suggested()).catch(() => {});
}

/** Organizations whose first steps somebody does not want to see here any more. */
const withoutSteps = signal<readonly number[]>([]);
const STEPS = 'tagtrail.without-steps';

export const hasHiddenSteps = (organization: number) => withoutSteps.value.includes(organization);

export function hideSteps(organization: number): void {
  withoutSteps.value = [...withoutSteps.value, organization];
  localStorage.setItem(STEPS, withoutSteps.value.join());
}

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  localStorage.setItem('tagtrail.theme', chosen);
}

export async function chooseLanguage(code: (typeof codes)[number]): Promise<void> {
  await choose(code);
  localStorage.setItem('tagtrail.language', code);
}
