import { ApiError, type FieldFault } from '../../api/api-error.ts';
import { texts } from '../../texts/texts.ts';

const MOST_NAMED = 10;

/** The lists of a draft. */
interface Typed {
  assets: string;
  metadata: string;
}

/** The faults of the draft that was sent, in the words of the form, each under its field's name. */
export async function inFormWords<Result>(draft: Typed, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ApiError ? saidOf(error, draft) : error;
  }
}

function saidOf(problem: ApiError, draft: Typed): ApiError {
  const { status, type, message: detail, requestId, retryAfter } = problem;
  const byField = Map.groupBy(problem.fields, ({ field }) => /^\w+/.exec(field)?.[0] ?? field);
  const fields = [...byField].map(([field, faults]) => ({
    // Without a code, which what is said below a field goes by otherwise.
    ...{ field, code: '' },
    message: wordsOf(field, faults, draft) ?? faults.map(({ message }) => message).join('. '),
  }));
  return new ApiError(status, type, detail, { fields, requestId, retryAfter });
}

/** Null for faults that the form cannot cause: they are shown in the API's words. */
function wordsOf(field: string, faults: readonly FieldFault[], draft: Typed): string | null {
  const t = texts.value.rules.faults;
  const code = faults[0]?.code;
  switch (field) {
    case 'name':
      return code === 'too_short' ? t.noName : null;
    case 'after_seconds':
      return code === 'required' ? t.noTime : timeWords(code, t.tooShort);
    case 'then_seconds':
      return timeWords(code, t.notLonger);
    case 'location_external_key':
    case 'within_location_external_key':
      return code === 'required' ? t.noPlace : code === 'fk_not_found' ? t.placeGone : null;
    case 'above':
    case 'below':
      return code === 'required' ? t.noBound : code === 'invalid_value' ? t.outside : null;
    case 'hysteresis':
      return code === 'invalid_value' ? t.outside : null;
    case 'hours':
      return code === 'invalid_value' ? t.hours : null;
    case 'asset_external_keys':
      return keyWords(faults, keysIn(draft.assets));
    case 'metadata':
      return termWords(faults, linesIn(draft.metadata));
    case 'reader_ids':
      return code === 'fk_not_found' ? t.readersGone : null;
    case 'mail_to':
      return code === 'invalid_value' ? t.noMembers : null;
    default:
      return null;
  }
}

function timeWords(code: string | undefined, invalid: string): string | null {
  const t = texts.value.rules.faults;
  switch (code) {
    case 'too_large':
      return t.tooLong;
    case 'too_small':
      return t.tooShort;
    case 'invalid_value':
      return invalid;
    default:
      return null;
  }
}

function keyWords(faults: readonly FieldFault[], keys: readonly string[]): string {
  const t = texts.value.rules.faults;
  const missing = faults.filter(({ code }) => code === 'fk_not_found');
  const wrong = itemsOf(faults, keys);
  return missing.length > 0
    ? t.noAssets(listed(missing.map(({ params }) => String(params?.['value']))))
    : wrong.length > 0
      ? t.noKeys(listed(wrong))
      : t.tooManyKeys;
}

function termWords(faults: readonly FieldFault[], lines: readonly string[]): string {
  const t = texts.value.rules.faults;
  const wrong = itemsOf(faults, lines);
  return wrong.length > 0 ? t.noTerms(listed(wrong)) : t.tooManyTerms;
}

/** The typed entries that have faults: `metadata[2].value` means the third. */
function itemsOf(faults: readonly FieldFault[], typed: readonly string[]): string[] {
  const indexes = faults.map(({ field }) => Number(/\[(\d+)\]/.exec(field)?.[1] ?? -1));
  return typed.filter((_, index) => indexes.includes(index));
}

function listed(items: readonly string[]): string {
  const named = items.slice(0, MOST_NAMED).join(', ');
  return items.length > MOST_NAMED ? `${named} …` : named;
}

/** Separated by anything that no key contains. */
export function keysIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((key) => key !== '');
}

export function linesIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
