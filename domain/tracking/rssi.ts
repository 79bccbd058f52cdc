/** dBm between which radios hear, both excluded. Devices report 0 or 127 where they did not measure. */
const RADIO_DBM = { above: -150, below: 0 };

export function isRadioStrength(dbm: number): boolean {
  return dbm > RADIO_DBM.above && dbm < RADIO_DBM.below;
}
