import { Inject, Injectable } from '@nestjs/common';
import { requireAccess, type Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { BUS } from '@plinth/host';
import type { Bus, Call } from '@plinth/messaging';
import { GROUP, memberIds, readPatch, readResource, requireComplete } from '@plinth/scim-protocol';
import { Projection, type Wanted } from '../resources/projection';
import { idOf, listOf, selectionOf, type ListQuery } from '../resources/selection';
import { toScimGroup } from './scim-group';

type Headers = Call<'patchScimGroup'>['headers'];

/** Groups in the words of SCIM. Members are read only where a reply shows them. */
@Injectable()
export class GroupsService {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  async list(principal: Principal, query: ListQuery & Wanted): Promise<ReplyOf<'listScimGroups'>> {
    requireAccess(principal, 'admin');
    const projection = new Projection('Group', query);
    const { startIndex, body: selection } = selectionOf('Group', query);
    const body = { ...selection, withMembers: projection.wants('members') };
    const { total, items } = await this.bus.call('findProvisionedGroups', { principal, path: {}, query: {}, body });
    return listOf(
      total,
      startIndex,
      items.map((group) => shown(projection, toScimGroup(group))),
    );
  }

  search(principal: Principal, body: BodyOf<'searchScimGroups'>): Promise<ReplyOf<'searchScimGroups'>> {
    return this.list(principal, body);
  }

  async get(principal: Principal, id: string, query: QueryOf<'getScimGroup'>): Promise<ReplyOf<'getScimGroup'>> {
    requireAccess(principal, 'admin');
    const projection = new Projection('Group', query);
    const body = { id: idOf(id, 'user_group.not_found'), withMembers: projection.wants('members') };
    const group = await this.bus.call('getProvisionedGroup', { principal, path: {}, query: {}, body });
    return shown(projection, toScimGroup(group));
  }

  async create(
    principal: Principal,
    input: BodyOf<'createScimGroup'>,
    query: QueryOf<'createScimGroup'>,
  ): Promise<ReplyOf<'createScimGroup'>> {
    requireAccess(principal, 'admin');
    const projection = new Projection('Group', query);
    const body = { ...namesIn(input), memberIds: membersIn(input) ?? [] };
    const group = await this.bus.call('createProvisionedGroup', { principal, path: {}, query: {}, body });
    return shown(projection, toScimGroup(group));
  }

  async replace(
    principal: Principal,
    id: string,
    input: BodyOf<'replaceScimGroup'>,
    query: QueryOf<'replaceScimGroup'>,
    headers: Headers,
  ): Promise<ReplyOf<'replaceScimGroup'>> {
    requireAccess(principal, 'admin');
    const projection = new Projection('Group', query);
    const members = membersIn(input);
    const body = {
      ...targetOf(id, headers),
      ...namesIn(input),
      ...(members && { memberIds: members }),
      withMembers: projection.wants('members'),
    };
    const group = await this.bus.call('replaceProvisionedGroup', { principal, path: {}, query: {}, body });
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
    requireAccess(principal, 'admin');
    const projection = new Projection('Group', query);
    const target = targetOf(id, headers);
    const { changes, members } = readPatch('Group', input);
    const withMembers = projection.isExplicit && projection.wants('members');
    const body = { ...target, changes: changes.map((change) => ({ ...change })), members, withMembers };
    const group = await this.bus.call('patchProvisionedGroup', { principal, path: {}, query: {}, body });
    return projection.isExplicit ? shown(projection, toScimGroup(group)) : undefined;
  }

  async delete(principal: Principal, id: string, headers: Headers): Promise<ReplyOf<'deleteScimGroup'>> {
    requireAccess(principal, 'admin');
    const body = targetOf(id, headers);
    await this.bus.call('deleteProvisionedGroup', { principal, path: {}, query: {}, body });
    return undefined;
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
