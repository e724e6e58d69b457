import { join } from 'node:path';
import { isReservedVariable } from '@plinth/engine';
import type { EngineStart } from './engine-driver';

type Given = Pick<EngineStart, 'variables' | 'tokenVariables'>;

/** The variables that hold paths of token files, which are in the folder: what a deployment sets by itself stays as it is. */
export const tokenPaths = (given: Given, folder: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given.tokenVariables)
      .filter(([name]) => whyNot(name, given) === undefined)
      .map(([name, fileName]) => [name, join(folder, fileName)]),
  );

/** A sentence for each variable that holds no path although a config says so. */
export const withoutTokenPath = (given: Given): string[] =>
  Object.entries(given.tokenVariables).flatMap(([name, fileName]) => {
    const why = whyNot(name, given);
    return why === undefined ? [] : [`${name} does not hold the path of ${fileName}: ${why}`];
  });

function whyNot(name: string, { variables }: Given): string | undefined {
  if (isReservedVariable(name)) return 'the platform sets it';
  return Object.hasOwn(variables, name) ? 'the deployment sets it' : undefined;
}
