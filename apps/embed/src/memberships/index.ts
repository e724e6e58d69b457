export { GroupMembersRepository, type GroupRef, type MemberRef, type MembershipRow } from './group-members.repository';
