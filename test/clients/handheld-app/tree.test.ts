import { expect } from 'chai';
import type { Location } from '../../../clients/handheld-app/src/gateway/place.ts';
import { LocationTree } from '../../../clients/handheld-app/src/places/tree.ts';

function location(
  id: number,
  name: string,
  parent_id: number | null = null,
  tags: Location['tags'] = [],
): Location {
  return { id, name, external_key: `KEY-${id}`, parent_id, tags };
}

const names = (locations: readonly Location[]) => locations.map(({ name }) => name);

describe('the tree of places on the device', () => {
  const tree = new LocationTree([
    location(1, 'Hall'),
    location(2, 'Aisle 10', 1),
    location(3, 'aisle 2', 1, [{ tag_type: 'rfid', value: 'E280 1160' }]),
    location(4, 'Shelf', 3, [{ tag_type: 'barcode', value: 'S-1' }]),
    location(5, 'Orphan', 99),
    location(6, 'Twin', null, [{ tag_type: 'rfid', value: '00AA' }]),
    location(7, 'Other twin', null, [{ tag_type: 'rfid', value: 'aa' }]),
    location(8, 'Beacon', null, [{ tag_type: 'of a later version', value: 'S-1' }]),
  ]);

  it('orders places as people count', () => {
    expect(names(tree.children(1))).to.deep.equal(['aisle 2', 'Aisle 10']);
  });

  it('shows a place whose parent is not there at the top', () => {
    expect(names(tree.children(null))).to.include('Orphan');
  });

  it('leads from the root to a place', () => {
    expect(names(tree.ancestors(4))).to.deep.equal(['Hall', 'aisle 2']);
    expect(tree.ancestors(1)).to.deep.equal([]);
  });

  it('ends on a circle', () => {
    const circle = new LocationTree([location(1, 'A', 2), location(2, 'B', 1)]);
    expect(circle.ancestors(1)).to.have.length(2);
  });

  it('finds by words of name and key, in any order', () => {
    expect(names(tree.search('10 AIS'))).to.deep.equal(['Aisle 10']);
    expect(names(tree.search('key-4'))).to.deep.equal(['Shelf']);
    expect(tree.search('nowhere')).to.deep.equal([]);
  });

  it('knows the tag of a place however it is written, and never picks one of two', () => {
    expect(tree.byTag('barcode', 'S-1')?.id).to.equal(4);
    expect(tree.byTag('rfid', 'e2801160')?.id).to.equal(3);
    expect(tree.byTag('barcode', 'e2801160')).to.equal(null);
    expect(tree.byTag('rfid', '0aa')).to.equal(null);
    expect(tree.byTag('rfid', '00AA')?.id).to.equal(6);
  });
});
