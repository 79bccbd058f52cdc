/** What people call a place, with its key where one points at it; the key until the name is known. */
export function PlaceName({ placeKey, name }: { placeKey: string; name: string | undefined }) {
  return name === undefined ? <span class="mono">{placeKey}</span> : <span title={placeKey}>{name}</span>;
}
