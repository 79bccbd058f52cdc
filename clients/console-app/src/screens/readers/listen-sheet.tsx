import { useEffect, useState } from 'preact/hooks';
import { organizationId } from '../../api/organization.ts';
import { receiveEvents } from '../../api/receive-events.ts';
import { addressOf } from '../../api/send.ts';
import { serverNow } from '../../api/server-clock.ts';
import type { Heard, HeardTag, Levels as LevelsNow, Reader } from '../../api/types.ts';
import { useRead, useRepeat } from '../../api/use-read.ts';
import { durationText } from '../../parts/duration.ts';
import { Select } from '../../parts/field.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { serverWords } from '../../parts/server-words.ts';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { PlainTable } from '../../parts/table.tsx';
import { address, href, hrefWith, replaceAddress } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { latestText, Shares } from '../asset/why-sheet.tsx';
import { shownAntenna } from './shown-antenna.ts';

interface Listening {
  heard: Heard | undefined;
  /** It could not be started, or broke off, and is restarted. */
  isLost: boolean;
}

/** The last 30 seconds of an antenna, to aim it by, and the levels of an asset: `?listen=2&asset=5`. */
export function ListenSheet({
  reader,
  antenna,
  onClose,
}: {
  reader: Reader;
  antenna: number;
  onClose: () => void;
}) {
  const t = texts.value.readers;
  const asset = address.value.query.get('asset');
  const { heard, isLost } = useListen(reader.id, antenna);
  const name = heard?.tags.find((tag) => String(tag.asset?.id) === asset)?.asset?.name;
  const registered = reader.antennas.find(({ port }) => port === antenna);
  const wordOf = (given: number | string) => wordIn(reader, given);
  const ports = [
    ...new Set([...reader.antennas.map(({ port }) => port), ...(antenna === 0 ? [] : [antenna])]),
  ];
  return (
    <SideSheet title={t.listenTitle(reader.name)} sub={t.listenSub} onClose={onClose}>
      <div class="stack">
        <Select
          label={t.antennaLabel}
          value={String(antenna)}
          options={[
            { value: '0', word: t.allAntennas },
            ...ports
              .sort((a, b) => a - b)
              .map((port) => ({ value: String(port), word: t.antenna(wordOf(port)) })),
          ]}
          onValue={(value) => replaceAddress(hrefWith({ listen: Number(value) }))}
        />
        {registered !== undefined && (
          <p class="hint">
            {registered.enabled
              ? registered.location_external_key === null
                ? t.atNoPlace
                : t.atPlace(registered.location_name ?? registered.location_external_key, registered.min_rssi)
              : t.isOff}
          </p>
        )}
        {asset !== null && (
          <section class="why" aria-label={t.levels}>
            <h3>{name === undefined ? t.levels : t.levelsOf(name)}</h3>
            <Levels asset={asset} />
            <a class="secondary small" href={hrefWith({ asset: null })}>
              {t.hideLevels}
            </a>
          </section>
        )}
        <HeardTags
          heard={heard}
          isLost={isLost}
          minRssi={registered?.min_rssi ?? null}
          isOne={antenna !== 0}
          wordOf={wordOf}
        />
      </div>
    </SideSheet>
  );
}

/** The label of an antenna that is heard, by its number, or by its name if it is unregistered. */
function wordIn({ antennas }: Pick<Reader, 'antennas'>, given: number | string): number | string {
  const registered = antennas.find(({ port }) => port === given);
  return registered === undefined ? given : shownAntenna(registered);
}

/** dBm at the ends of a bar: as far off as is read at all, and at the antenna. */
const WEAKEST = -95;
const STRONGEST = -25;

/** Milliseconds after which a tag counts as gone. */
const GONE_MS = 4_000;

/** Tags as bars of their strength, the strongest first; a mark shows the strongest of the 30 seconds. */
function HeardTags({
  heard,
  isLost,
  minRssi,
  isOne,
  wordOf,
}: {
  heard: Heard | undefined;
  isLost: boolean;
  minRssi: number | null;
  /** For one antenna; otherwise each tag names its antenna. */
  isOne: boolean;
  wordOf: (antenna: number | string) => number | string;
}) {
  const t = texts.value.readers;
  if (heard === undefined) {
    return <p class="hint">{isLost ? t.listenLost : t.listenBegins}</p>;
  }
  const [last] = heard.arrivals;
  return (
    <>
      {isLost && <p class="hint">{t.listenLost}</p>}
      {heard.sources === 0 && <p class="note note-problem">{t.nobodyListens}</p>}
      <p class="heard-sum" role="status">
        {t.heardSum(heard.reads, heard.tags.length, heard.messages)}
      </p>
      {heard.sources > 0 && heard.messages === 0 && <p class="hint">{t.heardNothing}</p>}
      {heard.messages > 0 && heard.reads === 0 && <p class="hint">{t.heardNoReads}</p>}
      {heard.rejected > 0 && last?.reason != null && (
        <p class="note note-problem">
          {t.heardRejected(heard.rejected, serverWords(last.reason) ?? last.reason)}
        </p>
      )}
      <ul class="heard" aria-label={t.tags}>
        {heard.tags.map((tag) => (
          <Tag
            key={`${tag.antenna} ${tag.tag_type} ${tag.value}`}
            tag={tag}
            minRssi={minRssi}
            isOne={isOne}
            wordOf={wordOf}
          />
        ))}
      </ul>
      {heard.tags_left_out > 0 && <p class="hint">{t.tagsLeftOut(heard.tags_left_out)}</p>}
    </>
  );
}

function Tag({
  tag,
  minRssi,
  isOne,
  wordOf,
}: {
  tag: HeardTag;
  minRssi: number | null;
  isOne: boolean;
  wordOf: (antenna: number | string) => number | string;
}) {
  const t = texts.value.readers;
  const { rssi, strongest_rssi: strongest, value, count, antenna, asset, location } = tag;
  const ago = serverNow() - Date.parse(tag.last_read_at);
  const isWeak = minRssi !== null && rssi !== null && rssi < minRssi;
  return (
    <li class={ago > GONE_MS ? 'heard-tag is-gone' : 'heard-tag'}>
      <div class="heard-name">
        {asset !== null && <a href={href('asset', asset.id)}>{asset.name}</a>}
        {location !== null && <a href={href('place', location.id)}>{location.name}</a>}
        {asset === null && location === null && <span class="faint">{t.unknownTag}</span>}
        <span class="mono faint">{value}</span>
        {asset !== null && (
          <a class="heard-levels" href={hrefWith({ asset: asset.id })} aria-label={t.levelsOf(asset.name)}>
            {t.levels}
          </a>
        )}
      </div>
      <div class="heard-figures">
        <span>
          {rssi === null ? t.noRssi : t.dbm(rssi)}
          {isWeak && ` · ${t.tooWeak}`}
        </span>
        <span class="faint">
          {!isOne && `${t.antenna(wordOf(antenna))} · `}
          {t.reads(count)} · {t.ago(durationText(ago))}
        </span>
      </div>
      {rssi !== null && (
        <div class="heard-bar" aria-hidden="true">
          <span class={isWeak ? 'is-weak' : ''} style={{ width: share(rssi) }} />
          {strongest !== null && <i style={{ left: share(strongest) }} />}
          {minRssi !== null && <b style={{ left: share(minRssi) }} />}
        </div>
      )}
    </li>
  );
}

function share(dbm: number): string {
  return `${Math.max(1, Math.min(100, (100 * (dbm - WEAKEST)) / (STRONGEST - WEAKEST)))}%`;
}

/**
 * Listens while the component is there.
 *
 * @param antenna 0 for all.
 */
export function useListen(reader: number, antenna: number): Listening {
  const [state, setState] = useState<Listening>(NOTHING_YET);
  useEffect(() => {
    const path = `/readers/${reader}/listen`;
    setState(NOTHING_YET);
    return receiveEvents({
      address: () => addressOf(path, { organization: organizationId.value, antenna }),
      onLost: () => setState((state) => ({ ...state, isLost: true })),
      on: {
        heard: ({ data }) => setState({ heard: JSON.parse(data), isLost: false }),
      },
    });
  }, [reader, antenna]);
  return state;
}

const NOTHING_YET: Listening = { heard: undefined, isLost: false };

/** How the last reads of an asset decide where it is, while somebody walks with it. */
function Levels({ asset }: { asset: string }) {
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
