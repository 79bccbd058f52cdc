import { useLayoutEffect, useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import type { ApiError } from '../../api/api-error.ts';
import { patch } from '../../api/send.ts';
import type { Antenna, AntennaChange, Place, Reader } from '../../api/types.ts';
import { asApiError, useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Field } from '../../parts/field.tsx';
import { ItemPicker } from '../../parts/item-picker.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { toast } from '../../parts/toast.tsx';
import { hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

/** Which antenna is where: by dragging one to a place, or by choosing the place. */
export function AntennaMap({
  reader,
  heard = new Map(),
  named = [],
}: {
  reader: Reader;
  /** Reads of the last seconds by port; also of ports that are not registered. */
  heard?: ReadonlyMap<number, number>;
  /** Ports that messages name which are kept and not read yet. */
  named?: readonly number[];
}) {
  const t = texts.value.readers;
  const [dragged, setDragged] = useState<number | null>(null);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const isAdmin = may('admin');
  // Not one at a time: who drags one antenna goes on with the next.
  const set = async (port: number, change: AntennaChange) => {
    setProblem(null);
    try {
      await patch(`/readers/${reader.id}/antennas/${port}`, change);
      toast(change.location_external_key === null ? t.antennaUnplaced(port) : t.antennaSaved(port));
    } catch (error) {
      setProblem(asApiError(error));
    }
  };
  const known = new Set(reader.antennas.map(({ port }) => port));
  const others = [...new Set([...heard.keys(), ...named])]
    .filter((port) => !known.has(port))
    .sort((a, b) => a - b);
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
              onSet={(change) => set(antenna.port, change)}
              onDrag={setDragged}
            />
          ))}
        </ul>
        {isAdmin &&
          others.map((port) => (
            <div class="note note-seen" key={port}>
              <p>{t.unregistered(port, heard.get(port))}</p>
              <button type="button" class="secondary small" onClick={() => void set(port, {})}>
                {t.addAntenna(port)}
              </button>
            </div>
          ))}
        {isAdmin && <AddAntenna next={Math.max(0, ...known) + 1} onAdd={(port) => set(port, {})} />}
      </div>
      {isAdmin && (
        <PlaceTargets
          isDragging={dragged !== null}
          onDrop={(key) => dragged !== null && void set(dragged, { location_external_key: key })}
        />
      )}
    </section>
  );
}

function AddAntenna({ next, onAdd }: { next: number; onAdd: (port: number) => Promise<unknown> }) {
  const t = texts.value.readers;
  const [port, setPort] = useState('');
  return (
    <form
      class="add-antenna"
      onSubmit={(event) => {
        event.preventDefault();
        void onAdd(Number(port === '' ? next : port)).then(() => setPort(''));
      }}
    >
      <Field
        label={t.port}
        type="number"
        min={1}
        max={32_767}
        value={port === '' ? String(next) : port}
        onValue={setPort}
      />
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
  /** Of the last seconds, where somebody listens. */
  reads: number | undefined;
  isReadOnly: boolean;
  onSet: (change: AntennaChange) => Promise<unknown>;
  /** Null at the end. */
  onDrag: (port: number | null) => void;
}) {
  const t = texts.value.readers;
  const { port, location_external_key: key, location_name: name, min_rssi: stored, enabled } = antenna;
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
        <strong>{t.antenna(port)}</strong>
        {reads !== undefined && <Badge tone="moved">{t.readsNow(reads)}</Badge>}
        {!enabled && <Badge>{t.off}</Badge>}
      </div>
      <ItemPicker
        resource="locations"
        label={t.place(port)}
        none={t.noPlace}
        picked={key === null ? null : { id: 0, external_key: key, ...(name === null ? {} : { name }) }}
        isReadOnly={isReadOnly}
        onPick={(place) => void onSet({ location_external_key: place?.external_key ?? null })}
      />
      <div class="buttons">
        {may('operator') && (
          <a class="secondary small" href={hrefWith({ listen: port })}>
            {t.listenTo(port)}
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
  range: [min, max],
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
    const value = text.trim() === '' ? null : Number(text);
    if (value !== stored && !Number.isNaN(value)) {
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
      <Field
        label={label}
        type="number"
        step="any"
        min={min}
        max={max}
        readOnly={isReadOnly}
        value={text}
        onValue={setText}
      />
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
