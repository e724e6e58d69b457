import { Module } from '@nestjs/common';
import { ItemsRepository } from './items.repository';
import { People } from './people.service';
import { ContentRights } from './content-rights.service';
import { TreeRepository } from './tree.repository';

@Module({
  providers: [ItemsRepository, TreeRepository, ContentRights, People],
  exports: [ItemsRepository, TreeRepository, ContentRights, People],
})
export class ContentModule {}
