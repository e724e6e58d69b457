export { EmbedGroup, type EmbedGroupKind } from './embed-group.entity';
export { EmbedGroupsModule } from './embed-groups.module';
export { EmbedGroupsRepository, type GroupDefinition } from './embed-groups.repository';
export { isReservedGroupName } from './group-name';
