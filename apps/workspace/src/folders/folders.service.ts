import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { byId, Database, keysetList, type Reader, type Transaction } from '@plinth/database';
import {
  ContentRights,
  ContentTree,
  ItemDescriptions,
  ItemsListRepository,
  ItemsRepository,
  ownedBy,
  People,
  type Item,
  type ListedItem,
  type Unnamed,
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
    private readonly people: People,
  ) {}

  async list(principal: Principal, deploymentId: number, query: QueryOf<'getFolders'>): Promise<ReplyOf<'getFolders'>> {
    const who = await this.rights.viewerOf(principal, deploymentId);
    const parentId = query.parentId || null;
    const reader = this.database.reader(principal.tenantId, 'lists');
    const scope = { parent: await this.rights.look(reader, who, parentId) };
    const types = ['FOLDER'] as const;
    const page = keysetList(query, {
      name: 'folders',
      filters: { deploymentId, parentId },
      positionOf: ({ key, id }: ListedItem): [key: string, id: number] => [key, id],
      read: (limit, [key, id]) => {
        const after = key !== undefined && id !== undefined ? { key, id } : undefined;
        return this.lists.list(reader, who, { scope, types, order: 'position', descending: false }, limit, after);
      },
    });
    const [found, count] = await Promise.all([page, this.lists.count(reader, who, scope, types)]);
    const items = await this.people.name(who, await this.described(reader, who, found.items));
    return { items, data: items, pageInfo: found.pageInfo, count };
  }

  async create(
    principal: Principal,
    deploymentId: number,
    { name, parentId = null, position = null }: BodyOf<'createFolder'>,
  ): Promise<ReplyOf<'createFolder'>> {
    const who = await this.rights.viewerOf(principal, deploymentId);
    const { tenantId } = principal;
    return this.change(principal, who, async (tx) => {
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
      return this.items.insert(tx, folder);
    });
  }

  async update(
    principal: Principal,
    deploymentId: number,
    id: number,
    { name, position }: BodyOf<'updateFolder'>,
  ): Promise<ReplyOf<'updateFolder'>> {
    const who = await this.rights.viewerOf(principal, deploymentId);
    return this.change(principal, who, async (tx) => {
      const folder = await this.rights.require(tx, who, { type: 'FOLDER', id }, 'edit', true);
      await this.items.update(tx, id, {
        ...(name != null && { name: name.trim() }),
        ...(position !== undefined && { position: position ?? (await this.items.lastPosition(tx, folder)) }),
        updatedBy: principal.userId,
      });
      return this.rights.require(tx, who, { type: 'FOLDER', id }, 'read');
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
    const reader = this.database.reader(principal.tenantId, 'few rows');
    const { path, id } = await this.rights.look(reader, who, folderId);
    const ancestors = await this.folders.ancestors(reader, [...path, id]);
    return this.people.name(who, await this.described(reader, who, ancestors));
  }

  async withReports(
    principal: Principal,
    deploymentId: number,
    query: QueryOf<'getReportFolders'>,
  ): Promise<ReplyOf<'getReportFolders'>> {
    const who = await this.rights.viewerOf(principal, deploymentId);
    const reader = this.database.reader(principal.tenantId, 'lists');
    return keysetList(query, {
      name: 'report-folders',
      filters: { deploymentId },
      positionOf: byId,
      read: (limit, [afterId]) => this.folders.withReports(reader, who, limit, afterId),
    });
  }

  private async change(principal: Principal, who: Viewer, work: (tx: Transaction) => Promise<Item>): Promise<Folder> {
    const changed = await this.database.mutate(principal, async (tx) => {
      const [described] = await this.described(tx, who, [await work(tx)]);
      return described as Unnamed<Folder>;
    });
    const [folder] = await this.people.name(who, [changed], 'written');
    return folder as Folder;
  }

  private async described(from: Reader, who: Viewer, folders: readonly Item[]): Promise<Unnamed<Folder>[]> {
    const described = await this.descriptions.describe(from, who, folders);
    return described.map((item, index) => {
      const { position, updatedBy = null } = folders[index] as Item;
      const folder: Unnamed<Folder> = {
        id: item.id,
        deploymentId: item.deploymentId,
        type: 'FOLDER',
        name: item.name,
        folderPath: item.folderPath,
        parentId: item.folderId,
        position: position ?? 0,
        user: item.user,
        updatedBy: who.embed ? null : updatedBy,
        createdAt: item.createdAt,
        updatedAt: item.updatedAt,
      };
      if (item.createdBy !== undefined) folder.createdBy = item.createdBy;
      return folder;
    });
  }
}
