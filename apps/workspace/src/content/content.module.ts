import { Module } from '@nestjs/common';
import { ItemsRepository } from './items.repository';
import { People } from './people.service';
import { ContentRights } from './content-rights.service';
import { TreeRepository } from './tree.repository';

const shared = [ItemsRepository, TreeRepository, ContentRights, People];

@Module({ providers: shared, exports: shared })
export class ContentModule {}
