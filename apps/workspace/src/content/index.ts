export { ContentModule } from './content.module';
export { Item, type ItemType } from './items/item.entity';
export { itemColumns, ItemsRepository, type NewItem, type RankedItem } from './items/items.repository';
export { People } from './people/people.service';
export { ContentRights, itemNotFound } from './rights/content-rights.service';
export { rightsOf, type RightsSql } from './rights/visibility';
export { rankOf, type Level, type Viewer } from './rights/viewer';
