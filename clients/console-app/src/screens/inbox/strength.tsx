import { texts } from '../../texts/texts.ts';

/** dBm of a tag that is nearly out of reach, and of one that lies on the antenna. */
const WEAK = -85;
const STRONG = -30;

export function Strength({ rssi }: { rssi: number | null }) {
  if (rssi === null) {
    return <span class="none">–</span>;
  }
  const share = Math.min(1, Math.max(0.04, (rssi - WEAK) / (STRONG - WEAK)));
  return (
    <span class="strength">
      <span class="strength-bar" aria-hidden="true">
        <span style={{ inlineSize: `${Math.round(share * 100)}%` }} />
      </span>
      {texts.value.inbox.dbm(rssi)}
    </span>
  );
}
