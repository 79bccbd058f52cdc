import type { Levels as LevelsNow } from '../../api/types.ts';
import { useRead, useRepeat } from '../../api/use-read.ts';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { PlainTable } from '../../parts/table.tsx';
import { texts } from '../../texts/texts.ts';
import { latestText, Shares } from '../asset/why-sheet.tsx';

/** How the last reads of an asset decide where it is, while somebody walks with it. */
export function Levels({ asset }: { asset: string }) {
  const t = texts.value.readers;
  const { answer, problem, reload } = useRead<{ data: LevelsNow }>(`/assets/${asset}/levels`);
  useRepeat(reload, 1_000);
  if (answer === undefined) {
    return problem === null ? (
      <p class="hint">{t.listenBegins}</p>
    ) : (
      <ProblemNote problem={problem} onRetry={reload} />
    );
  }
  const { location, latest } = answer.data;
  return (
    <>
      <p role="status">{location === null ? t.levelsNowhere : t.levelsAt(location.name)}</p>
      {latest === null ? (
        <p class="hint">{t.noLevels}</p>
      ) : (
        <p class={latest.location === null ? 'why-lack' : ''}>
          {texts.value.why.latest} (<Instant at={latest.at} />
          ): {latestText(latest)}
        </p>
      )}
      {latest?.decision != null && <Antennas decision={latest.decision} />}
    </>
  );
}

type Decision = NonNullable<NonNullable<LevelsNow['latest']>['decision']>;

function Antennas({ decision }: { decision: Decision }) {
  const [t, why] = [texts.value.readers, texts.value.why];
  const { antennas, antenna_count: count, procedure, unit } = decision;
  const hasMargins = procedure === 'strength' && unit !== null;
  return (
    <>
      <PlainTable
        label={t.levels}
        class="why-table"
        rows={antennas}
        columns={[
          {
            title: t.antennaLabel,
            cell: ({ location, device, antenna }) => (
              <>
                <span class="title">{location?.name ?? why.unknownPlace}</span>
                <span class="hint">{why.reader(device?.name ?? why.unknownDevice, antenna)}</span>
              </>
            ),
          },
          { title: why.reads, isNumber: true, cell: ({ reads }) => why.count(reads) },
          {
            title: why.level,
            isNumber: true,
            cell: ({ level }) => (level === null ? why.noSignal : t.dbm(level)),
          },
          ...(hasMargins
            ? [
                {
                  title: t.lacking,
                  isNumber: true,
                  cell: ({ lacking }: Decision['antennas'][number]) =>
                    lacking === null ? '–' : t.lackingOf[unit](why.amount(lacking)),
                },
              ]
            : []),
        ]}
      />
      {count > antennas.length && <p class="hint">{t.quieter(count - antennas.length)}</p>}
      {hasMargins && <p class="hint">{t.lackingHint}</p>}
      <Shares decision={decision} />
    </>
  );
}
