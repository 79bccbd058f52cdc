import { type Arrivals, NO_FORMAT, type Reader } from '../../api/reader.ts';
import { useRead } from '../../api/use-read.ts';
import { useRepeat } from '../../api/use-repeat.ts';
import { address, go, href, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { AntennaMap } from './antenna-map.tsx';
import { ListenSheet } from './listen-sheet.tsx';
import { ReplayOffer } from './replay-offer.tsx';
import { unplacedOf } from './unplaced.ts';
import { useListen } from './use-listen.ts';

/** Where each antenna is; those that are heard, registered or not, say so. Then what is kept can be read. */
export function StepAntennas({ reader, reload }: { reader: Reader; reload: () => void }) {
  const t = texts.value.readers;
  const { heard } = useListen(reader.id, 0);
  useRepeat(reload, 5_000);
  const byPort = new Map<number, number>();
  for (const { antenna, count } of heard?.tags ?? []) {
    byPort.set(antenna, (byPort.get(antenna) ?? 0) + count);
  }
  const arrivals = useRead<{ data: Arrivals }>(`/readers/${reader.id}/arrivals`);
  const kept = arrivals.answer?.data;
  const hasFormat = reader.format !== NO_FORMAT;
  const named = kept?.formats.find(({ format }) => format === reader.format)?.antennas ?? [];
  const open = hasFormat ? (kept?.open ?? 0) : 0;
  const unplaced = kept === undefined ? [] : unplacedOf(reader, named, kept);
  const listen = address.value.query.get('listen');
  return (
    <>
      <p class="heard-sum" role="status">
        {heard === undefined || heard.sources === 0
          ? t.listenBegins
          : t.heardLately(t.heardSum(heard.reads, heard.tags.length, heard.messages))}
        {reader.counters.reads > 0 && ` · ${t.readsInAll(reader.counters.reads)}`}
      </p>
      {!hasFormat && (
        <div class="note note-problem">
          <p>{t.keptNotRead}</p>
          <a class="secondary small" href={href('readers', 'new', { reader: reader.id, step: 'format' })}>
            {t.toFormat}
          </a>
        </div>
      )}
      <AntennaMap reader={reader} heard={byPort} named={open > 0 ? named : []} />
      <ReplayOffer
        reader={reader}
        open={open}
        unplaced={unplaced}
        onReplayed={() => {
          arrivals.reload();
          reload();
        }}
      />
      <div class="buttons">
        <a
          class={open > 0 && unplaced.length === 0 ? 'secondary' : 'primary'}
          href={href('readers', reader.id)}
        >
          {t.finish}
        </a>
      </div>
      {listen !== null && (
        <ListenSheet
          reader={reader}
          antenna={Number(listen)}
          onClose={() => go(hrefWith({ listen: null }))}
        />
      )}
    </>
  );
}
