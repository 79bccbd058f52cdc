import { useMemo } from 'preact/hooks';
import { encode } from 'uqr';

/** Modules around the code that stay light, without which many cameras find none (ISO/IEC 18004, 6.3.8). */
const QUIET = 4;

/** A QR code, dark on light in dark mode too: most scanners do not read the opposite. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => drawn(text), [text]);
  const side = size + 2 * QUIET;
  return (
    <svg
      class="qr"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${side} ${side}`}
      shape-rendering="crispEdges"
    >
      <rect width={side} height={side} fill="white" />
      <path d={path} fill="black" />
    </svg>
  );
}

function drawn(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { ecc: 'M', border: 0 });
  const path = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x + QUIET} ${y + QUIET}h1v1h-1z`] : [])),
  );
  return { size, path: path.join('') };
}
