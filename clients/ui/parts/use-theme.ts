import { useEffect } from 'preact/hooks';

export type Theme = 'auto' | 'light' | 'dark';

/** Applies the chosen colours, or the device's, following changes of either. */
export function useTheme(theme: Theme): void {
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
