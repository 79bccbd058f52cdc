import { useLayoutEffect, useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import type { ApiError } from '../../api/api-error.ts';
import { patch, post } from '../../api/send.ts';
import type { Antenna, AntennaChange, Place, Reader } from '../../api/types.ts';
import { asApiError, useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { DecimalField, Field, isDecimal } from '../../parts/field.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemPicker } from '../../parts/item-picker.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { toast } from '../../parts/toast.tsx';
import { hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { shownAntenna } from './shown-antenna.ts';

/** Antennas and their places: drag one to a place, or choose the place. */
export function AntennaMap({
  reader,
  heard = new Map(),
  named = [],
}: {
  reader: Reader;
  /** Reads of the last seconds by port; also of ports that are not registered. */
  heard?: ReadonlyMap<number | string, number>;
  /** Ports named by kept, unread messages. */
  named?: readonly (number | string)[];
}) {
  const t = texts.value.readers;
  const [dragged, setDragged] = useState<number | null>(null);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const isAdmin = may('admin');
  // Not one at a time: who drags one antenna goes on with the next.
  const set = async (antenna: Pick<Antenna, 'port'> & Partial<Antenna>, change: AntennaChange) => {
    const { port } = antenna;
    const word = shownAntenna(antenna);
    setProblem(null);
    try {
      await patch(`/readers/${reader.id}/antennas/${port}`, change);
      toast(change.location_external_key === null ? t.antennaUnplaced(word) : t.antennaSaved(word));
    } catch (error) {
      setProblem(asApiError(error));
    }
  };
  const add = async (antenna: string, place: string | null) => {
    setProblem(null);
    try {
      await post(`/readers/${reader.id}/antennas`, { antenna, location_external_key: place });
      toast(t.antennaSaved(antenna));
    } catch (error) {
      setProblem(asApiError(error));
    }
  };
  const ports = reader.antennas.map(({ port }) => port);
  const known = new Set<number | string | null>(
    reader.antennas.flatMap(({ port, name, device_port: devicePort }) => [port, name, devicePort]),
  );
  const unplaced = reader.unplaced_antennas;
  const listed = new Set(unplaced.map(({ name }) => name));
  const others = [...new Set([...heard.keys(), ...named])].filter(
    (given) => given !== '' && !known.has(given) && !listed.has(String(given)),
  );
  return (
    <section class="antenna-map" aria-label={t.antennas}>
      <div class="card stack">
        <h2>{t.antennas}</h2>
        <p class="hint">{isAdmin ? t.antennasHint : t.antennasHintOthers}</p>
        {problem !== null && <ProblemNote problem={problem} />}
        <ul class="antennas">
          {reader.antennas.map((antenna) => (
            <AntennaRow
              key={antenna.port}
              antenna={antenna}
              reads={heard.get(antenna.port)}
              isReadOnly={!isAdmin}
              onSet={(change) => set(antenna, change)}
              onDrag={setDragged}
            />
          ))}
        </ul>
        {isAdmin &&
          others.map((port) => (
            <div class="note note-seen" key={port}>
              <p>{t.unregistered(port, heard.get(port))}</p>
              <button type="button" class="secondary small" onClick={() => void add(String(port), null)}>
                {t.addAntenna(port)}
              </button>
            </div>
          ))}
        {unplaced.map((each) => (
          <UnplacedNote
            key={each.name}
            unplaced={each}
            onPlace={isAdmin ? (place) => void add(each.name, place) : null}
          />
        ))}
        {isAdmin && <AddAntenna next={Math.max(0, ...ports) + 1} onAdd={(given) => add(given, null)} />}
      </div>
      {isAdmin && (
        <PlaceTargets
          isDragging={dragged !== null}
          onDrop={(key) => dragged !== null && void set({ port: dragged }, { location_external_key: key })}
        />
      )}
    </section>
  );
}

/** An antenna that messages name and nobody has registered: a place chosen here registers it. */
function UnplacedNote({
  unplaced: { name, reads, last_read_at: at },
  onPlace,
}: {
  unplaced: Reader['unplaced_antennas'][number];
  /** Null without permission. */
  onPlace: ((key: string) => void) | null;
}) {
  const t = texts.value.readers;
  return (
    <div class="note note-seen">
      <p>
        {name === '' ? t.namedNone(reads) : t.namedUnplaced(name, reads)} <Instant at={at} />
      </p>
      {name !== '' && onPlace !== null && (
        <ItemPicker
          resource="locations"
          label={t.place(name)}
          none={t.noPlace}
          picked={null}
          onPick={(place) => place !== null && onPlace(place.external_key)}
        />
      )}
    </div>
  );
}

/** By port, or by the name that the device sends. */
function AddAntenna({ next, onAdd }: { next: number; onAdd: (antenna: string) => Promise<unknown> }) {
  const t = texts.value.readers;
  const [port, setPort] = useState('');
  return (
    <form
      class="add-antenna"
      onSubmit={(event) => {
        event.preventDefault();
        void onAdd(port === '' ? String(next) : port).then(() => setPort(''));
      }}
    >
      <Field label={t.port} maxLength={64} value={port === '' ? String(next) : port} onValue={setPort} />
      <button type="submit" class="secondary">
        {t.add1}
      </button>
    </form>
  );
}

function AntennaRow({
  antenna,
  reads,
  isReadOnly,
  onSet,
  onDrag,
}: {
  antenna: Antenna;
  /** Of the last seconds, while somebody listens. */
  reads: number | undefined;
  isReadOnly: boolean;
  onSet: (change: AntennaChange) => Promise<unknown>;
  /** Null at the end. */
  onDrag: (port: number | null) => void;
}) {
  const t = texts.value.readers;
  const { port, location_external_key: key, location_name: name, min_rssi: stored, enabled } = antenna;
  const word = shownAntenna(antenna);
  const { offset_db: offset, height_m: height } = antenna;
  return (
    <li class={enabled ? 'antenna' : 'antenna is-off'}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: by keys the place is chosen beside it */}
      <div
        class="antenna-name"
        draggable={may('admin')}
        onDragStart={(event) => {
          event.dataTransfer?.setData('text/plain', String(port));
          onDrag(port);
        }}
        onDragEnd={() => onDrag(null)}
      >
        {may('admin') && <Icon name="up-down" />}
        <strong>{t.antenna(word)}</strong>
        {reads !== undefined && <Badge tone="moved">{t.readsNow(reads)}</Badge>}
        {!enabled && <Badge>{t.off}</Badge>}
      </div>
      <ItemPicker
        resource="locations"
        label={t.place(word)}
        none={t.noPlace}
        picked={key === null ? null : { id: 0, external_key: key, ...(name === null ? {} : { name }) }}
        isReadOnly={isReadOnly}
        onPick={(place) => void onSet({ location_external_key: place?.external_key ?? null })}
      />
      <div class="buttons">
        {may('operator') && (
          <a class="secondary small" href={hrefWith({ listen: port })}>
            {t.listenTo(word)}
          </a>
        )}
        {!isReadOnly && (
          <button type="button" class="secondary small" onClick={() => void onSet({ enabled: !enabled })}>
            {enabled ? t.switchOff : t.switchOn}
          </button>
        )}
      </div>
      <div class="antenna-numbers">
        <NumberField
          label={t.minRssi}
          range={[-149, -1]}
          stored={stored}
          isReadOnly={isReadOnly}
          onSet={(value) => onSet({ min_rssi: value })}
        />
        <NumberField
          label={t.offset}
          range={[-100, 100]}
          stored={offset}
          isReadOnly={isReadOnly}
          onSet={(value) => onSet({ offset_db: value ?? 0 })}
        />
        <NumberField
          label={t.height}
          range={[0, 100]}
          stored={height}
          isReadOnly={isReadOnly}
          onSet={(value) => onSet({ height_m: value ?? 1 })}
        />
      </div>
    </li>
  );
}

/** Saved when it is left, or by Enter. */
function NumberField({
  label,
  range,
  stored,
  isReadOnly,
  onSet,
}: {
  label: string;
  range: readonly [number, number];
  stored: number | null;
  isReadOnly: boolean;
  /** Null: it was emptied. */
  onSet: (value: number | null) => Promise<unknown>;
}) {
  const told = stored === null ? '' : String(stored);
  const [text, setText] = useState(told);
  useLayoutEffect(() => setText(told), [told]);
  const save = () => {
    const value = text === '' ? null : Number(text);
    if (value !== stored && (value === null || isDecimal(text, range))) {
      void onSet(value);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onFocusOut={save}
    >
      <DecimalField label={label} range={range} readOnly={isReadOnly} value={text} onValue={setText} />
    </form>
  );
}

const MOST = 20;

/** Places to drop an antenna on. By keys a place is chosen at the antenna itself. */
function PlaceTargets({ isDragging, onDrop }: { isDragging: boolean; onDrop: (key: string) => void }) {
  const t = texts.value.readers;
  const [q, setQ] = useState('');
  const [over, setOver] = useState<number | null>(null);
  const { answer } = useRead<{ data: readonly Place[]; total_count: number }>('/locations', {
    q,
    limit: MOST,
  });
  const places = answer?.data ?? [];
  return (
    <div class={isDragging ? 'card stack targets is-dragging' : 'card stack targets'}>
      <h2>{t.places}</h2>
      <Field label={t.findPlace} value={q} onValue={setQ} />
      <ul class="target-list">
        {places.map(({ id, name, external_key: key }) => (
          <li
            key={id}
            class={over === id ? 'target is-over' : 'target'}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(id);
            }}
            onDragLeave={() => setOver(null)}
            onDrop={(event) => {
              event.preventDefault();
              setOver(null);
              onDrop(key);
            }}
          >
            <span class="title">{name}</span>
            <span class="mono faint">{key}</span>
          </li>
        ))}
      </ul>
      {answer !== undefined && answer.total_count > MOST && (
        <p class="hint">{t.morePlaces(answer.total_count - MOST)}</p>
      )}
      {answer?.total_count === 0 && <p class="hint">{t.noPlaces}</p>}
    </div>
  );
}
