import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ThreadsService } from '../threads';
import { ChatsService } from './chats.service';

@Controller()
export class ChatsController implements Operations<'agents', 'Chats'> {
  constructor(
    private readonly chats: ChatsService,
    private readonly threads: ThreadsService,
  ) {}

  @Operation('listChatThreads')
  listChatThreads({ principal, query }: Call<'listChatThreads'>) {
    return this.threads.list(principal, query);
  }

  @Operation('getChatThread')
  getChatThread({ principal, path, query }: Call<'getChatThread'>) {
    return this.threads.get(principal, path.chatId, query);
  }

  @Operation('deleteChatThread')
  deleteChatThread({ principal, path, query }: Call<'deleteChatThread'>) {
    return this.threads.delete(principal, path.chatId, query);
  }

  @Operation('streamChatState')
  streamChatState({ principal, path, body }: Call<'streamChatState'>) {
    return this.chats.stream(principal, path, body);
  }

  @Operation('abortChat')
  abortChat({ principal, path, body }: Call<'abortChat'>) {
    return this.chats.abort(principal, path, body);
  }

  @Operation('streamDeploymentChatState')
  streamDeploymentChatState({ principal, path, body }: Call<'streamDeploymentChatState'>) {
    return this.chats.stream(principal, path, body);
  }

  @Operation('abortDeploymentChat')
  abortDeploymentChat({ principal, path, body }: Call<'abortDeploymentChat'>) {
    return this.chats.abort(principal, path, body);
  }
}
