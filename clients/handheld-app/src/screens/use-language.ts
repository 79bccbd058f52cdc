import { useEffect } from 'preact/hooks';
import type { Settings } from '../session/settings.ts';
import { choose, suggested } from '../texts/texts.ts';

/** The chosen language, or the device's first supported one. One that cannot be fetched now is tried later. */
export async function chooseLanguage(chosen: Settings['language']): Promise<void> {
  await choose(chosen === 'auto' ? suggested() : chosen).catch(() => {});
}

export function useLanguage(chosen: Settings['language']): void {
  useEffect(() => void chooseLanguage(chosen), [chosen]);
}
