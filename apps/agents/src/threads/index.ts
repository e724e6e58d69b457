export { toContract, type ChatLine, type ChatThread } from './chat-thread';
export { ThreadsRepository, type Turn } from './threads.repository';
export { ThreadsService, TURN_ENDED } from './threads.service';
