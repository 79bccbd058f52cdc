import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { BARS, type DwellRow } from './dwell.ts';
import type { AntennaRow, SweepRow } from './equipment.ts';

export function dwellView({ looked_back_to, count, median_seconds, bars }: DwellRow, days: number) {
  return {
    days,
    looked_back_to: wireTimeOrNull(looked_back_to),
    stays: count,
    median_seconds,
    bars: bars.map((stays, index) => ({ below: BARS[index] ?? null, stays })),
  };
}

export function antennaView(antenna: AntennaRow) {
  const { port, is_enabled: enabled, min_rssi, reader_id: id, reader_name: name, last_message_at } = antenna;
  return { port, enabled, min_rssi, reader: { id, name }, last_message_at: wireTimeOrNull(last_message_at) };
}

export function sweepView(sweep: SweepRow) {
  const { id, ended_at, handheld, expected, found, moved_here, missing, unknown } = sweep;
  return { id, ended_at: wireTime(ended_at), handheld, expected, found, moved_here, missing, unknown };
}
