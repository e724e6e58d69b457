import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { byId, Database, keysetList, type Transaction } from '@plinth/database';
import {
  ContentRights,
  ContentTree,
  ItemDescriptions,
  ItemsListRepository,
  ItemsRepository,
  ownedBy,
  type Item,
  type ListedItem,
  type Viewer,
} from '../content';
import { FoldersRepository } from './folders.repository';

type Folder = Schemas['Folder'];

@Injectable()
export class FoldersService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly tree: ContentTree,
    private readonly items: ItemsRepository,
    private readonly lists: ItemsListRepository,
    private readonly folders: FoldersRepository,
    private readonly descriptions: ItemDescriptions,
  ) {}

  async list(principal: Principal, deploymentId: number, query: QueryOf<'getFolders'>): Promise<ReplyOf<'getFolders'>> {
    const who = await this.rights.viewerOf(principal, deploymentId);
    const parentId = query.parentId || null;
    const { tenantId } = principal;
    const { page, count } = await this.database.transaction(tenantId, async (tx) => {
      const scope = { parent: await this.rights.look(tx, who, parentId) };
      const types = ['FOLDER'] as const;
      const found = await keysetList(query, {
        name: 'folders',
        filters: { deploymentId, parentId },
        positionOf: ({ key, id }: ListedItem): [key: string, id: number] => [key, id],
        read: (limit, [key, id]) => {
          const after = key !== undefined && id !== undefined ? { key, id } : undefined;
          return this.lists.list(tx, who, { scope, types, order: 'position', descending: false }, limit, after);
        },
      });
      const items = await this.described(tx, who, found.items);
      return { page: { items, pageInfo: found.pageInfo }, count: await this.lists.count(tx, who, scope, types) };
    });
    return { ...page, data: page.items, count };
  }

  async create(
    principal: Principal,
    deploymentId: number,
    { name, parentId = null, position = null }: BodyOf<'createFolder'>,
  ): Promise<ReplyOf<'createFolder'>> {
    const who = await this.rights.viewerOf(principal, deploymentId);
    const { tenantId } = principal;
    return this.database.mutate(principal, async (tx) => {
      const place = await this.tree.placeFolder(tx, who, parentId);
      const folder = {
        tenantId,
        deploymentId,
        type: 'FOLDER' as const,
        name: name.trim(),
        position,
        ...ownedBy(who),
        ...place,
      };
      return this.one(tx, who, await this.items.insert(tx, folder));
    });
  }

  async update(
    principal: Principal,
    deploymentId: number,
    id: number,
    { name, position }: BodyOf<'updateFolder'>,
  ): Promise<ReplyOf<'updateFolder'>> {
    const who = await this.rights.viewerOf(principal, deploymentId);
    return this.database.mutate(principal, async (tx) => {
      const folder = await this.rights.require(tx, who, { type: 'FOLDER', id }, 'edit', true);
      await this.items.update(tx, id, {
        ...(name != null && { name: name.trim() }),
        ...(position !== undefined && { position: position ?? (await this.items.lastPosition(tx, folder)) }),
        updatedBy: principal.userId,
      });
      return this.one(tx, who, await this.rights.require(tx, who, { type: 'FOLDER', id }, 'read'));
    });
  }

  async delete(principal: Principal, deploymentId: number, id: number): Promise<ReplyOf<'deleteFolder'>> {
    const who = await this.rights.viewerOf(principal, deploymentId);
    await this.database.mutate(principal, async (tx) => {
      await this.tree.remove(tx, who, { type: 'FOLDER', id });
      return null;
    });
    return undefined;
  }

  async ancestors(
    principal: Principal,
    deploymentId: number,
    folderId: number,
  ): Promise<ReplyOf<'getFolderAncestors'>> {
    const who = await this.rights.viewerOf(principal, deploymentId);
    return this.database.transaction(principal.tenantId, async (tx) => {
      const { path, id } = await this.rights.look(tx, who, folderId);
      return this.described(tx, who, await this.folders.ancestors(tx, [...path, id]));
    });
  }

  async withReports(
    principal: Principal,
    deploymentId: number,
    query: QueryOf<'getReportFolders'>,
  ): Promise<ReplyOf<'getReportFolders'>> {
    const who = await this.rights.viewerOf(principal, deploymentId);
    return keysetList(query, {
      name: 'report-folders',
      filters: { deploymentId },
      positionOf: byId,
      read: (limit, [afterId]) =>
        this.database.transaction(principal.tenantId, (tx) => this.folders.withReports(tx, who, limit, afterId)),
    });
  }

  private async one(tx: Transaction, who: Viewer, folder: Item): Promise<Folder> {
    const [described] = await this.described(tx, who, [folder]);
    return described as Folder;
  }

  private async described(tx: Transaction, who: Viewer, folders: readonly Item[]): Promise<Folder[]> {
    const described = await this.descriptions.describe(tx, who, folders);
    return described.map(({ folderId: parentId, userId: _owner, ...shared }, index) => {
      const { position, updatedBy = null } = folders[index] as Item;
      return { ...shared, parentId, position: position ?? 0, updatedBy: who.embed ? null : updatedBy };
    });
  }
}
