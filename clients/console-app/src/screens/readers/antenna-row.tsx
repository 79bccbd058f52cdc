import { useLayoutEffect, useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import type { Antenna, AntennaChange } from '../../api/reader.ts';
import { Badge } from '../../parts/badge.tsx';
import { Field } from '../../parts/field.tsx';
import { ItemPicker } from '../../parts/item-picker.tsx';
import { hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

export function AntennaRow({
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
  const [minRssi, setMinRssi] = useState(stored === null ? '' : String(stored));
  useLayoutEffect(() => setMinRssi(stored === null ? '' : String(stored)), [stored]);
  const save = () => {
    const value = minRssi.trim() === '' ? null : Number(minRssi);
    if (value !== stored && !Number.isNaN(value)) {
      void onSet({ min_rssi: value });
    }
  };
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
      <form
        class="antenna-rssi"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
        onFocusOut={save}
      >
        <Field
          label={t.minRssi}
          type="number"
          step="any"
          min={-200}
          max={100}
          readOnly={isReadOnly}
          value={minRssi}
          onValue={setMinRssi}
        />
      </form>
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
    </li>
  );
}
