/** In order: each of these names itself after the ones behind it too. */
const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux|X11/, 'Linux'],
] as const;

/** `Firefox, Windows`; null if it says nothing we know. */
export function browserOf(userAgent: string): string | null {
  const named = (all: typeof BROWSERS | typeof SYSTEMS) => all.find(([is]) => is.test(userAgent))?.[1];
  return [named(BROWSERS), named(SYSTEMS)].filter((name) => name !== undefined).join(', ') || null;
}
