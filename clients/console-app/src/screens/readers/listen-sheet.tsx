import type { Reader } from '../../api/reader.ts';
import { Select } from '../../parts/field.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { hrefWith, replaceAddress } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { HeardTags } from './heard-tags.tsx';
import { useListen } from './use-listen.ts';

/** The last 30 seconds of an antenna, to aim it by. */
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
  const { heard, isLost } = useListen(reader.id, antenna);
  const registered = reader.antennas.find(({ port }) => port === antenna);
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
            ...ports.sort((a, b) => a - b).map((port) => ({ value: String(port), word: t.antenna(port) })),
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
        <HeardTags
          heard={heard}
          isLost={isLost}
          minRssi={registered?.min_rssi ?? null}
          isOne={antenna !== 0}
        />
      </div>
    </SideSheet>
  );
}
