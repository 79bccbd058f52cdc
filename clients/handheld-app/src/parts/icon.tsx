/** Lines on a 24 by 24 grid. */
const DRAWINGS = {
  scan: 'M4 8V6a2 2 0 0 1 2-2h2M16 4h2a2 2 0 0 1 2 2v2M20 16v2a2 2 0 0 1-2 2h-2M8 20H6a2 2 0 0 1-2-2v-2M8 8v8M11 8v8M13.5 8v8M16 8v8',
  sweep: 'M4 7l1.5 1.5L8.5 5.5M4 13l1.5 1.5L8.5 11.5M4 19l1.5 1.5L8.5 17.5M12 7h8M12 13h8M12 19h8',
  history: 'M12 7.5V12l3 2M4.5 12a7.5 7.5 0 1 0 2.4-5.5L4.5 8.7M4.5 4.5v4.2h4.2',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  place:
    'M12 21s6.5-5.7 6.5-11a6.5 6.5 0 0 0-13 0c0 5.3 6.5 11 6.5 11zM12 12.3a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6z',
  camera:
    'M4 8.5A1.5 1.5 0 0 1 5.5 7H8l1.5-2.5h5L16 7h2.5A1.5 1.5 0 0 1 20 8.5v9a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 17.5zM12 16a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z',
  keyboard: 'M4 7h16v10H4zM7 10h.01M10 10h.01M13 10h.01M16 10h.01M8 14h8',
  forward: 'M9 5l7 7-7 7',
  back: 'M15 5l-7 7 7 7',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M4.5 12.5l5 5 10-11',
  moved: 'M4 12h14M12.5 6l6 6-6 6',
  seen: 'M4.5 12.5l5 5 10-11',
  queued: 'M12 15V4.5M7.5 9L12 4.5 16.5 9M5 15.5V18a1.5 1.5 0 0 0 1.5 1.5h11A1.5 1.5 0 0 0 19 18v-2.5',
  problem: 'M12 5v9M12 18.5v.01',
  refused: 'M6.5 6.5l11 11M17.5 6.5l-11 11',
  offline:
    'M4 4l16 16M8.5 16a5 5 0 0 1 5.5-1.1M5.5 12.5a9 9 0 0 1 3.8-2.3M18.5 12.5a9 9 0 0 0-4.8-2.6M12 19.5v.01',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l4.5 4.5',
  missing: 'M6 12h12',
} as const;

export type IconName = keyof typeof DRAWINGS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={DRAWINGS[name]} />
    </svg>
  );
}
