/**
 * True for one of the 49,000 most used passwords, in any case, also with digits or signs at its end: of those that are
 * long enough, most are a short one made longer. The list is loaded when a password is set, in 30 ms.
 */
export async function isMostUsed(password: string): Promise<boolean> {
  mostUsed ??= load();
  const list = await mostUsed;
  const given = password.normalize('NFKC').toLowerCase();
  const words = given.replace(/[^\p{L}]+$/u, '');
  return list.has(given) || list.has(words) || new Set(given).size < FEWEST_CHARACTERS;
}

/** `aaaaaaaaaaaa`, `121212121212`. */
const FEWEST_CHARACTERS = 4;

let mostUsed: Promise<ReadonlySet<string>> | null = null;

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}
