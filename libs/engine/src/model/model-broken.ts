import type { ModelProblem } from '../protocol';

/** The model does not compile. */
export class ModelBroken extends Error {
  constructor(readonly problems: ModelProblem[]) {
    super(problems.map(describe).join('\n'));
    this.name = 'ModelBroken';
  }
}

function describe({ fileName, line, message }: ModelProblem): string {
  const place = [fileName, line].filter((part) => part !== undefined).join(':');
  return place ? `${place}: ${message}` : message;
}
