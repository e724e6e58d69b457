export { EmbedGroup, type EmbedGroupKind } from './embed-group.entity';
export { EmbedGroupsModule } from './embed-groups.module';
