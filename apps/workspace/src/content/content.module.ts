import { Module } from '@nestjs/common';
import { ItemsRepository } from './items/items.repository';
import { People } from './people/people.service';
import { ContentRights } from './rights/content-rights.service';

@Module({ providers: [ItemsRepository, ContentRights, People], exports: [ItemsRepository, ContentRights, People] })
export class ContentModule {}
