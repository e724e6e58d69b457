import { Module } from '@nestjs/common';
import { ItemsRepository } from './items.repository';
import { People } from './people.service';
import { ContentRights } from './content-rights.service';

@Module({ providers: [ItemsRepository, ContentRights, People], exports: [ItemsRepository, ContentRights, People] })
export class ContentModule {}
