import type { Alert } from '../../api/types.ts';
import { texts } from '../../texts/texts.ts';
import { boundWords } from '../rules/rule-words.ts';

/** The condition, without its subject: "is overdue", "stays too long". */
export function alertWords({ kind, because }: Pick<Alert, 'kind' | 'because'>): string {
  const t = texts.value.alerts;
  if (because?.state === 'missing' || because?.state === 'disconnected') {
    return t.what[because.state];
  }
  return because?.reading === undefined ? t.what[kind] : t.measured(...boundWords(because));
}

/** Its subject: an asset by its name, as soon as that is known. */
export function alertSubject(
  { asset, reader }: Pick<Alert, 'asset' | 'reader'>,
  names: ReadonlyMap<string, string>,
): string {
  return asset === null ? (reader?.name ?? '–') : (names.get(asset.external_key) ?? asset.external_key);
}
