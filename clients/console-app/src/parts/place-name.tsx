/** What people call a place, with its key small beside it; the key alone until the name is known. */
export function PlaceName({ placeKey, name }: { placeKey: string; name: string | undefined }) {
  return name === undefined || name === placeKey ? (
    <span class="mono">{placeKey}</span>
  ) : (
    <>
      {name} <small class="mono faint">{placeKey}</small>
    </>
  );
}
