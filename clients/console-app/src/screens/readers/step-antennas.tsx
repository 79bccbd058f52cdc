import { useState } from 'preact/hooks';
import { NO_READS, sumOfReads } from '../../api/replayed-reads.ts';
import { post } from '../../api/send.ts';
import { type Arrivals, type Data, NO_FORMAT, type Reader } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead, useRepeat } from '../../api/use-read.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { address, go, href, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { Proposals } from '../locating/proposals.tsx';
import { WatchQuestions } from '../places/watch.tsx';
import { AntennaMap } from './antenna-map.tsx';
import { ListenSheet, useListen } from './listen-sheet.tsx';
import { shownAntenna } from './shown-antenna.ts';

/** The places of antennas, including unregistered ones that are heard. Then kept messages can be read. */
export function StepAntennas({ reader, reload }: { reader: Reader; reload: () => void }) {
  const t = texts.value.readers;
  const { heard } = useListen(reader.id, 0);
  useRepeat(reload, 5_000);
  const byPort = new Map<number | string, number>();
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
        {heard === undefined || heard.sources === 0 ? t.listenBegins : heardWords(heard)}
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
      <WatchQuestions places={placesOf(reader)} />
      <Proposals among={reader.antennas.map(({ location_external_key: key }) => key)} />
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
          onClose={() => go(hrefWith({ listen: null, asset: null }))}
        />
      )}
    </>
  );
}

function heardWords({ reads, tags, messages }: NonNullable<ReturnType<typeof useListen>['heard']>): string {
  const t = texts.value.readers;
  return t.heardLately(t.heardSum(reads, tags.length, messages));
}

/** Each once, though several antennas may be there. */
function placesOf({ antennas }: Reader): readonly { key: string; name: string }[] {
  const names = new Map(
    antennas.flatMap(({ location_external_key: key, location_name: name }) =>
      key === null ? [] : [[key, name ?? key] as const],
    ),
  );
  return [...names].map(([key, name]) => ({ key, name }));
}

type Part = Data<'POST /rejected/replay'>;

const NOTHING_YET = { replayed: 0, left: 0, reads: NO_READS, isOver: false };

/**
 * Kept messages can be read now, but only once, and reads of antennas without a place move nothing: so those get their
 * places first.
 */
function ReplayOffer({
  reader,
  open,
  unplaced,
  onReplayed,
}: {
  reader: Reader;
  open: number;
  /** Ports that the messages name, and that are at no place. */
  unplaced: readonly (number | string)[];
  onReplayed: () => void;
}) {
  const t = texts.value.readers;
  const [done, setDone] = useState(NOTHING_YET);
  const { run, isBusy, problem } = useAction();
  const replay = async () => {
    let sum = NOTHING_YET;
    for (let after: number | null | undefined; after !== null; ) {
      const { data }: { data: Part } = await post('/rejected/replay', {
        ...{ all: true, reader_id: reader.id },
        ...(after === undefined ? {} : { after }),
      });
      after = data.next;
      const { replayed, rejected, cut } = data;
      sum = {
        replayed: sum.replayed + replayed,
        left: sum.left + rejected + cut,
        reads: sumOfReads(sum.reads, data),
        isOver: after === null,
      };
      setDone(sum);
    }
    onReplayed();
  };
  if (done.isOver) {
    return <p class="note note-seen">{t.replayedSum(done.replayed, done.left, done.reads)}</p>;
  }
  if (open === 0 || reader.format === NO_FORMAT) {
    return null;
  }
  const isReady = unplaced.length === 0;
  return (
    <div class={isReady ? 'note note-seen' : 'note note-problem'}>
      <p>{isReady ? t.replayOffer(open) : t.replayUnplaced(open, unplaced)}</p>
      {isBusy ? (
        <Progress label={t.replaying} done={done.replayed + done.left} of={open} />
      ) : (
        <button
          type="button"
          class={isReady ? 'primary' : 'secondary small'}
          onClick={() => void run(replay)}
        >
          {isReady ? t.replay : t.replayAnyway}
        </button>
      )}
      {problem !== null && <ProblemNote problem={problem} />}
    </div>
  );
}

/**
 * Antennas whose reads in the kept messages would move nothing: named ones without a place, and registered ones if more
 * is kept than was examined. Switched-off ones are so on purpose.
 */
function unplacedOf(
  { antennas }: Reader,
  named: readonly (number | string)[],
  { open, messages }: Arrivals,
): readonly (number | string)[] {
  const waiting = antennas.filter(({ enabled, location_external_key: key }) => enabled && key === null);
  const settled = new Set(
    antennas
      .filter((each) => !waiting.includes(each))
      .flatMap(({ port, name, device_port: devicePort }): (number | string | null)[] => [
        port,
        name,
        devicePort,
      ]),
  );
  const asked = open > messages.length ? [...named, ...waiting.map(shownAntenna)] : named;
  return [...new Set(asked)].filter((antenna) => !settled.has(antenna));
}
