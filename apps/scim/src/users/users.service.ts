import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { BUS } from '@plinth/host';
import type { Bus, Call } from '@plinth/messaging';
import { readPatch, readResource, requireComplete, USER, type Resource } from '@plinth/scim-protocol';
import { Projection, type Wanted } from '../resources/projection';
import { idOf, listOf, selectionOf, type ListQuery } from '../resources/selection';
import { toScimUser } from './scim-user';

type Headers = Call<'patchScimUser'>['headers'];

/** Users in the words of SCIM; the control plane has them and decides. */
@Injectable()
export class UsersService {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  async list(principal: Principal, query: ListQuery & Wanted): Promise<ReplyOf<'listScimUsers'>> {
    const projection = new Projection('User', query);
    const { startIndex, body } = selectionOf('User', query);
    const { total, items } = await this.bus.ask('findProvisionedUsers', principal, body);
    return listOf(
      total,
      startIndex,
      items.map((user) => shown(projection, toScimUser(user))),
    );
  }

  search(principal: Principal, body: BodyOf<'searchScimUsers'>): Promise<ReplyOf<'searchScimUsers'>> {
    return this.list(principal, body);
  }

  async get(principal: Principal, id: string, query: QueryOf<'getScimUser'>): Promise<ReplyOf<'getScimUser'>> {
    const body = { id: idOf(id, 'user.not_found') };
    const projection = new Projection('User', query);
    const user = await this.bus.ask('getProvisionedUser', principal, body);
    return shown(projection, toScimUser(user));
  }

  async create(
    principal: Principal,
    input: BodyOf<'createScimUser'>,
    query: QueryOf<'createScimUser'>,
  ): Promise<ReplyOf<'createScimUser'>> {
    const projection = new Projection('User', query);
    const body = completeUser(input);
    const user = await this.bus.ask('createProvisionedUser', principal, body, { passesClaimOn: true });
    return shown(projection, toScimUser(user));
  }

  async replace(
    principal: Principal,
    id: string,
    input: BodyOf<'replaceScimUser'>,
    query: QueryOf<'replaceScimUser'>,
    headers: Headers,
  ): Promise<ReplyOf<'replaceScimUser'>> {
    const projection = new Projection('User', query);
    const body = { ...targetOf(id, headers), ...completeUser(input) };
    const user = await this.bus.ask('replaceProvisionedUser', principal, body, { passesClaimOn: true });
    return shown(projection, toScimUser(user));
  }

  async patch(
    principal: Principal,
    id: string,
    input: BodyOf<'patchScimUser'>,
    query: QueryOf<'patchScimUser'>,
    headers: Headers,
  ): Promise<ReplyOf<'patchScimUser'>> {
    const projection = new Projection('User', query);
    const target = targetOf(id, headers);
    const changes = readPatch('User', input).changes.map((change) => ({ ...change }));
    const body = { ...target, changes };
    const user = await this.bus.ask('patchProvisionedUser', principal, body, { passesClaimOn: true });
    return shown(projection, toScimUser(user));
  }

  async delete(principal: Principal, id: string, headers: Headers): Promise<ReplyOf<'deleteScimUser'>> {
    const body = targetOf(id, headers);
    await this.bus.ask('deleteProvisionedUser', principal, body, { passesClaimOn: true });
    return undefined;
  }
}

function targetOf(id: string, headers: Headers): { id: number; version?: string } {
  const version = headers?.['if-match'];
  return { id: idOf(id, 'user.not_found'), ...(version !== undefined && { version }) };
}

function completeUser(input: Readonly<Record<string, unknown>>): { userName: string; resource: Resource } {
  const resource = readResource('User', input);
  requireComplete('User', resource);
  return { userName: String(resource[USER]?.['userName']), resource };
}

const shown = (projection: Projection, resource: ReplyOf<'getScimUser'>): ReplyOf<'getScimUser'> =>
  projection.of(resource) as ReplyOf<'getScimUser'>;
