import { useEffect } from 'preact/hooks';
import type { Settings } from '../session/settings.ts';
import { choose, suggested } from '../texts/texts.ts';

/** The chosen language, or the first of the device's that there is. One that cannot be fetched now stays away until later. */
export async function chooseLanguage(chosen: Settings['language']): Promise<void> {
  await choose(chosen === 'auto' ? suggested() : chosen).catch(() => {});
}

export function useLanguage(chosen: Settings['language']): void {
  useEffect(() => void chooseLanguage(chosen), [chosen]);
}
