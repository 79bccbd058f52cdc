import { useEffect } from 'preact/hooks';
import type { Settings } from '../session/settings.ts';

/** Shows the app in the colours the user chose, or in those of the device, also when these change. */
export function useTheme(theme: Settings['theme']): void {
  useEffect(() => {
    const isDark = matchMedia('(prefers-color-scheme: dark)');
    const show = () => {
      document.documentElement.dataset['theme'] =
        theme === 'auto' ? (isDark.matches ? 'dark' : 'light') : theme;
    };
    show();
    isDark.addEventListener('change', show);
    return () => isDark.removeEventListener('change', show);
  }, [theme]);
}
