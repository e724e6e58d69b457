import { nearestName } from './nearest-name';

describe(nearestName.name, () => {
  const names = ['releaseChannel', 'name', 'id', 'deploymentIds', 'createdAt'];

  it.each(['relChannel', 'nm', 'ids', 'x', '', 'updatedAt', 'colour'])('takes %j for no slip', (name) =>
    expect(nearestName(name, names)).toBeUndefined(),
  );

  it.each([
    ['releaseChanel', 'releaseChannel'],
    ['realeseChannel', 'releaseChannel'],
    ['release_channel', 'releaseChannel'],
    ['RELEASE-CHANNEL', 'releaseChannel'],
    ['nmae', 'name'],
    ['names', 'name'],
    ['ID', 'id'],
    ['deploymentId', 'deploymentIds'],
  ])('finds what %s was meant to be', (name, meant) => expect(nearestName(name, names)).toBe(meant));

  it('prefers the name that is nearest', () => {
    expect(nearestName('embedTenantNam', ['embedTenantIds', 'embedTenantName'])).toBe('embedTenantName');
  });
});
