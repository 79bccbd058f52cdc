/** The label of an antenna: its name, else its port. */
export function shownAntenna({
  port,
  name = null,
  device_port: devicePort = null,
}: {
  port: number;
  name?: string | null;
  device_port?: number | null;
}): number | string {
  const shownPort = devicePort ?? port;
  if (name === null) {
    return shownPort;
  }
  return shownPort > 0 ? `${shownPort} (${name})` : name;
}
