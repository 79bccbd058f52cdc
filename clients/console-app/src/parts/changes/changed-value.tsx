import { texts } from '../../texts/texts.ts';
import { Instant } from '../instant.tsx';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A value as it was logged; one that was too large is told by its size. */
export function ChangedValue({ value }: { value: unknown }) {
  const t = texts.value.changes;
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) {
    return <span class="none">–</span>;
  }
  if (typeof value === 'boolean') {
    return <>{value ? t.yes : t.no}</>;
  }
  if (typeof value === 'string') {
    return <>{TIME.test(value) ? <Instant at={value} isLong /> : value}</>;
  }
  if (typeof value !== 'object') {
    return <>{String(value)}</>;
  }
  const left = 'left_out' in value ? (value.left_out as { bytes: number | null }) : null;
  if (left !== null) {
    // Early versions logged so that there was nothing.
    return left.bytes === null ? (
      <span class="none">–</span>
    ) : (
      <span class="hint">{t.leftOut(left.bytes)}</span>
    );
  }
  return <span class="mono">{listed(value)}</span>;
}

/** Tags one after another, everything else as JSON. */
function listed(value: object): string {
  const isTags = Array.isArray(value) && value.every((each) => isTag(each));
  return isTags
    ? value.map(({ tag_type, value: text }) => `${tag_type} ${text}`).join(', ')
    : JSON.stringify(value);
}

function isTag(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'tag_type' in value && 'value' in value;
}
