import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { canonicalName, embedTenantNotFound } from '../tenants';
import { DirectoryRepository } from './directory.repository';

/** Answers services that keep content: whom they can share it with, and whose it is. */
@Injectable()
export class DirectoryService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly directory: DirectoryRepository,
  ) {}

  /** @throws AppError `embed_tenant.not_found` (404) */
  audience(
    { tenantId }: Principal,
    { embedTenantName }: BodyOf<'describeEmbedAudience'>,
  ): Promise<ReplyOf<'describeEmbedAudience'>> {
    return this.database.transaction(tenantId, async (tx) => {
      if (embedTenantName === null) {
        return { embedTenantId: null, embedTenantName, groupId: await this.directory.groupOfEveryone(tx) };
      }
      const found = await this.directory.groupOf(tx, canonicalName(embedTenantName));
      if (!found) throw embedTenantNotFound();
      return found;
    });
  }

  /** Nobody of an embed tenant that is not there. */
  colleagues(
    { tenantId }: Principal,
    { embedTenantName, groupIds, embedUserIds }: BodyOf<'describeColleagues'>,
  ): Promise<ReplyOf<'describeColleagues'>> {
    const name = canonicalName(embedTenantName);
    return this.database.transaction(tenantId, async (tx) => ({
      groups: await this.directory.groups(tx, name, groupIds),
      users: await this.directory.users(tx, name, embedUserIds),
    }));
  }

  async people(
    { tenantId }: Principal,
    { embedUserIds }: BodyOf<'describeEmbedPeople'>,
  ): Promise<ReplyOf<'describeEmbedPeople'>> {
    return {
      people: await this.database.transaction(tenantId, (tx) => this.directory.people(tx, embedUserIds)),
    };
  }
}
