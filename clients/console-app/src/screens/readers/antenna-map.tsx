import { useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import type { AntennaChange, Reader } from '../../api/reader.ts';
import { patch } from '../../api/send.ts';
import { asApiError } from '../../api/use-read.ts';
import { Field } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { toast } from '../../parts/toast.tsx';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { AntennaRow } from './antenna-row.tsx';
import { PlaceTargets } from './place-targets.tsx';

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
