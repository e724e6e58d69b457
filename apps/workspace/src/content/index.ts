export { ContentModule } from './content.module';
export { Item, type ItemType } from './item.entity';
export { itemColumns, ItemsRepository, type NewItem, type RankedItem } from './items.repository';
export { People } from './people.service';
export { ContentRights, itemNotFound } from './content-rights.service';
export { rightsOf, type RightsSql } from './visibility';
export { rankOf, type Level, type Viewer } from './viewer';
export { TreeRepository } from './tree.repository';
