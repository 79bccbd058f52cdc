import { expect } from 'chai';
import { lookAtImage } from '../../../domain/master-data/plans/image/look-at-image.ts';
import { readFloorPlan } from '../../../services/standalone/demo/demo.ts';
import { LOCATIONS, SITE } from '../../../services/standalone/demo/site.ts';

describe('the floor plan of the demo', () => {
  const { png, shapes } = readFloorPlan();

  it('is an image that a plan may have, in a few kilobytes', () => {
    expect(lookAtImage(png)).to.deep.equal({ mediaType: 'image/png', width: 1_600, height: 1_000 });
    expect(png.length).to.be.below(20_000);
  });

  it('has every location within the site on it', () => {
    const keys = LOCATIONS.map(({ key }) => key).filter((key) => key !== SITE.key);
    expect([...shapes.keys()].sort()).to.deep.equal(keys.sort());
    for (const points of shapes.values()) {
      expect(points.flat().every((each) => each >= 0 && each <= 1)).to.equal(true);
    }
  });
});
