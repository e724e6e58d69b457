import type { MetaCube } from '@plinth/model-process';
import { type CubeMembers, MAX_MEMBERS_LENGTH } from '../compile-result';

/** Names that queries can use; null when there are more of them than anybody wants to carry. */
export function membersOf(cubes: readonly MetaCube[]): CubeMembers[] | null {
  const members = cubes.map(({ config }): CubeMembers => {
    const short = ({ name }: { name: string }): string => name.slice(config.name.length + 1);
    return {
      name: config.name,
      kind: config.type === 'view' ? 'view' : 'cube',
      measures: config.measures.map(short),
      dimensions: config.dimensions.map(short),
      segments: config.segments.map(short),
    };
  });
  return JSON.stringify(members).length > MAX_MEMBERS_LENGTH ? null : members;
}
