import { language, texts } from '../texts/texts.ts';

/** A time in the viewer's zone; pointing at it shows it in UTC. */
export function Instant({ at, isLong = false }: { at: string | null; isLong?: boolean }) {
  if (at === null) {
    return <span class="none">–</span>;
  }
  return (
    <time dateTime={at} title={texts.value.common.inUtc(at.replace('T', ' ').replace(/\.\d+Z$|Z$/, ''))}>
      {instantText(at, isLong)}
    </time>
  );
}

/** Time of day with seconds, with the date unless it is today; `isLong` always has both. */
export function instantText(at: string, isLong = false): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  const day = {
    day: 'numeric',
    month: 'short',
    ...(isThisYear && !isLong ? {} : { year: 'numeric' }),
  } as const;
  return date.toLocaleString(language.value, isToday && !isLong ? time : { ...day, ...time });
}
