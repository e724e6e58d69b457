const pathOf = (url: string): string => new URL(url).pathname.replace(/\.git\/?$/, '').toLowerCase();

/** Name of a repository, without its owner, by its clone address. */
export const repositoryNameOf = (cloneUrl: string): string => pathOf(cloneUrl).split('/').at(-1) ?? '';

/** Whether two clone addresses name one repository; GitHub does not tell upper from lower case. */
export const isSameRepository = (left: string, right: string): boolean =>
  new URL(left).host === new URL(right).host && pathOf(left) === pathOf(right);
