import { deploymentProblems } from './deployments.config';

describe(deploymentProblems.name, () => {
  const problems = (versionCatalogueFile?: string) => deploymentProblems({ versionCatalogueFile });

  it('finds a version catalogue that cannot be used', () => {
    expect(problems('/nonexistent/catalogue')).toEqual([
      expect.stringMatching(/^PLINTH_VERSION_CATALOGUE_FILE: ENOENT/),
    ]);
    expect(problems(__filename)).toEqual([expect.stringMatching(/^PLINTH_VERSION_CATALOGUE_FILE: /)]);
    expect(problems()).toEqual([]);
  });
});
