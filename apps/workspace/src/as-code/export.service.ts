import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import { Database } from '@plinth/database';
import type { StreamReply } from '@plinth/messaging';
import { ContentRights, type Viewer } from '../content';
import { writeArchive, type ArchiveFile } from './archive-writer';
import { fileNames, joined, MANIFEST } from './content-files';
import { textOf } from './documents';
import { StoredContentRepository } from './stored-content.repository';
import type { StoredDetails, StoredItem } from './stored-item';
import type { StoredTree } from './stored-tree';
import { folderContent, portable, publishedContent, reportContent, workbookContent } from './written-content';

/** Things whose details are held at once. */
const BATCH = 20;

/** Writes down the content of a deployment. */
@Injectable()
export class ExportService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly content: StoredContentRepository,
  ) {}

  async export(principal: Principal, deploymentId: number): Promise<StreamReply> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const tree = await this.database.transaction(viewer.tenantId, (tx) => this.content.tree(tx, viewer));
    const headers = {
      'content-type': 'application/x-tar',
      'content-disposition': 'attachment; filename="workspace.tar"',
    };
    return { headers, stream: writeArchive(this.files(viewer, tree)) };
  }

  private async *files(viewer: Viewer, tree: StoredTree): AsyncGenerator<ArchiveFile> {
    yield { path: MANIFEST.path, text: MANIFEST.text };
    const places = [...tree.walk()];
    for (let start = 0; start < places.length; start += BATCH) {
      const batch = places.slice(start, start + BATCH);
      const ids = batch.map(({ item }) => item.id);
      const details = await this.database.transaction(viewer.tenantId, (tx) => this.content.details(tx, ids));
      for (const { item, directory } of batch) {
        const own = details.get(item.id);
        // Whatever was deleted since is left out.
        if (own)
          for (const [name, value] of filesOf(item, own, tree))
            yield { path: joined(directory, name), text: textOf(value) };
      }
    }
  }
}

function* filesOf(
  item: StoredItem,
  details: StoredDetails,
  tree: StoredTree,
): Generator<[name: string, value: object]> {
  if (item.type === 'FOLDER') return yield [fileNames.folder, folderContent(item)];
  if (item.type === 'REPORT') return yield [`${item.publicId}${fileNames.report}`, reportContent(item, details)];
  yield [fileNames.workbook, workbookContent(item, details)];
  if (details.draft) yield [fileNames.draft, portable(details.draft, tree)];
  if (details.published) yield [fileNames.published, publishedContent(details.published, tree)];
}
