import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { BUS } from '@plinth/host';
import type { Bus, Call, StreamReply } from '@plinth/messaging';
import { GROUP, memberIds, readPatch, readResource, requireComplete } from '@plinth/scim-protocol';
import { Projection, type Wanted } from '../resources/projection';
import { idOf, listOf, selectionOf, type ListQuery } from '../resources/selection';
import { between, streamOf } from '../resources/written';
import { GroupMembers } from './group-members.service';
import { groupsJson } from './groups-json';
import { toScimGroup, toScimMember } from './scim-group';

type Headers = Call<'patchScimGroup'>['headers'];
type Group = Schemas['ProvisionedGroup'];

/** How a list without resources ends. */
const EMPTY_END = ']}';

/** Groups in the words of SCIM. Reads are written as a stream, because most of a group can be members. */
@Injectable()
export class GroupsService {
  constructor(
    @Inject(BUS) private readonly bus: Bus,
    private readonly members: GroupMembers,
  ) {}

  async list(principal: Principal, query: ListQuery & Wanted): Promise<StreamReply> {
    const projection = new Projection('Group', query);
    const { startIndex, body } = selectionOf('Group', query);
    const { total, items } = await this.bus.ask('findProvisionedGroups', principal, body);
    const list = JSON.stringify({ ...listOf(total, startIndex, []), itemsPerPage: items.length });
    const groups = await this.written(principal, projection, items);
    return streamOf(between(list.slice(0, -EMPTY_END.length), groups, EMPTY_END));
  }

  search(principal: Principal, body: BodyOf<'searchScimGroups'>): Promise<StreamReply> {
    return this.list(principal, body);
  }

  /** Its version is of before the members are read: whoever changes them meanwhile makes it a version of the past. */
  async get(principal: Principal, id: string, query: QueryOf<'getScimGroup'>): Promise<StreamReply> {
    const projection = new Projection('Group', query);
    const body = { id: idOf(id, 'user_group.not_found') };
    const group = await this.bus.ask('getProvisionedGroup', principal, body);
    return streamOf(await this.written(principal, projection, [group]), { etag: group.version });
  }

  async create(
    principal: Principal,
    input: BodyOf<'createScimGroup'>,
    query: QueryOf<'createScimGroup'>,
  ): Promise<ReplyOf<'createScimGroup'>> {
    const projection = new Projection('Group', query);
    const body = { ...namesIn(input), memberIds: membersIn(input) ?? [] };
    const group = await this.bus.ask('createProvisionedGroup', principal, body, { passesClaimOn: true });
    return shown(projection, toScimGroup(group));
  }

  async replace(
    principal: Principal,
    id: string,
    input: BodyOf<'replaceScimGroup'>,
    query: QueryOf<'replaceScimGroup'>,
    headers: Headers,
  ): Promise<ReplyOf<'replaceScimGroup'>> {
    const projection = new Projection('Group', query);
    const members = membersIn(input);
    const body = {
      ...targetOf(id, headers),
      ...namesIn(input),
      ...(members && { memberIds: members }),
      withMembers: projection.wants('members'),
    };
    const group = await this.bus.ask('replaceProvisionedGroup', principal, body, { passesClaimOn: true });
    return shown(projection, toScimGroup(group));
  }

  /** Answers with the group only where its attributes are asked for: most of it could be members. */
  async patch(
    principal: Principal,
    id: string,
    input: BodyOf<'patchScimGroup'>,
    query: QueryOf<'patchScimGroup'>,
    headers: Headers,
  ): Promise<ReplyOf<'patchScimGroup'>> {
    const projection = new Projection('Group', query);
    const target = targetOf(id, headers);
    const { changes, members } = readPatch('Group', input);
    const withMembers = projection.isExplicit && projection.wants('members');
    const body = { ...target, changes: changes.map((change) => ({ ...change })), members, withMembers };
    const group = await this.bus.ask('patchProvisionedGroup', principal, body, { passesClaimOn: true });
    return projection.isExplicit ? shown(projection, toScimGroup(group)) : undefined;
  }

  async delete(principal: Principal, id: string, headers: Headers): Promise<ReplyOf<'deleteScimGroup'>> {
    const body = targetOf(id, headers);
    await this.bus.ask('deleteProvisionedGroup', principal, body, { passesClaimOn: true });
    return undefined;
  }

  /** The groups as JSON. Members are read only where they are shown. */
  private async written(
    principal: Principal,
    projection: Projection,
    groups: readonly Group[],
  ): Promise<AsyncIterable<string> | string[]> {
    const show = (group: Group) => projection.of(toScimGroup(group));
    if (!projection.wants('members')) return [groups.map((group) => JSON.stringify(show(group))).join()];
    const ids = groups.map(({ id }) => id);
    const baseUrl = groups[0]?.baseUrl ?? '';
    return groupsJson(groups, await this.members.read(principal, ids), show, (member) =>
      projection.ofValue('members', toScimMember(baseUrl, member)),
    );
  }
}

type Input = Readonly<Record<string, unknown>>;

function namesIn(input: Input): { displayName: string; externalId: string | null } {
  const others = Object.fromEntries(Object.entries(input).filter(([key]) => key.toLowerCase() !== 'members'));
  const resource = readResource('Group', others);
  requireComplete('Group', resource);
  const { displayName, externalId } = resource[GROUP] ?? {};
  return { displayName: String(displayName), externalId: externalId === undefined ? null : String(externalId) };
}

/** Ids of the members; undefined when the body says nothing of them. */
function membersIn(input: Input): string[] | undefined {
  const members = Object.entries(input).find(([key]) => key.toLowerCase() === 'members')?.[1];
  return members === undefined || members === null ? undefined : memberIds(members);
}

function targetOf(id: string, headers: Headers): { id: number; version?: string } {
  const version = headers?.['if-match'];
  return { id: idOf(id, 'user_group.not_found'), ...(version !== undefined && { version }) };
}

const shown = (projection: Projection, resource: ReplyOf<'getScimGroup'>): ReplyOf<'getScimGroup'> =>
  projection.of(resource) as ReplyOf<'getScimGroup'>;
