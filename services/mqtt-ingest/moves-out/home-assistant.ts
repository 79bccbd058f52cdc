import type { Placement } from '../../../domain/moves/published/placement.ts';

/** A retained message by which Home Assistant makes a sensor of an asset: its state is the name of the location. */
export function discoveryOf(
  prefix: string,
  orgId: number,
  { assetId, externalKey, name }: Pick<Placement, 'assetId' | 'externalKey' | 'name'>,
  stateTopic: string,
): { topic: string; payload: string } {
  const payload = {
    unique_id: `tagtrail-${orgId}-${assetId}`,
    name: 'Location',
    icon: 'mdi:map-marker',
    state_topic: stateTopic,
    value_template: '{{ value_json.location.name }}',
    json_attributes_topic: stateTopic,
    device: { identifiers: [`tagtrail-${orgId}-${assetId}`], name, serial_number: externalKey },
    origin: { name: 'tagtrail' },
  };
  return {
    topic: `${prefix}/sensor/${discoveryNode(orgId)}/asset-${assetId}/config`,
    payload: JSON.stringify(payload),
  };
}

/** The level of discovery topics that says whose they are. */
export function discoveryNode(orgId: number): string {
  return `tagtrail-${orgId}`;
}
