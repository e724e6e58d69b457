import { Module } from '@nestjs/common';
import { ContentNotices } from './content-notices';
import { ContentRights } from './content-rights.service';
import { ContentTree } from './content-tree.service';
import { ItemDescriptions } from './item-descriptions.service';
import { ItemSearchRepository } from './item-search.repository';
import { ItemNotesRepository } from './item-notes.repository';
import { ItemsListRepository } from './items-list.repository';
import { ItemsRepository } from './items.repository';
import { People } from './people.service';
import { TreeRepository } from './tree.repository';

const shared = [
  ItemsRepository,
  ItemsListRepository,
  ItemSearchRepository,
  ItemNotesRepository,
  ContentNotices,
  ContentRights,
  ContentTree,
  ItemDescriptions,
  People,
  TreeRepository,
];

@Module({ providers: shared, exports: shared })
export class ContentModule {}
