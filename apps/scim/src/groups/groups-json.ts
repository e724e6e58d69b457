interface Identified {
  id: number;
}

interface OfGroup {
  groupId: number;
}

/**
 * Groups as JSON with commas between them, written while their members are read: nobody holds more than a page of these.
 *
 * @param groups - Groups in the order of the reply.
 * @param pages - Members, those of the first group first.
 * @param showGroup - A group without its members, which has one attribute at least.
 */
export async function* groupsJson<Group extends Identified, Member extends OfGroup>(
  groups: readonly Group[],
  pages: AsyncIterable<readonly Member[]>,
  showGroup: (group: Group) => object,
  showMember: (member: Member) => unknown,
): AsyncGenerator<string> {
  const waiting = [...groups];
  let open: Group | undefined;
  const openUntil = (id: number | null): string => {
    let text = '';
    while (waiting.length > 0 && open?.id !== id) {
      const end = open ? ']},' : '';
      open = waiting.shift() as Group;
      text += `${end}${JSON.stringify(showGroup(open)).slice(0, -1)},"members":[`;
    }
    return text;
  };
  for await (const page of pages) {
    yield page
      .map(
        (member) =>
          (open?.id === member.groupId ? ',' : openUntil(member.groupId)) + JSON.stringify(showMember(member)),
      )
      .join('');
  }
  yield openUntil(null);
  if (open) yield ']}';
}
