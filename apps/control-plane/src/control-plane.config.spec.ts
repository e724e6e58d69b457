import { controlPlaneProblems, type ControlPlaneConfig } from './control-plane.config';

describe(controlPlaneProblems.name, () => {
  const problems = (versionCatalogueFile?: string) =>
    controlPlaneProblems({ versionCatalogueFile } as ControlPlaneConfig);

  it('finds a version catalogue that cannot be used', () => {
    expect(problems('/nonexistent/catalogue')).toEqual([
      expect.stringMatching(/^PLINTH_VERSION_CATALOGUE_FILE: ENOENT/),
    ]);
    expect(problems(__filename)).toEqual([expect.stringMatching(/^PLINTH_VERSION_CATALOGUE_FILE: /)]);
    expect(problems()).toEqual([]);
  });
});
