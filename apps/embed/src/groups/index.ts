export { EmbedGroup, type EmbedGroupKind } from './embed-group.entity';
export { GroupMembersRepository, type MemberRef } from './group-members.repository';
