/** A location's name, with its key on hover; the key until the name is known. */
export function PlaceName({ placeKey, name }: { placeKey: string; name: string | undefined }) {
  return name === undefined ? <span class="mono">{placeKey}</span> : <span title={placeKey}>{name}</span>;
}
