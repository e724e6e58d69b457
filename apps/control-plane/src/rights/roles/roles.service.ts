import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { byId, Database, keysetList } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { AccessChanges } from '../../kernel';
import { checkName, checkPolicies } from './role-rules';
import { toContractRole } from './role.entity';
import { RolesRepository } from './roles.repository';

@Injectable()
export class RolesService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly changes: AccessChanges,
    private readonly roles: RolesRepository,
  ) {}

  async list(principal: Principal, query: QueryOf<'getRoles'>): Promise<ReplyOf<'getRoles'>> {
    const page = await keysetList(query, {
      name: 'roles',
      filters: {},
      positionOf: byId,
      read: (limit, [beforeId]) =>
        this.database.transaction(principal.tenantId, (tx) => this.roles.list(tx, limit, beforeId)),
    });
    return { ...page, items: page.items.map(toContractRole) };
  }

  async create(principal: Principal, body: BodyOf<'createRole'>): Promise<ReplyOf<'createRole'>> {
    checkName(body.name);
    checkPolicies(body.policies);
    const { name, description = null, policies } = body;
    return this.database.mutate(principal, async (tx) =>
      toContractRole(await this.roles.insert(tx, { tenantId: principal.tenantId, name, description, policies })),
    );
  }

  async get(principal: Principal, id: number): Promise<ReplyOf<'getRole'>> {
    const role = await this.database.transaction(principal.tenantId, (tx) => this.roles.findCustom(tx, id));
    if (!role) throw roleNotFound();
    return toContractRole(role);
  }

  /** What is absent stays as it is; `policies` replaces the whole list. */
  async update(principal: Principal, id: number, body: BodyOf<'updateRole'>): Promise<ReplyOf<'updateRole'>> {
    const { name, description, policies } = body ?? {};
    if (name !== undefined) checkName(name);
    if (policies !== undefined) checkPolicies(policies);
    return this.changes.mutate(principal, async (tx) => {
      const role = await this.roles.findCustomForUpdate(tx, id);
      if (!role) throw roleNotFound();
      const changed = { ...role, ...defined({ name, description, policies }) };
      return toContractRole(await this.roles.update(tx, changed));
    });
  }

  async delete(principal: Principal, id: number): Promise<ReplyOf<'deleteRole'>> {
    await this.changes.mutate(principal, async (tx) => {
      if (!(await this.roles.delete(tx, id))) throw roleNotFound();
    });
  }
}

const defined = <T extends object>(changes: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as never;

export const roleNotFound = (): AppError => new AppError('role.not_found', 'There is no such role');
